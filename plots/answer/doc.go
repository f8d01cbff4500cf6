// Package answer is what a question comes to, as data, and the ways to show it.
//
//	question -> Answer -> text, CSV, JSON, HTML
//
// An [Answer] has one headline, tables of typed columns, and warnings (answer.go). A [Value] is a word, a yes or no,
// or a number with its unit and its interval. A headline or a warning is a [Fact]: a code with named values. The list
// of all codes, with the sentence, the cause and the remedy of each, is in codes.go; sentence.go fills sentences in.
// warning.go makes facts of the warnings of other packages.
//
// The same answer is rendered for a terminal (text.go), as one table for a spreadsheet (csv.go), for programs (json.go)
// and as a page (html.go). format.go writes numbers for people.
package answer
