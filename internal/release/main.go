package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "release: expected DIR PROGRAM...")
		os.Exit(2)
	}
	if err := complete(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// complete writes DIR/licenses and DIR/SHA256SUMS.
func complete(dir string, programs []string) error {
	modules, err := linked(dir, programs)
	if err != nil {
		return err
	}
	for _, m := range modules {
		n, err := copyLicenses(m.dir, filepath.Join(dir, "licenses", filepath.FromSlash(m.path)))
		if err == nil && n == 0 {
			err = fmt.Errorf("%s: no license in %s", m.path, m.dir)
		}
		if err != nil {
			return err
		}
	}
	return checksums(dir)
}

// module is what is linked into a program: its path and the directory of its files.
type module struct{ path, dir string }

// linked returns the modules of all programs, each once, as the Go command recorded them, with Go's own packages.
func linked(dir string, programs []string) ([]module, error) {
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := []module{{"stdlib", root}}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			at, err := goCommand("list", "-m", "-f", "{{.Dir}}", m.Path+"@"+m.Version)
			if err != nil {
				return nil, err
			}
			if !slices.Contains(modules, module{m.Path, at}) {
				modules = append(modules, module{m.Path, at})
			}
		}
	}
	return modules, nil
}

func goCommand(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("go %s: %s", strings.Join(args, " "), bytes.TrimSpace(failed.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// copyLicenses copies the licenses of a module, and the folder of them that some have, and returns how many there are.
func copyLicenses(from, to string) (n int, err error) {
	err = filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, name := filepath.Base(filepath.Dir(path)), strings.ToUpper(d.Name())
		if d.IsDir() {
			if path != from && name != "LICENSES" {
				return filepath.SkipDir
			}
			return nil
		}
		if within != "licenses" && !slices.ContainsFunc([]string{"LICENSE", "LICENCE", "COPYING", "NOTICE", "PATENTS"},
			func(begins string) bool { return strings.HasPrefix(name, begins) }) {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		n++
		file := filepath.Join(to, inside)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
	return n, err
}

// checksums writes the SHA-256 of all files of a directory, as sha256sum -c reads them.
func checksums(dir string) error {
	const name = "SHA256SUMS"
	var b bytes.Buffer
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == name {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(dir, path)
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), filepath.ToSlash(inside))
		return err
	})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o644)
}
