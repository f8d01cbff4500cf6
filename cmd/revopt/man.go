package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// roff escapes the characters that mean something to the formatter, also where a
// line begins with them.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// manPage prints the page of section 1 of the manual: the help of all commands.
func manPage(w io.Writer, app *cli.App) {
	say := func(macro, text string) {
		if macro != "" {
			fmt.Fprintln(w, macro)
		}
		if text = roff.Replace("\n" + strings.TrimSpace(text))[1:]; text != "" {
			fmt.Fprintln(w, text)
		}
	}
	verbatim := func(text string) {
		say(".PP\n.nf", text)
		fmt.Fprintln(w, ".fi")
	}
	fmt.Fprintf(w, ".TH REVOPT 1 \"\" \"revopt %s\" \"User Commands\"\n", roff.Replace(build().Version))
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
	for line := range strings.Lines(section("exit status").text) {
		code, words, _ := strings.Cut(line, " ")
		say(".TP\n.B", code)
		say("", words)
	}
}
