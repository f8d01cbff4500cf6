package cli

import (
	"embed"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/paper"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// completeWord is the command that shells ask for completions, with the words up to the cursor as its
// arguments.
const completeWord = "__complete"

// scripts hand the words up to the cursor to completeWord. Where that knows
// nothing, the shell offers files.
//
//go:embed completion.bash completion.zsh completion.fish
var scripts embed.FS

func (p *program) completion(c *cli.Context) error {
	if err := exactly(c, "bash, zsh, fish or man"); err != nil {
		return err
	}
	if c.Args().First() == "man" {
		p.manPage(p.stdout, p.app())
		return nil
	}
	script, err := scripts.ReadFile("completion." + c.Args().First())
	if err != nil {
		return usagef("completion: expected bash, zsh, fish or man, got %q", c.Args().First())
	}
	_, err = p.stdout.Write(script)
	return err
}

// complete prints what the last word may become, one candidate a line.
func (p *program) complete(app *cli.App, words []string) error {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	for _, candidate := range p.candidates(app, words[:len(words)-1], last) {
		if strings.HasPrefix(candidate, last) {
			fmt.Fprintln(p.stdout, candidate)
		}
	}
	return nil
}

// candidates returns the words that may follow before.
func (p *program) candidates(app *cli.App, before []string, last string) []string {
	v := &invocation{}
	rest := before
	for len(rest) > 0 && !v.leaf() && v.descend(app, rest[0]) == nil {
		rest = rest[1:]
	}
	switch {
	case len(before) > 0 && (before[len(before)-1] == "--help" || before[len(before)-1] == "-h"):
		return []string{helpAll}
	case len(rest) > 0 && !v.leaf():
		return nil
	case !v.leaf():
		return append(commandNames(v.commands(app)), "--help")
	case len(rest) > 0 && takesValue(lookup(v.command.Flags, rest[len(rest)-1])):
		return p.valuesOf(lookup(v.command.Flags, rest[len(rest)-1]))
	case strings.HasPrefix(last, "-"):
		return append(flagNames(visible(v.command.Flags)), "--help")
	}
	return argumentsOf(strings.Join(v.names, " "))
}

// takesValue reports whether the word after a flag belongs to it.
func takesValue(f cli.Flag) bool {
	_, isBool := f.(*cli.BoolFlag)
	return f != nil && !isBool
}

// valuesOf returns the values of a flag where there are few.
func (p *program) valuesOf(f cli.Flag) []string {
	if c, ok := f.(*choice); ok {
		return c.values
	}
	switch f.Names()[0] {
	case "lesson":
		return []string{"1", "2", "3", "4", "5", "6", "7"}
	case "format":
		return []string{"png", "svg", "pdf", "csv"}
	case "policy":
		return text.Each(p.specs, func(s policy.Spec) string { return s.Name })
	case "objective":
		return scenario.Objectives()
	case "x":
		return []string{"load", "policy", "class", "admission", "name", "value"}
	case "admission":
		return study.AdmissionNames()
	case "metric", "y":
		return metric.Names(metric.Measures())
	}
	return nil
}

// argumentsOf returns the arguments of a command that have names.
func argumentsOf(command string) []string {
	switch command {
	case "solve", "curve", "wait", "simulate", "validate", "whatif", "tune", "quote", "explore", "serve",
		"scenario show", "trace generate", "export slurm", "export steer":
		return text.Each(scenario.Builtins(), func(i scenario.Info) string { return i.Name })
	case "figure":
		return append([]string{"list", "all"}, recipeIDs(paper.Recipes())...)
	case "init", "trace info", "trace clean", "trace fit":
		return model.Generators()
	case "completion":
		return []string{"bash", "zsh", "fish", "man"}
	}
	return nil
}

// roff escapes the characters that mean something to the formatter.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// manPage prints the page of section 1 of the manual: the help of all commands.
func (p *program) manPage(w io.Writer, app *cli.App) {
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
	for line := range strings.Lines(p.section("exit status").text) {
		code, words, _ := strings.Cut(line, " ")
		say(".TP\n.B", code)
		say("", words)
	}
}
