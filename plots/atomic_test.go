package plots

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// TestWriteFileFollowsLinks checks that a link stays a link and its target
// gets the content.
func TestWriteFileFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("target", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := WriteFile(link, text("new")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(target); string(got) != "new" {
		t.Errorf("the target holds %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
}

// TestWriteFileDevice checks that a device is written to, not replaced.
func TestWriteFileDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Skipf("no null device: %v", err)
	}
	// Through a link of our own, so that a defect hits only that.
	link := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := WriteFile(link, text("gone")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the null device became %v, %v", after, err)
	}
}

// TestWriteFileFails checks that a failure leaves the old content, nothing
// else, and an error that names the file asked for.
func TestWriteFileFails(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := WriteFile(path, text("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := WriteFile(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	entries, _ := os.ReadDir(dir)
	got, _ := os.ReadFile(path)
	if string(got) != "old" || len(entries) != 1 {
		t.Errorf("the file holds %q, the directory %v", got, entries)
	}
	below := filepath.Join(path, "x")
	if err := WriteFile(below, text("")); err == nil || !strings.HasPrefix(err.Error(), below+": ") {
		t.Errorf("below a file: error %v", err)
	}
	if err := WriteFile(dir, text("")); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("onto a directory: error %v", err)
	}
}
