package main

import (
	"cmp"
	"regexp"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
)

// version and commit are set by the linker; see the Makefile. Without it they
// come from what the go command recorded.
var version, commit string

// modulePath is the module of the program.
const modulePath = "revopt"

func (p *program) versionCommand() *cli.Command {
	return &cli.Command{
		Name:        "version",
		Usage:       "print version, commit, Go and module versions",
		ArgsUsage:   "[flags]",
		Description: "Example:\n  revopt version --json",
		Flags:       []cli.Flag{jsonFlag()},
		Action:      p.version,
	}
}

// buildInfo says what a program was made of.
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

// buildOf returns what a program was made of: version and commit where the linker
// was told, else by what the go command recorded, which is nil where it did not. The
// go command records a commit for the main module alone. Where that is another
// one, or the source came without its history, the version may name the commit.
func buildOf(version, commit string, info *debug.BuildInfo) buildInfo {
	b := buildInfo{Version: version, Commit: commit, Modules: []moduleInfo{}}
	if info != nil {
		b.Go = info.GoVersion
		own := info.Main.Version
		for _, m := range info.Deps {
			b.Modules = append(b.Modules, moduleInfo{m.Path, m.Version})
			if m.Path == modulePath {
				if own = m.Version; m.Replace != nil {
					own = m.Replace.Version
				}
			}
		}
		if b.Version == "" && own != "(devel)" {
			b.Version = own
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Commit == "" && info.Main.Path == modulePath {
				b.Commit = s.Value
			}
		}
		if found := pseudoVersion.FindStringSubmatch(own); found != nil {
			b.Commit = cmp.Or(b.Commit, found[1])
		}
	}
	b.Version, b.Commit = cmp.Or(b.Version, "devel"), cmp.Or(b.Commit, "unknown")
	return b
}

func (p *program) version(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	b := build()
	if c.Bool("json") {
		return p.printJSON(b)
	}
	rows := [][]string{{"revopt", b.Version}, {"commit", b.Commit}, {"Go", b.Go}}
	for _, m := range b.Modules {
		rows = append(rows, []string{m.Path, m.Version})
	}
	text.Align(p.stdout, rows, 2)
	return nil
}
