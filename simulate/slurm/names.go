package slurm

import (
	"fmt"
	"regexp"
)

const nameForm = "a name of letters, digits and _-.+@ that does not begin with one of -.+@"

// validName reports whether a word can be a name in Slurm. None of its characters has a
// meaning in shells, tables and settings.
func validName(word string) bool {
	ok, _ := regexp.MatchString(`^\w[\w.+@-]*$`, word)
	return ok && len(word) < 256
}

// noName says that Slurm has no account, QOS, user or partition of a name, "" if it may.
func noName(kind, name string) string {
	if validName(name) {
		return ""
	}
	return fmt.Sprintf("Slurm has no %s %q: expected %s", kind, name, nameForm)
}
