package conf

import (
	"fmt"
	"regexp"
)

// NameForm says what a name in Slurm is.
const NameForm = "a name of letters, digits and _-.+@ that does not begin with one of -.+@"

// ValidName reports whether a word can be a name in Slurm. None of its characters has a
// meaning in shells, tables and settings.
func ValidName(word string) bool {
	ok, _ := regexp.MatchString(`^\w[\w.+@-]*$`, word)
	return ok && len(word) < 256
}

// NoName says that Slurm has no account, QOS, user or partition of a name, "" if it may.
func NoName(kind, name string) string {
	if ValidName(name) {
		return ""
	}
	return fmt.Sprintf("Slurm has no %s %q: expected %s", kind, name, NameForm)
}
