// Release completes a directory with programs that are given away: the licenses of all that is linked into them, and
// checksums.
//
//	go run ./internal/release DIR PROGRAM...
//
// Programs are named as files of DIR. The licenses are those of the module cache and of the Go installation.
package main
