package safefile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func text(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// put makes a file.
func put(t *testing.T, path, content string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(path, []byte(content), 0o600), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

// holds checks the content of a file.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); err != nil || string(got) != want {
		t.Errorf("%s holds %q, want %q, %v", path, got, want, err)
	}
}

// alone checks that a directory has so many entries.
func alone(t *testing.T, dir string, n int) {
	t.Helper()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != n {
		t.Errorf("the directory holds %v, %v", entries, err)
	}
}

// TestLinks checks that a link the user has named stays a link and its target
// gets the content, and that one in a directory of results is replaced.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	put(t, target, "old", 0o644)
	if err := os.Symlink("target", link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := Write(link, text("new")); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	inside := Guard{Inside: true}
	if err := errors.Join(inside.Check(link), inside.Write(link, text("planted"))); err != nil {
		t.Fatal(err)
	}
	holds(t, target, "new")
	holds(t, link, "planted")
	if info, err := os.Lstat(link); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	nowhere := filepath.Join(dir, "nowhere")
	if err := os.Symlink("missing", nowhere); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if err := Write(nowhere, text("x")); !errors.As(err, &refused) {
		t.Errorf("a link that leads nowhere: %v", err)
	}
	alone(t, dir, 3)
}

// TestDevice checks that a device is written to, not replaced, and refused in a
// directory of results.
func TestDevice(t *testing.T) {
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Skipf("no null device: %v", err)
	}
	// Through a link of our own, so that a defect hits only that.
	link := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if err := errors.Join((Guard{}).Check(link), Write(link, text("gone"))); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the null device became %v, %v", after, err)
	}
	var refused *RefusedError
	if err := (Guard{Inside: true}).Check(os.DevNull); !errors.As(err, &refused) {
		t.Errorf("a device among results: %v", err)
	}
}

// TestFailure checks that a failure leaves the old content, nothing else, and an
// error that names the file asked for.
func TestFailure(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := Write(path, text("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := Write(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken })
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	holds(t, path, "old")
	deep := filepath.Join(dir, "a", "b", "file")
	if err := Write(deep, func(io.Writer) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	below := filepath.Join(path, "x")
	for _, err := range []error{Write(below, text("")), (Guard{}).Check(below)} {
		if err == nil || !strings.HasPrefix(err.Error(), below+": ") {
			t.Errorf("below a file: error %v", err)
		}
	}
	for _, err := range []error{Write(dir, text("")), (Guard{}).Check(dir)} {
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Path != dir {
			t.Errorf("onto a directory: error %v", err)
		}
	}
	alone(t, dir, 1)
}

// TestSync: the whole content is on the disk before the file has its name.
func TestSync(t *testing.T) {
	path, synced := filepath.Join(t.TempDir(), "file"), ""
	defer func(f func(*os.File) error) { sync = f }(sync)
	sync = func(f *os.File) error {
		content, _ := os.ReadFile(f.Name())
		_, err := os.Stat(path)
		synced += fmt.Sprint(string(content), err != nil)
		return nil
	}
	if err := Write(path, text("whole")); err != nil || synced != "wholetrue" {
		t.Errorf("%v, synced %q", err, synced)
	}
}

// TestModes checks that an existing file keeps its mode, which nobody sees the
// new content without.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes here")
	}
	dir := t.TempDir()
	for _, mode := range []os.FileMode{0o600, 0o640, 0o664, 0o666} {
		path := filepath.Join(dir, mode.String())
		put(t, path, "old", mode)
		if err := Write(path, text("new")); err != nil {
			t.Fatal(err)
		}
		holds(t, path, "new")
		if info, err := os.Stat(path); err != nil || info.Mode() != mode {
			t.Errorf("mode %v became %v, %v", mode, info.Mode(), err)
		}
	}
	plain, path := filepath.Join(dir, "plain"), filepath.Join(dir, "new")
	f, err := os.Create(plain)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if err := Write(path, text("")); err != nil {
		t.Fatal(err)
	}
	want, err1 := os.Stat(plain)
	got, err2 := os.Stat(path)
	if err1 != nil || err2 != nil || got.Mode() != want.Mode() {
		t.Errorf("a new file has mode %v, want %v", got.Mode(), want.Mode())
	}
}

// TestProtected checks that nothing is written where the user may not.
func TestProtected(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write anywhere")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	put(t, path, "old", 0o444)
	if (Guard{}).Check(path) == nil || Write(path, text("new")) == nil {
		t.Error("a protected file can be written")
	}
	holds(t, path, "old")
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o755)
	for _, name := range []string{"other", "below/it"} {
		if err := (Guard{}).Check(filepath.Join(dir, name)); !errors.Is(err, os.ErrPermission) ||
			!strings.HasPrefix(err.Error(), filepath.Join(dir, name)+": ") {
			t.Errorf("in a protected directory: %v", err)
		}
	}
}

