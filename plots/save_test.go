package plots

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSave(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "place")
	paths, err := Save(dir, rich(), provenance())
	if err != nil || len(paths) != 3 {
		t.Fatal(paths, err)
	}
	if got := strings.Join(files(t, dir), " "); got != "rich.csv rich.png rich.svg" {
		t.Errorf("got %s", got)
	}
	b, err := os.ReadFile(paths[0])
	if err != nil || !bytes.Equal(b, written(t, rich(), PNG)) {
		t.Errorf("the saved file differs from what Write gives: %v", err)
	}
	if err := SaveFile(filepath.Join(dir, "other.PDF"), rich(), provenance()); err != nil {
		t.Error(err)
	}
}

func TestSaveLeavesNothingBehind(t *testing.T) {
	bad := rich()
	bad.Series[0].Y = nil
	for name, id := range map[string]string{"none": "", "slash": "../up", "hidden": ".x"} {
		f := Figure{ID: id}
		if _, err := Save(t.TempDir(), f, Provenance{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	dir := t.TempDir()
	if paths, err := Save(dir, bad, Provenance{}); err == nil || len(paths) > 0 || len(files(t, dir)) > 0 {
		t.Errorf("bad figure: %v, %v, %v", paths, err, files(t, dir))
	}
	if _, err := Save(dir, rich(), Provenance{}, CSV, "gif"); err == nil || len(files(t, dir)) > 0 {
		t.Errorf("bad format: %v, %v", err, files(t, dir))
	}
	if err := SaveFile(filepath.Join(dir, "x.gif"), rich(), Provenance{}); err == nil {
		t.Error("bad extension: no error")
	}
	// A file in the place of the directory.
	blocked := filepath.Join(dir, "file")
	if err := os.WriteFile(blocked, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(blocked, rich(), Provenance{}, CSV); err == nil {
		t.Error("file as directory: no error")
	}
	// A directory in the place of the second file: the first is complete, the
	// rest does not appear.
	if err := os.MkdirAll(filepath.Join(dir, "rich.svg", "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	paths, err := Save(dir, rich(), Provenance{}, CSV, SVG, PDF)
	if err == nil || len(paths) != 1 || strings.Join(files(t, dir), " ") != "file rich.csv rich.svg" {
		t.Errorf("directory as file: %v, %v, %v", paths, err, files(t, dir))
	}
}
