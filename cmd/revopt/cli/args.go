package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/cmd/revopt/manual"
	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/plots/answer"
)

// invocation is a command line taken apart.
type invocation struct {
	names   []string     // of the command and its parents
	command *cli.Command // nil where none is named
	flags   []string     // as name=value
	rest    []string     // arguments that are not flags
	help    bool
	all     bool // help on every flag
}

// line returns the arguments with the flags first, the only order that the parser understands.
func (v *invocation) line() []string {
	return slices.Concat(v.names, v.flags, []string{"--"}, v.rest)
}

// arrange takes a command line apart. The parser stops at the first argument that is not
// a flag, but people write `revopt solve FILE --json`; so arrange finds and checks flags.
func arrange(app *cli.App, args []string) (*invocation, error) {
	v := &invocation{help: len(args) == 0}
	args = words(args)
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--" && v.leaf():
			v.rest = append(v.rest, args[i+1:]...)
			return v, nil
		case arg == "--help" || arg == "-h":
			v.help = true
			if i+1 < len(args) && args[i+1] == helpAll {
				v.all = true
				i++
			}
		case strings.HasPrefix(arg, "-") && arg != "-":
			taken, err := v.flag(arg, args[i+1:])
			if err != nil {
				return nil, err
			}
			i += taken
		case v.leaf():
			v.rest = append(v.rest, arg)
		default:
			if err := v.descend(app, arg); err != nil {
				return nil, err
			}
		}
	}
	if !v.leaf() && !v.help {
		return nil, usagef("%s: expected one of its commands: %s", strings.Join(v.names, " "),
			strings.Join(commandNames(v.commands(app)), ", "))
	}
	return v, nil
}

// helpAll after --help asks for every flag.
const helpAll = "all"

// words rewrites `help COMMAND` and `--version`.
func words(args []string) []string {
	switch {
	case len(args) == 0:
	case args[0] == "help":
		names, all := args[1:], []string{"--help"}
		if n := len(names); n > 0 && names[n-1] == helpAll {
			names, all = names[:n-1], []string{"--help", helpAll}
		}
		return slices.Concat(names, all)
	case args[0] == "--version" || args[0] == "-v":
		return append([]string{"version"}, args[1:]...)
	}
	return args
}

// leaf reports whether the command is complete.
func (v *invocation) leaf() bool {
	return v.command != nil && len(v.command.Subcommands) == 0
}

func (v *invocation) commands(app *cli.App) []*cli.Command {
	if v.command != nil {
		return v.command.Subcommands
	}
	return app.Commands
}

func commandNames(commands []*cli.Command) []string {
	return text.Each(commands, func(c *cli.Command) string { return c.Name })
}

func (v *invocation) descend(app *cli.App, name string) error {
	commands := v.commands(app)
	names := commandNames(commands)
	i := slices.Index(names, name)
	known := names
	if strings.ToUpper(name) == name && v.command == nil { // a code, of help
		known = text.Each(answer.Codes(), func(c answer.Code) string { return c.Name })
	}
	full := strings.Join(append(slices.Clip(v.names), name), " ")
	old, gone := removed.Find(removed.Command, full)
	if v.command == nil && !gone {
		old, gone = removed.Find(removed.Code, name)
	}
	switch {
	case i >= 0:
	case gone:
		return usagef("%s", old)
	case v.command != nil && text.DidYouMean(name, names) == "":
		return usagef("%s: expected %s before %s%s", v.command.Name, text.OneOf(names), text.ShellWord(name),
			v.example(name))
	default:
		return usagef("unknown command %q%s", full, suggest(name, known, "revopt --help"))
	}
	v.names, v.command = append(v.names, name), commands[i]
	return nil
}

// example shows the first command below that takes an argument, with this one.
func (v *invocation) example(argument string) string {
	for _, c := range v.command.Subcommands {
		if c.ArgsUsage != "" && !strings.HasPrefix(c.ArgsUsage, "[") {
			return fmt.Sprintf(", as in revopt %s %s %s", strings.Join(v.names, " "), c.Name, text.ShellWord(argument))
		}
	}
	return ""
}

