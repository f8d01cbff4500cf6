package cli

import (
	"embed"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/cmd/revopt/manual"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/paper"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
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
		manual.Page(p.stdout, p.app(), build().Version, p.section("exit status").text)
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
		return append(flagNames(manual.Visible(v.command.Flags)), "--help")
	}
	return argumentsOf(v.command)
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
	case "format":
		return []string{"png", "svg", "pdf", "csv"}
	case "policy":
		return text.Each(p.specs, func(s policy.Spec) string { return s.Name })
	case "x":
		return []string{"load", "policy", "customer", "admission", "name", "value"}
	case "admission":
		return ask.AdmissionNames()
	case "metric", "y":
		return text.Each(lab.Measures(), func(m lab.Measure) string { return m.Name })
	}
	return nil
}

// argumentsOf returns the arguments of a command that have names, out of the first words of its description, as in
// "list | all | ID...".
func argumentsOf(c *cli.Command) (names []string) {
	first := strings.FieldsFunc(c.ArgsUsage, func(r rune) bool { return r == '|' || r == ',' })
	for _, part := range first {
		word, _, _ := strings.Cut(strings.Trim(strings.TrimSpace(part), "[]"), " ")
		switch strings.Trim(word, "[]") {
		case "SCENARIO", "BUILTIN":
			names = append(names, text.Each(scenario.Builtins(), func(i scenario.Info) string { return i.Name })...)
		case "ID...":
			names = append(names, recipeIDs(paper.Recipes())...)
		case "LOG", "TRACE":
			names = append(names, model.Generators()...)
		case strings.ToLower(word):
			names = append(names, word)
		}
	}
	return names
}
