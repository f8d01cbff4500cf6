package service

import (
	"bytes"
	"embed"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
)

//go:embed steer.env watchdog.sh README.md revopt-steer.service revopt-steer-watchdog.service revopt-steer-watchdog.timer
var templates embed.FS

// hardening is the lines of both units that take rights away.
//
//go:embed hardening.conf
var hardening string

// Place is the directory of a cluster for which the files are written.
const Place = "/etc/revopt"

// Service is steer as a service.
type Service struct {
	Version  string
	Program  string  // the path of revopt
	Scenario string  // its path on the cluster, or its name
	Policy   string  // a label
	Every    float64 // s from one pass to the next

	From  string   // the path of the scenario here; "" if it is built in
	Files []string // paths of files that the scenario names, its trace first
}

// Files returns the names of the files, in the order in which a reader meets them.
func Files() []string {
	return []string{"README.md", "steer.env", "revopt-steer.service", "revopt-steer-watchdog.service",
		"revopt-steer-watchdog.timer", "watchdog.sh"}
}

// Old returns the age of the last pass at which the watchdog undoes, s.
func (s *Service) Old() int { return int(math.Ceil(max(10*s.Every, 300))) }

// At returns the path on the cluster of a scenario here: its own, but in Place where it is one that PrivateTmp hides.
func At(path string) string {
	for _, hidden := range []string{"/tmp/", "/var/tmp/"} {
		if strings.HasPrefix(path, hidden) {
			return filepath.Join(Place, filepath.Base(path))
		}
	}
	return path
}

// SetFiles sets the paths of a scenario file, here and on the cluster, and of the files that it names.
func (s *Service) SetFiles(scenario string, named []string) (err error) {
	s.From, err = filepath.Abs(scenario)
	if err != nil {
		return err
	}
	s.Scenario = At(s.From)
	for _, file := range named {
		path, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		if path != s.From && !slices.Contains(s.Files, path) {
			s.Files = append(s.Files, path)
		}
	}
	return nil
}

// inputs says where to copy the scenario and the files that it names; "" if it is built in.
func (s *Service) inputs() (words string) {
	if s.From == "" {
		return ""
	}
	words = ",\n   `" + s.From + "` to `" + s.Scenario + "`"
	for _, file := range s.Files {
		name, where := filepath.Clean(file), "the same path"
		if inside, err := filepath.Rel(filepath.Dir(s.From), name); err == nil && filepath.IsLocal(inside) {
			where = "`" + filepath.Join(filepath.Dir(s.Scenario), inside) + "`"
		}
		words += ",\n   `" + name + "` to " + where
	}
	return words
}

// content returns the content of a file.
func (s *Service) content(name string) string {
	data, _ := templates.ReadFile(name)
	every := fmt.Sprintf("%gs", s.Every)
	var values []any
	switch name {
	case "README.md":
		values = []any{s.Version, fmt.Sprintf("%g s", s.Every), s.Policy, Place, s.Scenario, text.ShellWord(s.Policy), s.Old(),
			s.Program, s.inputs()}
	case "steer.env":
		values = []any{s.Version, s.Program, s.Scenario, s.Policy, every, s.Old()}
	case "revopt-steer.service", "revopt-steer-watchdog.service":
		values = []any{s.Version, Place, hardening}
	default:
		values = []any{s.Version}
	}
	return fmt.Sprintf(string(data), values...)
}

// Plain reports whether a value is the same in steer.env for systemd and for a shell.
func Plain(value string) bool {
	return value != "" && !strings.ContainsFunc(value, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("'\"\\$`*?[]{}()<>|&;#~!%", r)
	})
}

// Exists returns the path of a file of the directory that Write would change, "" if there is none. Operators edit
// steer.env, so that a file of an earlier export counts too.
func (s *Service) Exists(dir string) string {
	names := Files()
	i := slices.IndexFunc(names, func(name string) bool {
		data, err := os.ReadFile(filepath.Join(dir, name))
		return !os.IsNotExist(err) && !(err == nil && bytes.Equal(data, []byte(s.content(name))))
	})
	if i < 0 {
		return ""
	}
	return filepath.Join(dir, names[i])
}

// Write writes the files into a directory, which is created.
func (s *Service) Write(dir string) error {
	for _, name := range Files() {
		err := safefile.Guard{Inside: true}.Write(filepath.Join(dir, name), func(w io.Writer) error {
			_, err := io.WriteString(w, s.content(name))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
