//go:build net

package net

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A request is a line of cases.txt: what is run with two builds.
type request struct {
	name string
	old  string // the command line of the first build
	now  string // the command line of this tree
}

// readCases returns the requests of the text of cases.txt, lists expanded.
func readCases(text string) ([]request, error) {
	lists := make(map[string][]string)
	var cases []request
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		switch {
		case len(fields) == 0 || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "@"):
			lists[fields[0]] = fields[1:]
		case fields[0] == "new" && line[0] == ' ' && len(cases) > 0:
			cases[len(cases)-1].now = strings.Join(fields[1:], " ")
		case len(fields) < 2 || line[0] == ' ':
			return nil, fmt.Errorf("line %d: expected a name and a command line, or a new command line, got %q", i+1, line)
		default:
			rest := strings.TrimSpace(strings.TrimPrefix(line, fields[0]))
			cases = append(cases, request{name: fields[0], old: rest, now: rest})
		}
	}
	return expand(cases, lists)
}

// list matches the name of a list in the name of a case.
var list = regexp.MustCompile(`@\w+`)

// expand replaces each case that names a list by one for each word of the list.
func expand(cases []request, lists map[string][]string) ([]request, error) {
	var all []request
	known := make(map[string]bool)
	for _, c := range cases {
		words := []string{""}
		name := list.FindString(c.name)
		if name != "" {
			words = lists[name]
		}
		if len(words) == 0 {
			return nil, fmt.Errorf("case %s: there is no list %s", c.name, name)
		}
		for _, word := range words {
			one := c
			if name != "" {
				one = request{
					name: strings.ReplaceAll(c.name, name, fileName(word)),
					old:  strings.ReplaceAll(c.old, name, word),
					now:  strings.ReplaceAll(c.now, name, word),
				}
			}
			if known[one.name] {
				return nil, fmt.Errorf("two cases are named %s", one.name)
			}
			known[one.name] = true
			all = append(all, one)
		}
	}
	return all, nil
}

// fileName returns a word as a part of the name of a directory.
func fileName(word string) string {
	return strings.NewReplacer(":", "-", "=", "-", "$", "d", "+", "-").Replace(word)
}

// outputs has the flags that make a command write its numbers. A command line that has --json or -o is complete.
var outputs = map[string]string{
	"simulate":     "--json --quiet --cells $OUT/cells.csv",
	"validate":     "--json --quiet --cells $OUT/cells.csv",
	"whatif":       "--json --quiet --cells $OUT/cells.csv",
	"tune":         "--json --quiet --cells $OUT/cells.csv",
	"bench run":    "--json --quiet --cells $OUT/cells.csv",
	"bench list":   "--json",
	"bench check":  "--json",
	"bench verify": "--json --quiet",
	"sweep merge":  "--quiet",
	"sweep":        "-o $OUT/sweep --quiet",
	"figure":       "-o $OUT --format csv",
	"solve":        "--json --quiet",
	"curve":        "--json --quiet",
	"wait":         "--json --quiet",
	"quote":        "--json --quiet",
	"compare":      "--json",
	"show":         "--json",
	"trace info":   "--json",
	"trace fit":    "--json",
	"trace replay": "--json",
}

// steps returns the command lines of a case in words. Steps are joined by && in the file; the last one prints the
// numbers.
func steps(line, out, trace string) [][]string {
	var all [][]string
	parts := strings.Split(line, " && ")
	for i, part := range parts {
		words := split(part)
		if i == len(parts)-1 {
			words = complete(words)
		}
		for j, word := range words {
			word = strings.ReplaceAll(word, "$OUT", out)
			words[j] = strings.ReplaceAll(word, "$SP2", trace)
		}
		all = append(all, words)
	}
	return all
}

// complete adds the flags of outputs to a command line that lacks them.
func complete(words []string) []string {
	for _, word := range words {
		if word == "--json" || word == "-o" {
			return words
		}
	}
	flags, ok := outputs[words[0]+" "+words[min(1, len(words)-1)]]
	if !ok {
		flags = outputs[words[0]]
	}
	return append(words, strings.Fields(flags)...)
}

// split returns the words of a line. Words in single quotes may have spaces.
func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// readFile returns the text of a file of testdata, or nothing if there is none.
func readFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "", nil
	}
	return string(text), err
}
