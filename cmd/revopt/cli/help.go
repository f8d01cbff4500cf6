package cli

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
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

// Groups of flags that are not for every day. The help of a command shows the flags without a group, if it has more
// than everydayFlags, and --help all shows the others by group.
const (
	methodGroup  = "Method"
	machineGroup = "Machine of the log"
	resultGroup  = "Results and files"
	figureGroup  = "Figures"
	resumeGroup  = "Interruptions and clusters"
	programGroup = "Policies that are programs"
	limitGroup   = "Limits"
)

// groups returns the groups of flags in the order of help.
func groups() []string {
	return []string{methodGroup, machineGroup, resultGroup, figureGroup, resumeGroup, programGroup, limitGroup}
}

// everydayFlags is the largest number of flags in the help of a command, --help among them.
const everydayFlags = 15

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

// groupOf returns the group of a flag, "" for one of every day.
func groupOf(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok {
		return c.GetCategory()
	}
	return ""
}

// everyday returns the flags that the help of a command shows: all of them where they are few.
func everyday(flags []cli.Flag) []cli.Flag {
	shown := visible(flags)
	if len(shown) < everydayFlags {
		return shown
	}
	return text.Where(shown, func(f cli.Flag) bool { return groupOf(f) == "" })
}

// help describes the command of an invocation, or lists all commands. With all it adds every flag, and describes
// the commands below as well.
func (p *program) help(app *cli.App, v *invocation) {
	if v.command != nil {
		p.helpCommand("revopt "+strings.Join(v.names, " "), v.command, v.all)
		return
	}
	fmt.Fprintf(p.stdout, "revopt: %s\n\nUsage: revopt COMMAND [flags] [arguments]\n\nCommands:\n", app.Usage)
	printCommands(p.stdout, app.Commands)
	fmt.Fprintf(p.stdout, "\n%s\n", app.Description)
	if v.all {
		p.helpBelow("revopt", app.Commands)
	}
}

// helpBelow describes commands with all their flags.
func (p *program) helpBelow(parent string, commands []*cli.Command) {
	for _, c := range commands {
		fmt.Fprint(p.stdout, "\n")
		p.helpCommand(parent+" "+c.Name, c, true)
	}
}

// helpCommand describes a command of a full name.
func (p *program) helpCommand(name string, c *cli.Command, all bool) {
	fmt.Fprintf(p.stdout, "%s: %s\n\nUsage: %s\n", name, c.Usage, strings.TrimSpace(name+" "+c.ArgsUsage))
	if c.Description != "" {
		fmt.Fprintf(p.stdout, "\n%s\n", strings.TrimSpace(c.Description))
	}
	switch few := everyday(c.Flags); {
	case len(c.Subcommands) > 0:
		fmt.Fprint(p.stdout, "\nCommands:\n")
		printCommands(p.stdout, c.Subcommands)
		if all {
			p.helpBelow(name, c.Subcommands)
		}
	case all:
		p.printGroups(c.Flags)
	default:
		fmt.Fprint(p.stdout, "\nFlags:\n")
		printFlags(p.stdout, few, true)
		if more := len(visible(c.Flags)) - len(few); more > 0 {
			fmt.Fprintf(p.stdout, "\n%s: %s --help all\n", text.Plural(more, "more flag"), name)
		}
	}
}

// printGroups prints all flags of a command: those of every day, then each group.
func (p *program) printGroups(flags []cli.Flag) {
	for _, group := range append([]string{""}, groups()...) {
		members := text.Where(visible(flags), func(f cli.Flag) bool { return groupOf(f) == group })
		switch {
		case group == "":
			fmt.Fprint(p.stdout, "\nFlags:\n")
			printFlags(p.stdout, members, true)
		case len(members) > 0:
			fmt.Fprintf(p.stdout, "\n%s:\n", group)
			printFlags(p.stdout, members, false)
		}
	}
}

func printCommands(w io.Writer, commands []*cli.Command) {
	row := func(c *cli.Command) []string { return []string{"  " + c.Name, c.Usage} }
	text.NewList(text.Each(commands, row)).Print(w)
}

// helpWidth is the largest width of a help text, in characters.
const helpWidth = 100

// printFlags prints flags and their texts, which are wrapped, and at the end --help where it is wanted.
func printFlags(w io.Writer, flags []cli.Flag, help bool) {
	list := flagRows(flags)
	if help {
		list = append(list, []string{"--help, -h", "print this help; --help all: every flag, in groups"})
	}
	left := 0
	for _, row := range list {
		left = max(left, len(row[0]))
	}
	var rows [][]string
	for _, row := range list {
		names := "  " + row[0]
		for _, line := range text.Wrapped(row[1], helpWidth-left-4) {
			rows = append(rows, []string{names, line})
			names = ""
		}
	}
	text.NewList(rows).Print(w)
}
