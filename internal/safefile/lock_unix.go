//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockable reports whether files can be locked.
const lockable = true

// safely are flags that keep open from following links and from waiting for pipes.
const safely = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// planted reports whether all users can write to the directory of a file, and the file
// belongs neither to this user nor to root.
func planted(path string, info os.FileInfo) bool {
	dir, err := os.Stat(filepath.Dir(path))
	s, ok := info.Sys().(*syscall.Stat_t)
	return err == nil && ok && dir.Mode().Perm()&0o002 != 0 && s.Uid != 0 && int(s.Uid) != os.Geteuid()
}

// Ended reports whether no process of this machine has the number pid.
func Ended(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// Lock locks a file for this process, or shared with others, until it is closed or the process dies. It
// returns ErrLocked if another process has the lock.
func Lock(f *os.File, shared bool) error {
	how := syscall.LOCK_EX
	if shared {
		how = syscall.LOCK_SH
	}
	err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrLocked
	case err != nil:
		return &os.PathError{Op: "lock", Path: f.Name(), Err: err}
	}
	return nil
}
