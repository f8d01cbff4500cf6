package main

import (
	_ "embed"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpText says what each command does: below a line "# command: arguments" its usage on
// one line, an empty line, and a description with examples. POLICIES stands for the names
// of the policies.
//
//go:embed help.txt
var helpText string

// describe gives commands, and those below them, their texts. A command that states its
// usage keeps its own.
func describe(parent string, commands []*cli.Command) {
	sections := strings.ReplaceAll("\n\n"+helpText, "POLICIES", indented(policyNames()))
	for _, c := range commands {
		name := parent + c.Name
		describe(name+" ", c.Subcommands)
		if c.Usage != "" {
			continue
		}
		_, section, ok := strings.Cut(sections, "\n\n# "+name+":")
		if !ok {
			panic("revopt: help.txt has no command " + name)
		}
		section, _, _ = strings.Cut(section, "\n\n# ")
		arguments, rest, _ := strings.Cut(section, "\n")
		c.ArgsUsage = strings.TrimSpace(arguments)
		c.Usage, c.Description, _ = strings.Cut(strings.TrimSpace(rest), "\n\n")
	}
}
