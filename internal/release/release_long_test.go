//go:build long

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// copied returns a folder with the named files of the repository, of folders all that git knows.
func copied(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	list := exec.Command("git", append([]string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--"}, names...)...)
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatal("expected a checkout of git: ", err)
	}
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) { // removed and not committed
			continue
		}
		to := filepath.Join(dir, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// in runs a command in a folder, with nothing in its environment if it is bare.
func in(t *testing.T, dir string, bare bool, command string, args ...string) string {
	t.Helper()
	c := exec.Command(command, args...)
	c.Dir = dir
	if bare {
		c.Env = []string{}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", command, args, err, out)
	}
	return string(out)
}

// TestDist: two folders give the same files, and the program needs none of the others.
func TestDist(t *testing.T) {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	var sums []string
	var dist string
	for range 2 {
		dir := copied(t, ".")
		in(t, dir, false, "make", "dist", "PLATFORMS="+platform, "VERSION=9.9.9", "COMMIT=abcdef")
		dist = filepath.Join(dir, "dist")
		if out := in(t, dist, false, "sha256sum", "-c", "SHA256SUMS"); strings.Count(out, ": OK") < 20 {
			t.Errorf("sums: %s", out)
		}
		data, err := os.ReadFile(filepath.Join(dist, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, string(data))
	}
	if sums[0] != sums[1] {
		t.Errorf("two folders, two sums:\n%s\n%s", sums[0], sums[1])
	}
	for _, name := range []string{"stdlib", "gonum.org/v1/plot", "github.com/urfave/cli/v2", "github.com/golang/freetype"} {
		if list, err := os.ReadDir(filepath.Join(dist, "licenses", name)); err != nil || len(list) == 0 {
			t.Errorf("%s: no license, %v", name, err)
		}
	}

	alone := t.TempDir()
	program := filepath.Join(alone, "revopt")
	if err := os.Rename(filepath.Join(dist, "revopt-"+strings.ReplaceAll(platform, "/", "-")), program); err != nil {
		t.Fatal(err)
	}
	if got := in(t, alone, true, program, "version"); !strings.Contains(got, "9.9.9") || !strings.Contains(got, "abcdef") {
		t.Errorf("version: %s", got)
	}
	in(t, alone, true, program, "solve", "nist-four")
	in(t, alone, true, program, "explore", "nist-four", "-o", "page.html")
}

// TestContainerfile runs what builds the image in a folder that has only what is copied into it.
func TestContainerfile(t *testing.T) {
	data, err := os.ReadFile("../../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^COPY ([^-].*) \S+$`).FindAllStringSubmatch(string(data), -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	dir := copied(t, names...)
	runs := regexp.MustCompile(`(?m)^RUN (.*)$`).FindAllStringSubmatch(string(data), -1)
	if len(runs) != 1 {
		t.Fatalf("lines that run: %q", runs)
	}
	in(t, dir, false, "sh", "-euc", "VERSION=9.9.9 COMMIT=abcdef; "+runs[0][1])
	program := filepath.Join(dir, "bin/revopt")
	if got := in(t, dir, true, program, "version"); !strings.Contains(got, "9.9.9") || !strings.Contains(got, "abcdef") {
		t.Errorf("version: %s", got)
	}
	in(t, dir, true, program, "explore", "nist-four", "-o", "page.html")
}
