// Package text formats numbers, lines and tables for people, and cells of CSV
// files for spreadsheets.
//
//	text.go        lines, tables, words
//	number.go      numbers
//	suggest.go     lists in messages, and the word that was meant
//	provenance.go  where the numbers of a file come from
//	list.go        lists: map, sum, count
package text
