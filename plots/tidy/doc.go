// Package tidy draws any measure of a saved answer against any of its columns: tidy.go lists the estimates of the answer
// as a long table, chooses rows and columns, and draws; axis.go names the axes.
package tidy