// flag takes a flag and its value, and returns how many arguments after it are taken.
func (v *invocation) flag(arg string, after []string) (taken int, err error) {
	if !v.leaf() {
		return 0, usagef("expected a command before %s, see revopt --help", arg)
	}
	given, value, joined := strings.Cut(arg, "=")
	f := lookup(v.command.Flags, given)
	command := strings.Join(v.names, " ") + " "
	if old, gone := removed.Find(removed.Flag, given, command+given); gone && f == nil {
		return 0, usagef("%s", old)
	}
	if f == nil {
		help := "revopt " + strings.Join(v.names, " ") + " --help"
		return 0, usagef("%s: unknown flag %s%s", strings.Join(v.names, " "), given,
			suggest(given, flagNames(v.command.Flags), help))
	}
	for _, earlier := range v.flags {
		other, _, _ := strings.Cut(earlier, "=")
		if other != given && slices.Contains(manual.Dashed(f), other) {
			return 0, usagef("%s and %s: expected one of them, as they are one flag", other, given)
		}
	}
	if _, isBool := f.(*cli.BoolFlag); isBool && !joined {
		v.flags = append(v.flags, given)
		return 0, nil
	}
	if !joined {
		if len(after) == 0 {
			return 0, usagef("%s: expected a value, got nothing", given)
		}
		value, taken = after[0], 1
	}
	if want := expected(f, value); want != "" {
		if old, gone := removed.Find(removed.Flag, given+"="+value, command+given+"="+value); gone {
			return 0, usagef("%s", old)
		}
		return 0, usagef("%s: expected %s, got %q", given, want, value)
	}
	v.flags = append(v.flags, given+"="+value)
	return taken, nil
}

// lookup returns the flag written as -x or --name, or nil.
func lookup(flags []cli.Flag, given string) cli.Flag {
	for _, f := range flags {
		if slices.Contains(manual.Dashed(f), given) {
			return f
		}
	}
	return nil
}

func flagNames(flags []cli.Flag) []string { return text.Join(flags, manual.Dashed) }

// expected describes the values of a flag if the value is not one of them, else "".
func expected(f cli.Flag, value string) string {
	switch f := f.(type) {
	case *choice:
		if value != f.Value && !slices.Contains(f.values, value) {
			return text.OneOf(f.values)
		}
	case *cli.BoolFlag:
		if _, err := strconv.ParseBool(value); err != nil {
			return "true or false"
		}
	case *cli.Uint64Flag:
		if _, err := strconv.ParseUint(value, 10, 64); err != nil {
			return "a whole number of at least 0"
		}
	case *whole:
		switch n, err := strconv.Atoi(value); {
		case err == nil && n >= f.least && n <= f.most:
		case f.most == math.MaxInt:
			return fmt.Sprintf("a whole number of at least %d", f.least)
		default:
			return fmt.Sprintf("a whole number from %d to %d", f.least, f.most)
		}
	case *above0:
		switch x, err := strconv.ParseFloat(value, 64); {
		case err == nil && x > 0 && x < f.below:
		case math.IsInf(f.below, 1):
			return "a number above 0"
		default:
			return fmt.Sprintf("a number above 0 and below %g", f.below)
		}
	}
	return ""
}

// suggest returns the known word nearest to a misspelled one, or where to look.
func suggest(word string, known []string, help string) string {
	if near := text.DidYouMean(word, known); near != "" {
		return near
	}
	return ", see " + help
}

// commandName returns the name of the command that runs, with its parents'.
func commandName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
}

// firstSet returns the first of some flags that is given, "" if none is.
func firstSet(c *cli.Context, flags ...string) string {
	for _, flag := range flags {
		if c.IsSet(flag) {
			return flag
		}
	}
	return ""
}

// exactly checks the number of arguments; names are those the help shows.
func exactly(c *cli.Context, names ...string) error {
	switch got := c.Args().Len(); {
	case got < len(names):
		return usagef("%s: expected %s", commandName(c), strings.Join(names[got:], " "))
	case got > len(names):
		return usagef("%s: unexpected argument %q", commandName(c), c.Args().Get(len(names)))
	}
	return nil
}
