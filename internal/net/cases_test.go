//go:build net

package net

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A request is a line of cases.txt.
type request struct {
	name string
	line string // its steps, joined by " && "; the last one prints the numbers
}

// list matches the name of a list in the name of a case.
var list = regexp.MustCompile(`@\w+`)

// readCases returns the requests of cases.txt. A case that names a list stands for one case for each of its words.
func readCases() ([]request, error) {
	text, err := os.ReadFile("testdata/cases.txt")
	if err != nil {
		return nil, err
	}
	lists := make(map[string][]string)
	named := strings.NewReplacer(":", "-", "=", "-", "$", "d", "+", "-")
	var cases []request
	for line := range strings.Lines(string(text)) {
		first, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if first == "" || first == "#" {
			continue
		}
		if strings.HasPrefix(first, "@") {
			lists[first] = strings.Fields(rest)
			continue
		}
		name := list.FindString(first)
		if name == "" {
			cases = append(cases, request{first, rest})
			continue
		}
		if len(lists[name]) == 0 {
			return nil, fmt.Errorf("case %s: there is no list %s", first, name)
		}
		for _, word := range lists[name] {
			one := strings.ReplaceAll(first, name, named.Replace(word))
			cases = append(cases, request{one, strings.ReplaceAll(rest, name, word)})
		}
	}
	return cases, nil
}

// steps returns the command lines of a case in words. Words in single quotes may have spaces.
func (r request) steps(out, trace string) [][]string {
	var all [][]string
	for step := range strings.SplitSeq(r.line, " && ") {
		var words []string
		for i, part := range strings.Split(step, "'") {
			part = strings.ReplaceAll(strings.ReplaceAll(part, "$OUT", out), "$SP2", trace)
			if i%2 == 1 {
				words = append(words, part)
			} else {
				words = append(words, strings.Fields(part)...)
			}
		}
		all = append(all, words)
	}
	all[len(all)-1] = complete(all[len(all)-1], out)
	return all
}

// complete adds the flags with which a command writes all its numbers.
func complete(words []string, out string) []string {
	has := make(map[string]bool)
	for _, word := range words {
		has[word] = true
	}
	if words[0] == "figure" {
		return append(words, "-o", out, "--format", "csv")
	}
	if !has["--json"] {
		words = append(words, "--json", "--quiet")
	}
	switch words[0] {
	case "simulate", "validate", "whatif", "tune":
		if !has["--cells"] {
			words = append(words, "--cells", out+"/cells.csv")
		}
	}
	return words
}
