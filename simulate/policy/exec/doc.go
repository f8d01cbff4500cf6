// Package exec lets programs in any language decide, by messages on their standard input and output.
package exec
