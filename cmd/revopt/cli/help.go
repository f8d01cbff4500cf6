package cli

import (
	_ "embed"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
)

// helpText says what each command does: below a line "# command: arguments" its usage on
// one line, an empty line, and a description with examples. POLICIES stands for the policies
// by the scheduler that can run them, GENERATORS for the names of the generators of jobs. The
// first section is about the program, the last about exit codes.
//
//go:embed help.txt
var helpText string

// helpSection is a section of helpText.
type helpSection struct{ arguments, text, usage, description string }

func (p *program) section(name string) helpSection {
	_, text, ok := strings.Cut("\n\n"+helpText, "\n\n# "+name+":")
	if !ok {
		panic("revopt: help.txt has no section " + name)
	}
	text, _, _ = strings.Cut(text, "\n\n# ")
	text = strings.NewReplacer("POLICIES", policiesByScheduler(p.specs),
		"GENERATORS", strings.Join(model.Generators(), " or ")).Replace(text)
	arguments, text, _ := strings.Cut(text, "\n")
	s := helpSection{arguments: strings.TrimSpace(arguments), text: strings.TrimSpace(text)}
	s.usage, s.description, _ = strings.Cut(s.text, "\n\n")
	return s
}

// describe gives commands, and those below them, their texts.
func (p *program) describe(parent string, commands []*cli.Command) {
	for _, c := range commands {
		s := p.section(parent + c.Name)
		c.ArgsUsage, c.Usage, c.Description = s.arguments, s.usage, s.description
		p.describe(parent+c.Name+" ", c.Subcommands)
	}
}
