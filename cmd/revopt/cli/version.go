package cli

import (
	"cmp"
	"encoding/json"
	"regexp"
	"runtime/debug"

	"revopt/internal/text"

	"github.com/urfave/cli/v2"
)

// release is the version of a build that neither a tag nor the linker names.
const release = "0.6.0"

// version and commit are set by the linker; see the Makefile. If they are empty,
// they come from the records of the go command.
var version, commit string

// modulePath is the module of the program.
const modulePath = "revopt"

// buildInfo lists the versions that a program was built from.
type buildInfo struct {
	Version string       `json:"version"`
	Commit  string       `json:"commit"`
	Go      string       `json:"go"`
	Modules []moduleInfo `json:"modules"`
}

type moduleInfo struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

func build() buildInfo {
	info, _ := debug.ReadBuildInfo()
	return buildOf(version, commit, info)
}

// pseudoVersion is a version that the go command makes of a commit.
var pseudoVersion = regexp.MustCompile(`-(?:0\.)?[0-9]{14}-([0-9a-f]{12})(?:\+|$)`)

// buildOf returns the facts of a build: version and commit of the linker, else
// those that the go command recorded; info is nil if it recorded nothing. A version
// that the go command made of a commit names the commit but is no release. The go
// command records a commit for the main module only.
func buildOf(version, commit string, info *debug.BuildInfo) buildInfo {
	b := buildInfo{Version: version, Commit: commit, Modules: []moduleInfo{}}
	if info != nil {
		b.Go = info.GoVersion
		module := info.Main.Version
		for _, m := range info.Deps {
			b.Modules = append(b.Modules, moduleInfo{m.Path, m.Version})
			if m.Path == modulePath {
				module = m.Version
				if m.Replace != nil {
					module = m.Replace.Version
				}
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Commit == "" && info.Main.Path == modulePath {
				b.Commit = s.Value
			}
		}
		if parts := pseudoVersion.FindStringSubmatch(module); parts != nil {
			b.Commit = cmp.Or(b.Commit, parts[1])
		} else if module != "(devel)" {
			b.Version = cmp.Or(b.Version, module)
		}
	}
	b.Version, b.Commit = cmp.Or(b.Version, release), cmp.Or(b.Commit, "unknown")
	return b
}

func (p *program) version(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	b := build()
	if c.Bool("json") {
		enc := json.NewEncoder(p.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(b)
	}
	rows := [][]string{{"revopt", b.Version}, {"commit", b.Commit}, {"Go", b.Go}}
	for _, m := range b.Modules {
		rows = append(rows, []string{m.Path, m.Version})
	}
	text.NewList(rows).Print(p.stdout)
	return nil
}
