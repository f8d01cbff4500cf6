package cli

import (
	"bytes"
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"
)

func TestHelp(t *testing.T) {
	p := newProgram(nil)
	app := p.app()
	bare := must(t)
	for _, c := range app.Commands {
		if !strings.Contains(bare, "\n   "+c.Name+" ") || !strings.Contains(bare, c.Usage) {
			t.Errorf("revopt alone does not mention %s", c.Name)
		}
		checkHelp(t, []string{c.Name}, c)
		for _, sub := range c.Subcommands {
			checkHelp(t, []string{c.Name, sub.Name}, sub)
		}
	}
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}} {
		if got := must(t, args...); got != bare {
			t.Errorf("%v: got %s", args, got)
		}
	}
}

// TestExamples starts every example of every help text that needs no file, and stops
// it soon: it is read, and its scenario is opened with all changes.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	seen := map[string]bool{}
	check := func(command ...string) {
		for line := range strings.Lines(must(t, append(command, "--help")...)) {
			line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "     revopt ")
			if !ok || seen[line] {
				continue
			}
			seen[line] = true
			example, _, _ := strings.Cut(strings.NewReplacer(" |", " >").Replace(line), " > ")
			ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
			var out, errors bytes.Buffer
			code := run(ctx, shellWords(example), nil, &out, &errors)
			late := ctx.Err() != nil
			cancel()
			if code == exitUsage && !late && !strings.Contains(errors.String(), "no such file") {
				t.Errorf("%s: %s", line, errors.String())
			}
		}
	}
	for _, c := range newProgram(nil).app().Commands {
		check(c.Name)
		for _, sub := range c.Subcommands {
			check(c.Name, sub.Name)
		}
	}
	if len(seen) < 40 {
		t.Errorf("%d examples", len(seen))
	}
}

// flagLine is the line of a flag in a help text.
var flagLine = regexp.MustCompile(`(?m)^   (--[a-z-]+)`)

// flagsShown returns the flags that a help text explains.
func flagsShown(text string) []string {
	var names []string
	_, text, _ = strings.Cut(text, "\nOPTIONS:")
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	slices.Sort(names)
	return names
}

// checkHelp checks that the help of a command says what it does, shows an
// example and explains its flags of every day, that --help all explains every flag once,
// and that every way to ask for help works.
func checkHelp(t *testing.T, command []string, c *cli.Command) {
	t.Helper()
	text := must(t, append(slices.Clone(command), "--help")...)
	all := must(t, append(slices.Clone(command), "--help", "all")...)
	if got := must(t, slices.Concat([]string{"help"}, command, []string{"all"})...); got != all {
		t.Errorf("help %v all: got %s", command, got)
	}
	for _, want := range []string{c.Usage, "Example", "     revopt " + strings.Join(command, " ")} {
		if !strings.Contains(text, want) || !strings.Contains(all, want) {
			t.Errorf("help of %v does not mention %s", command, want)
		}
	}
	shown := flagsShown(text)
	if len(shown) > 15 || len(shown) > 1 && len(shown) < 4 && len(c.Flags) > 3 {
		t.Errorf("help of %v has %d flags: give those that are not for every day a group of help.go", command, len(shown))
	}
	if len(c.Subcommands) == 0 {
		var want []string
		for _, f := range c.Flags {
			want = append(want, dashed(f)[0])
		}
		slices.Sort(want)
		if got := flagsShown(all); !slices.Equal(got, want) {
			t.Errorf("%v --help all: got %v, want %v", command, got, want)
		}
	}
	for line := range strings.Lines(all) {
		if n := len([]rune(line)); n > 105 {
			t.Errorf("help of %v: %d columns: %s", command, n-1, line)
		}
	}
	for _, args := range [][]string{append(slices.Clone(command), "-h"), append([]string{"help"}, command...),
		append(slices.Clone(command), "extra", "-h")} {
		if len(command) == 1 && args[len(args)-2] == "extra" && slices.Contains([]string{"scenario", "trace", "export",
			"bench"}, command[0]) {
			continue // the extra word would have to be a command
		}
		if got := must(t, args...); got != text {
			t.Errorf("%v: got %s", args, got)
		}
	}
}
