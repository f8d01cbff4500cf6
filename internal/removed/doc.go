// Package removed has the names that earlier versions knew, so that an error can say of an old file or
// command that a name was removed, and when.
package removed
