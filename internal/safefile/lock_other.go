//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package safefile

import (
	"errors"
	"os"
)

// lockable reports whether files can be locked.
const lockable = false

// safely has no flags on this system: OpenRegular checks for links.
const safely = 0

// planted returns false: files have no owners on this system.
func planted(string, os.FileInfo) bool { return false }

// Ended returns false: this system does not list processes.
func Ended(int) bool { return false }

// Lock returns errors.ErrUnsupported: no lock of this system ends with the process.
func Lock(f *os.File, shared bool) error {
	return &os.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
