// Package removed has the names that earlier versions knew, so that an error can say of an old command, flag
// or file that a name was removed, in which version, and what to use instead.
package removed
