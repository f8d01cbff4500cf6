package cli

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/plots/answer"
)

// helpText says what each command does: below a line "# command: arguments" its usage on
// one line, an empty line, and a description with examples. POLICIES stands for the policies
// by the scheduler that can run them, GENERATORS for the names of the generators of jobs. The
// first section is about the program.
//
//go:embed help.txt
var helpText string

// Groups of flags, in the order of the alphabet. The help of a command with more than mostFlags flags has only those for
// every day.
const (
	dailyGroup   = "Every day"
	methodGroup  = "Method"
	waitsGroup   = "Waits (--waits)"
	resultGroup  = "Results and files"
	figureGroup  = "Figures"
	resumeGroup  = "Interruptions and clusters"
	programGroup = "Policies that are programs"
	limitGroup   = "Limits"

	mostFlags = 15
)

// describe gives a command, and those below it, the texts of help.txt. The help and the man page show UsageText as it is.
func (p *program) describe(name string, c *cli.Command) {
	var words string
	c.ArgsUsage, c.Usage, words = p.section(name)
	c.UsageText = strings.TrimSpace("revopt "+name+" "+c.ArgsUsage) + "\n\n" + words
	for _, f := range c.Flags {
		if groupOf(f) == "" {
			under(dailyGroup, f)
		}
	}
	for _, sub := range c.Subcommands {
		p.describe(name+" "+sub.Name, sub)
	}
}

// section returns the parts of a section of helpText.
func (p *program) section(name string) (arguments, usage, description string) {
	_, section, ok := strings.Cut("\n\n"+helpText, "\n\n# "+name+":")
	if !ok {
		panic("revopt: help.txt has no section " + name)
	}
	section, _, _ = strings.Cut(section, "\n\n# ")
	section = strings.NewReplacer("POLICIES", policiesByScheduler(p.specs),
		"GENERATORS", strings.Join(model.Generators(), " or ")).Replace(section)
	arguments, section, _ = strings.Cut(section, "\n")
	usage, description, _ = strings.Cut(section, "\n\n")
	return strings.TrimSpace(arguments), usage, strings.TrimSpace(description)
}

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

func groupOf(f cli.Flag) string { return f.(cli.CategorizableFlag).GetCategory() }

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

// help describes the command of an invocation, with all its flags or those of every day, or lists all commands.
func (p *program) help(app *cli.App, v *invocation) {
	c := v.command
	if c == nil || !v.leaf() {
		if c != nil { // as a program with the commands below
			app = &cli.App{HelpName: "revopt " + c.Name, Usage: c.Usage, UsageText: c.UsageText, Commands: c.Subcommands,
				HideHelp: true, HideVersion: true}
		}
		app.Setup()
		cli.HelpPrinter(p.stdout, cli.AppHelpTemplate, app)
		return
	}
	c.HelpName = "revopt " + v.name()
	all := len(c.Flags)
	if !v.all && all > mostFlags {
		c.Flags = slices.DeleteFunc(c.Flags, func(f cli.Flag) bool { return groupOf(f) != dailyGroup })
	}
	cli.HelpPrinter(p.stdout, cli.CommandHelpTemplate, c)
	if more := all - len(c.Flags); more > 0 {
		fmt.Fprintf(p.stdout, "%s: %s --help all\n", text.Plural(more, "more flag"), c.HelpName)
	}
}

// Widths of help, in characters.
const (
	helpWidth  = 100
	flagIndent = "      "
)

// init wraps what the help says about a flag.
func init() {
	given := cli.FlagStringer
	cli.FlagStringer = func(f cli.Flag) string {
		names, usage, _ := strings.Cut(given(f), "\t")
		if parts := strings.SplitN(f.(cli.DocGenerationFlag).GetUsage(), "`", 3); len(parts) == 3 {
			usage = strings.TrimPrefix(usage, parts[1]+" ") // the name of the value is behind that of the flag
		}
		for _, none := range []string{" (default: 0)", " (default: false)"} {
			usage = strings.TrimSuffix(usage, none)
		}
		lines := append([]string{names}, text.Wrapped(usage, helpWidth-len(flagIndent))...)
		return strings.Join(lines, "\n"+flagIndent)
	}
}
