package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
)

// help prints what a command does, or what commands there are.
func (p *program) help(app *cli.App, v *invocation) error {
	if v.command == nil {
		fmt.Fprintf(p.stdout, "revopt: %s\n\nUsage: revopt COMMAND [flags] [arguments]\n\nCommands:\n", app.Usage)
		printCommands(p.stdout, app.Commands)
		fmt.Fprint(p.stdout, appExample)
		return nil
	}
	name := "revopt " + strings.Join(v.names, " ")
	usage := strings.TrimSpace(name + " " + v.command.ArgsUsage)
	fmt.Fprintf(p.stdout, "%s: %s\n\nUsage: %s\n", name, v.command.Usage, usage)
	if v.command.Description != "" {
		fmt.Fprintf(p.stdout, "\n%s\n", strings.TrimSpace(v.command.Description))
	}
	if !v.leaf() {
		fmt.Fprint(p.stdout, "\nCommands:\n")
		printCommands(p.stdout, v.command.Subcommands)
		return nil
	}
	fmt.Fprint(p.stdout, "\nFlags:\n")
	printFlags(p.stdout, v.command.Flags)
	return nil
}

const appExample = `
A SCENARIO is a YAML file, the name of a built-in one, or - for standard input.

Examples:
  revopt scenario list                  what is built in
  revopt scenario show nist-four        a scenario to start from
  revopt solve nist-four --load 0.6     the admission that earns most
  revopt COMMAND --help                 more about a command
`

func printCommands(w io.Writer, commands []*cli.Command) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range commands {
		fmt.Fprintf(tw, "  %s\t%s\n", c.Name, c.Usage)
	}
	tw.Flush()
}

func printFlags(w io.Writer, flags []cli.Flag) {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range flags {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			panic(fmt.Sprintf("revopt: flag %v is not documented", f.Names()))
		}
		value, usage := valueName(doc.GetUsage())
		names := strings.Join(dashed(f), ", ")
		if value != "" {
			names += " " + value
		}
		if doc.TakesValue() && doc.GetValue() != "" {
			usage += " (default " + doc.GetValue() + ")"
		}
		fmt.Fprintf(tw, "  %s\t%s\n", names, usage)
	}
	fmt.Fprint(tw, "  --help, -h\tprint this\n")
	tw.Flush()
}

// valueName splits a flag's description into the name of its value, which
// stands first and in back quotes, and the rest.
func valueName(usage string) (name, rest string) {
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		return parts[1], strings.TrimSpace(parts[2])
	}
	return "", usage
}
