package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

func main() {
	created := flag.String("created", "", "`TIME` of the source, in RFC 3339")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "release: expected -created TIME DIR PROGRAM...")
		os.Exit(2)
	}
	if err := complete(*created, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// complete writes DIR/licenses, DIR/sbom.spdx.json and DIR/SHA256SUMS.
func complete(created, dir string, programs []string) error {
	if _, err := time.Parse(time.RFC3339, created); err != nil {
		return fmt.Errorf("-created: %w", err)
	}
	modules, err := linked(dir, programs)
	if err != nil {
		return err
	}
	for i := range modules {
		m := &modules[i]
		m.texts, err = copyLicenses(m.dir, filepath.Join(dir, "licenses", filepath.FromSlash(m.path)))
		if err != nil {
			return err
		}
		if len(m.texts) == 0 {
			return fmt.Errorf("%s %s: no license in %s", m.path, m.version, m.dir)
		}
	}
	list, err := json.MarshalIndent(document(created, modules), "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "sbom.spdx.json"), append(list, '\n'), 0o644); err != nil {
		return err
	}
	return checksums(dir)
}

// A module is linked into a program.
type module struct {
	path, version string
	dir           string // its files
	texts         []string
}

// standard is the name of the packages that belong to Go.
const standard = "stdlib"

// linked returns the modules of all programs, each once, as the Go command recorded them, with Go's own packages.
func linked(dir string, programs []string) ([]module, error) {
	found := map[string]*debug.Module{}
	compiler := ""
	for _, name := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		compiler = strings.TrimPrefix(info.GoVersion, "go")
		for _, m := range info.Deps {
			if m.Replace != nil {
				m = m.Replace
			}
			found[m.Path+"@"+m.Version] = m
		}
	}
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	modules := []module{{path: standard, version: compiler, dir: root}}
	for _, m := range found {
		at, err := goCommand("list", "-m", "-f", "{{.Dir}}", m.Path+"@"+m.Version)
		if err != nil {
			return nil, err
		}
		modules = append(modules, module{path: m.Path, version: m.Version, dir: at})
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return modules, nil
}

func goCommand(args ...string) (string, error) {
	out, err := exec.Command("go", args...).Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		err = fmt.Errorf("go %s: %s", strings.Join(args, " "), bytes.TrimSpace(failed.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

// copyLicenses copies the licenses of a module, and the folder of them that some have, and returns their texts.
func copyLicenses(from, to string) (texts []string, err error) {
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
		texts = append(texts, string(data))
		file := filepath.Join(to, inside)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, data, 0o644)
	})
	return texts, err
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
