//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sweep

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes a lock on a file, which it makes if need be: for this process
// alone, or shared with others. The lock ends when the file is closed or the
// process dies. It returns errLocked where another process is in the way.
func lockFile(path string, shared bool) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	err = syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
