// Package quotes writes quotes of starts: quote.Result -> a table, sentences and warnings.
package quotes
