package scenario

import (
	"embed"
	"slices"
	"strings"
)

//go:embed builtin/*.yaml
var builtins embed.FS

// Info names a built-in scenario and says in one line what it is.
type Info struct {
	Name    string
	Summary string
}

// Builtins returns the built-in scenarios by name.
func Builtins() []Info {
	var list []Info
	for _, name := range builtinNames() {
		list = append(list, Info{Name: name, Summary: summary(builtinSource(name))})
	}
	return list
}

// Builtin returns the built-in scenario of the given name.
func Builtin(name string) (*Document, error) {
	names := builtinNames()
	if !slices.Contains(names, name) {
		return nil, &Error{File: name, Message: "no built-in scenario of that name, there is " + strings.Join(names, ", ") + didYouMean(name, names)}
	}
	return Parse(name, builtinSource(name))
}

func builtinNames() []string {
	entries, err := builtins.ReadDir("builtin")
	if err != nil {
		panic("scenario: " + err.Error())
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".yaml")
	}
	slices.Sort(names)
	return names
}

func builtinSource(name string) []byte {
	data, err := builtins.ReadFile("builtin/" + name + ".yaml")
	if err != nil {
		panic("scenario: " + err.Error())
	}
	return data
}

// summary returns the first line of a built-in, a comment.
func summary(source []byte) string {
	line, _, _ := strings.Cut(string(source), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "#"))
}
