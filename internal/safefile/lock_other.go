//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package safefile

import (
	"errors"
	"os"
)

// lockable says that files can be locked.
const lockable = false

// safely has no flags here: OpenRegular looks for links itself.
const safely = 0

// planted reports nothing where files have no owners.
func planted(string, os.FileInfo) bool { return false }

// Ended reports nothing where processes cannot be looked for.
func Ended(int) bool { return false }

// Lock reports that this system has no locks that end with the process.
func Lock(f *os.File, shared bool) error {
	return &os.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
