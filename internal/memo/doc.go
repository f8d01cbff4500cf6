// Package memo keeps values that are computed once for each key. Goroutines may share them.
package memo
