// Package policy holds the scheduling policies, one per file, and the table of
// their names.
//
// A policy that a file adds is known to scenarios and commands through its
// line in [Table].
package policy
