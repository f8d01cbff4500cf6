// Package safefile writes output files. A file appears complete or not at all,
// keeps its mode, and never takes the place of an input, of a directory or of a
// device.
//
// safefile.go writes a file beside its place, then renames it; lock.go and lock_*.go lock files that several processes
// use.
package safefile
