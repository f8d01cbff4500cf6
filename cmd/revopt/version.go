package main

import (
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
)

// version and commit are set by the linker; see the Makefile. Without it they
// come from what the go command recorded.
var version, commit string

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
	b := buildInfo{Version: version, Commit: commit, Modules: []moduleInfo{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Go = info.GoVersion
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Commit == "" {
				b.Commit = s.Value
			}
		}
		for _, m := range info.Deps {
			b.Modules = append(b.Modules, moduleInfo{m.Path, m.Version})
		}
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	if b.Commit == "" {
		b.Commit = "unknown"
	}
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
