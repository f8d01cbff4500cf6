package cli

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/plots/answer"
)

// invocation is a command line taken apart.
type invocation struct {
	names    []string       // of the command and its parents
	command  *cli.Command   // nil where none is named
	commands []*cli.Command // those below
	flags    []string       // as name=value
	rest     []string       // arguments that are not flags
	help     bool
	all      bool // help on every flag
}

// line returns the arguments with the flags first, the only order that the parser understands.
func (v *invocation) line() []string {
	return slices.Concat(v.names, v.flags, []string{"--"}, v.rest)
}

// arrange takes a command line apart. The parser stops at the first argument that is not
// a flag, but people write `revopt solve FILE --json`; so arrange finds and checks flags.
func arrange(app *cli.App, args []string) (*invocation, error) {
	v := &invocation{commands: app.Commands, help: len(args) == 0}
	for i := 0; i < len(args); i++ {
		taken, err := 0, error(nil)
		switch arg := args[i]; {
		case arg == "--" && v.leaf():
			v.rest = append(v.rest, args[i+1:]...)
			return v, nil
		case arg == "--help" || arg == "-h" || arg == "help" && i == 0:
			v.help = true
		case arg == "all" && v.help:
			v.all = true
		case i == 0 && (arg == "--version" || arg == "-v"):
			err = v.descend("version")
		case strings.HasPrefix(arg, "-") && arg != "-":
			taken, err = v.flag(arg, args[i+1:])
		case v.leaf():
			v.rest = append(v.rest, arg)
		default:
			err = v.descend(arg)
		}
		if err != nil {
			return nil, err
		}
		i += taken
	}
	if !v.leaf() && !v.help {
		return nil, usagef("%s: expected one of its commands: %s", v.name(), strings.Join(v.known(), ", "))
	}
	return v, nil
}

// leaf reports whether the command is complete.
func (v *invocation) leaf() bool { return v.command != nil && len(v.commands) == 0 }

func (v *invocation) name() string { return strings.Join(v.names, " ") }

// known returns the names of the commands that may follow.
func (v *invocation) known() []string {
	return text.Each(v.commands, func(c *cli.Command) string { return c.Name })
}

// descend takes the next word of the name of the command.
func (v *invocation) descend(word string) error {
	known := v.known()
	if i := slices.Index(known, word); i >= 0 {
		v.command = v.commands[i]
		v.names, v.commands = append(v.names, word), v.command.Subcommands
		return nil
	}
	name := strings.TrimSpace(v.name() + " " + word)
	if err := cmp.Or(gone(removed.Command, name), gone(removed.Code, name)); err != nil {
		return err
	}
	if v.command != nil && text.DidYouMean(word, known) == "" {
		return usagef("%s: expected %s before %s", v.name(), text.OneOf(known), text.ShellWord(word))
	}
	if strings.ToUpper(name) == name { // a code, of help
		known = text.Each(answer.Codes(), func(c answer.Code) string { return c.Name })
	}
	return usagef("unknown command %q%s", name, suggest(word, known, "revopt --help"))
}

// flag takes a flag and its value, and returns how many arguments after it are taken.
func (v *invocation) flag(arg string, after []string) (taken int, err error) {
	if !v.leaf() {
		return 0, usagef("expected a command before %s, see revopt --help", arg)
	}
	given, value, joined := strings.Cut(arg, "=")
	i := slices.IndexFunc(v.command.Flags, func(f cli.Flag) bool { return slices.Contains(dashed(f), given) })
	if i < 0 {
		return 0, cmp.Or(gone(removed.Flag, given, v.name()+" "+given), usagef("%s: unknown flag %s%s", v.name(), given,
			suggest(given, text.Join(v.command.Flags, dashed), "revopt "+v.name()+" --help")))
	}
	f := v.command.Flags[i]
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
		arg = given + "=" + value
		return 0, cmp.Or(gone(removed.Flag, arg, v.name()+" "+arg), usagef("%s: expected %s, got %q", given, want, value))
	}
	v.flags = append(v.flags, given+"="+value)
	return taken, nil
}

// gone returns the error that an earlier version knew one of some names, nil if none did.
func gone(k removed.Kind, names ...string) error {
	if old, found := removed.Find(k, names...); found {
		return usagef("%s", old)
	}
	return nil
}

// dashed returns the ways to write a flag: --name, or -x for a letter.
func dashed(f cli.Flag) []string {
	return text.Each(f.Names(), func(name string) string {
		if len(name) == 1 {
			return "-" + name
		}
		return "--" + name
	})
}

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
