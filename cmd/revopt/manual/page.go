package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// roff escapes the characters that mean something to the formatter.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// Page prints the page of section 1 of the manual: the help of all commands, and exits,
// a line for each exit code.
func Page(w io.Writer, app *cli.App, version, exits string) {
	say := func(macro, words string) {
		if macro != "" {
			fmt.Fprintln(w, macro)
		}
		escaped := roff.Replace("\n" + strings.TrimSpace(words))[1:]
		if escaped != "" {
			fmt.Fprintln(w, escaped)
		}
	}
	verbatim := func(words string) {
		say(".PP\n.nf", words)
		fmt.Fprintln(w, ".fi")
	}
	fmt.Fprintf(w, ".TH REVOPT 1 \"\" \"revopt %s\" \"User Commands\"\n", roff.Replace(version))
	say(".SH NAME", "revopt - "+app.Usage)
	say(".SH SYNOPSIS\n.B revopt", "COMMAND [flags] [arguments]")
	say(".SH DESCRIPTION", "")
	verbatim(app.Description)
	fmt.Fprintln(w, ".SH COMMANDS")
	var describe func(parent string, commands []*cli.Command)
	describe = func(parent string, commands []*cli.Command) {
		for _, c := range commands {
			name := parent + " " + c.Name
			say(".SS", name+" "+c.ArgsUsage)
			say("", c.Usage)
			if c.Description != "" {
				verbatim(c.Description)
			}
			for _, row := range flagRows(c.Flags) {
				say(".TP", row[0])
				say("", row[1])
			}
			describe(name, c.Subcommands)
		}
	}
	describe("revopt", app.Commands)
	fmt.Fprintln(w, ".SH EXIT STATUS")
	for line := range strings.Lines(exits) {
		code, words, _ := strings.Cut(line, " ")
		say(".TP\n.B", code)
		say("", words)
	}
}
