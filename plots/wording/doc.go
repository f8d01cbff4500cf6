// Package wording has what all reports share: formats of estimates, sentences of warnings, the interface
// [View] of a result, and the one writer of CSV.
//
//	warning.go  warnings -> sentences
//	format.go   numbers and intervals -> cells of tables
//	view.go     View: JSON, table, CSV and provenance of a result
//	axis.go     axes and points of figures; not compiled for pages
package wording
