package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/cmd/revopt/manual"
	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/answer"
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

// Groups of flags that are not for every day: see manual.Groups.
const (
	methodGroup  = manual.Method
	machineGroup = manual.Machine
	waitsGroup   = manual.Waits
	resultGroup  = manual.Results
	figureGroup  = manual.Figures
	resumeGroup  = manual.Resuming
	programGroup = manual.Programs
	limitGroup   = manual.Limits
)

// under puts a flag into a group.
func under(group string, f cli.Flag) cli.Flag {
	switch f := f.(type) {
	case *cli.StringFlag:
		f.Category = group
	case *cli.StringSliceFlag:
		f.Category = group
	case *cli.BoolFlag:
		f.Category = group
	case *cli.Uint64Flag:
		f.Category = group
	case *choice:
		f.Category = group
	case *whole:
		f.Category = group
	case *above0:
		f.Category = group
	default:
		panic(fmt.Sprintf("revopt: flag %v cannot be in a group", f.Names()))
	}
	return f
}

// allUnder puts flags into a group.
func allUnder(group string, flags ...cli.Flag) []cli.Flag {
	return text.Each(flags, func(f cli.Flag) cli.Flag { return under(group, f) })
}

// helpCode explains the code that follows the word help, and reports whether there is one.
func (p *program) helpCode() bool {
	if len(p.args) != 2 || p.args[0] != "help" {
		return false
	}
	code, known := answer.Lookup(p.args[1])
	if known {
		p.print(func(w io.Writer) {
			for line := range strings.SplitSeq(code.String(), "\n") {
				text.Print(w, line, 0)
			}
		})
	}
	return known
}

// help describes the command of an invocation, or lists all commands. With all it adds every flag, and describes
// the commands below as well.
func (p *program) help(app *cli.App, v *invocation) {
	if v.command != nil {
		manual.Command(p.stdout, "revopt "+strings.Join(v.names, " "), v.command, v.all)
		return
	}
	manual.App(p.stdout, app, v.all)
}
