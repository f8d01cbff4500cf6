//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package cells

import (
	"errors"
	"os"
)

// safely has no flags here: openRegular looks for links itself.
const safely = 0

// flock reports that this system has no locks that end with the process.
func flock(f *os.File, shared bool) error {
	return &os.PathError{Op: "lock", Path: f.Name(), Err: errors.ErrUnsupported}
}
