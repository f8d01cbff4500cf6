package manual

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
)

// Groups of flags that are not for every day. The help of a command shows the flags without a group, if it has more
// than everydayFlags, and --help all shows the others by group.
const (
	Method   = "Method"
	Machine  = "Machine of the log"
	Waits    = "Waits (--waits)"
	Results  = "Results and files"
	Figures  = "Figures"
	Resuming = "Interruptions and clusters"
	Programs = "Policies that are programs"
	Limits   = "Limits"
)

// Groups returns the groups of flags in the order of help.
func Groups() []string {
	return []string{Method, Machine, Waits, Results, Figures, Resuming, Programs, Limits}
}

// everydayFlags is the largest number of flags in the help of a command, --help among them.
const everydayFlags = 15

// groupOf returns the group of a flag, "" for one of every day.
func groupOf(f cli.Flag) string {
	if c, ok := f.(cli.CategorizableFlag); ok {
		return c.GetCategory()
	}
	return ""
}

// everyday returns the flags that the help of a command shows: all of them where they are few.
func everyday(flags []cli.Flag) []cli.Flag {
	shown := Visible(flags)
	if len(shown) < everydayFlags {
		return shown
	}
	return text.Where(shown, func(f cli.Flag) bool { return groupOf(f) == "" })
}

// App lists the commands of a program. With all it describes each of them with all its flags.
func App(w io.Writer, app *cli.App, all bool) {
	fmt.Fprintf(w, "revopt: %s\n\nUsage: revopt COMMAND [flags] [arguments]\n\nCommands:\n", app.Usage)
	printCommands(w, app.Commands)
	fmt.Fprintf(w, "\n%s\n", app.Description)
	if all {
		below(w, "revopt", app.Commands)
	}
}

// below describes commands with all their flags.
func below(w io.Writer, parent string, commands []*cli.Command) {
	for _, c := range commands {
		fmt.Fprint(w, "\n")
		Command(w, parent+" "+c.Name, c, true)
	}
}

// Command describes a command of a full name. With all it has every flag, and the commands below it.
func Command(w io.Writer, name string, c *cli.Command, all bool) {
	fmt.Fprintf(w, "%s: %s\n\nUsage: %s\n", name, c.Usage, strings.TrimSpace(name+" "+c.ArgsUsage))
	if c.Description != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(c.Description))
	}
	switch few := everyday(c.Flags); {
	case len(c.Subcommands) > 0:
		fmt.Fprint(w, "\nCommands:\n")
		printCommands(w, c.Subcommands)
		if all {
			below(w, name, c.Subcommands)
		}
	case all:
		printGroups(w, c.Flags)
	default:
		fmt.Fprint(w, "\nFlags:\n")
		printFlags(w, few, true)
		if more := len(Visible(c.Flags)) - len(few); more > 0 {
			fmt.Fprintf(w, "\n%s: %s --help all\n", text.Plural(more, "more flag"), name)
		}
	}
}

// printGroups prints all flags of a command: those of every day, then each group.
func printGroups(w io.Writer, flags []cli.Flag) {
	for _, group := range append([]string{""}, Groups()...) {
		members := text.Where(Visible(flags), func(f cli.Flag) bool { return groupOf(f) == group })
		switch {
		case group == "":
			fmt.Fprint(w, "\nFlags:\n")
			printFlags(w, members, true)
		case len(members) > 0:
			fmt.Fprintf(w, "\n%s:\n", group)
			printFlags(w, members, false)
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

// Dashed returns the ways to write a flag: --name, or -x for a letter.
func Dashed(f cli.Flag) []string {
	var list []string
	for i, name := range f.Names() {
		if i > 0 && len(name) == 1 {
			list = append(list, "-"+name)
		} else {
			list = append(list, "--"+name)
		}
	}
	return list
}

// Visible returns the flags that help shows.
func Visible(flags []cli.Flag) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(flags), func(f cli.Flag) bool {
		v, ok := f.(cli.VisibleFlag)
		return ok && !v.IsVisible()
	})
}

func flagRows(flags []cli.Flag) [][]string {
	var rows [][]string
	for _, f := range Visible(flags) {
		doc, ok := f.(cli.DocGenerationFlag)
		if !ok {
			panic(fmt.Sprintf("revopt: flag %v is not documented", f.Names()))
		}
		value, usage := valueName(doc.GetUsage())
		names := strings.Join(Dashed(f), ", ")
		if value != "" {
			names += " " + value
		}
		preset := doc.GetValue()
		if f, ok := f.(interface{ Default() string }); ok {
			preset = cmp.Or(f.Default(), preset)
		}
		if doc.TakesValue() && preset != "" && preset != "0" { // 0 stands for something else
			usage += " (default " + preset + ")"
		}
		rows = append(rows, []string{names, usage})
	}
	return rows
}

// valueName splits the text of a flag into the name of its value, which is first and in
// back quotes, and the rest.
func valueName(usage string) (name, rest string) {
	if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
		return parts[1], strings.TrimSpace(parts[2])
	}
	return "", usage
}
