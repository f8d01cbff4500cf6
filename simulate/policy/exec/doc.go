// Package exec lets programs in any language decide, by messages on their standard input and output.
//
// The flow: exec.go greets a program, sends what has happened and does what its replies say; suspend.go stops the
// running jobs that a reply lists.
package exec
