// Package tidy draws tables of estimates as files have them: tidy.go reads a table, chooses its rows and columns, and
// draws a measure against a column.
package tidy
