// Release completes a directory with programs that are given away: the licenses of all that is linked into them, a list
// of it as SPDX, and checksums.
//
//	go run ./internal/release -created 2026-11-19T00:00:00Z DIR PROGRAM...
//
// Programs are named as files of DIR. The licenses are those of the module cache and of the Go installation.
package main
