//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package sweep

import (
	"errors"
	"os"
)

// lockFile reports that this system has no locks that end with the process.
func lockFile(path string, shared bool) (*os.File, error) {
	return nil, &os.PathError{Op: "lock", Path: path, Err: errors.ErrUnsupported}
}