// TestCheck checks that it leaves nothing behind, not even directories.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "file")
	if err := (Guard{}).Check(path); err != nil {
		t.Fatal(err)
	}
	alone(t, dir, 0)
	if err := Write(path, text("x")); err != nil {
		t.Fatal(err)
	}
	holds(t, path, "x")
}

// TestTogether checks and writes one file from many sides at a time, as shards do that end together.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.csv")
	g := Guard{Inside: true}
	failed := make(chan error)
	const sides = 8
	for side := range sides {
		go func() {
			var err error
			for range 200 {
				err = errors.Join(err, g.Check(path))
				if side == 0 {
					err = errors.Join(err, g.Write(path, text("a,b\n")))
				}
			}
			failed <- err
		}()
	}
	for range sides {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// TestInputs checks that no input is overwritten, under whatever name.
func TestInputs(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	put(t, "in.yaml", "precious", 0o644)
	names := []string{"in.yaml", "./in.yaml", filepath.Join(dir, "in.yaml")}
	if os.Symlink("in.yaml", "link") == nil {
		names = append(names, "link")
	}
	if os.Link("in.yaml", "hard") == nil {
		names = append(names, "hard")
	}
	g := Guard{Inputs: []string{"nist-cluster", "in.yaml"}}
	for _, name := range names {
		var refused *RefusedError
		if err := g.Check(name); !errors.As(err, &refused) || refused.Path != name {
			t.Errorf("%s: %v", name, err)
		}
		if err := g.Write(name, text("x")); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	holds(t, "in.yaml", "precious")
	if err := g.Write("out.csv", text("x")); err != nil {
		t.Error(err)
	}
}

// TestStale checks that temporary files of the same target go unless somebody holds
// them, and nothing else.
func TestStale(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * time.Hour)
	for name, stays := range map[string]bool{
		".file.revopt-0123abcd": false, ".file.revopt-0123abcx": true, ".file.revopt-0123abcd0": true,
		".other.revopt-0123abcd": true, "file.revopt-0123abcd": true,
	} {
		path := filepath.Join(dir, name)
		put(t, path, "", 0o644)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		held, err := createTemp(dir, "file", 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(filepath.Join(dir, "file"), text("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); (err == nil) != stays {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(held.Name()); err != nil {
			t.Errorf("the file of a process that still runs: %v", err)
		}
		held.Close()
	}
}

// TestPlanted: in a directory that everybody can write to, a file of another user is
// refused; in one that a group shares it is not.
func TestPlanted(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	put(t, path, "x", 0o644)
	for _, tt := range []struct {
		owner   int
		mode    os.FileMode
		refused bool
	}{{0, 0o777, false}, {65534, 0o777, true}, {65534, 0o775, false}, {65534, 0o755, false}} {
		if err := errors.Join(os.Chown(path, tt.owner, -1), os.Chmod(dir, tt.mode)); err != nil {
			t.Fatal(err)
		}
		f, err := OpenRegular(path, os.O_RDONLY, 0)
		if (err != nil) != tt.refused {
			t.Errorf("owner %d, mode %o: %v", tt.owner, tt.mode, err)
		}
		if err == nil {
			f.Close()
		}
	}
}
