package safefile

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is the error of Lock where another process has locked a file.
var ErrLocked = errors.New("locked")

// OpenRegular opens a regular file of a directory that others may write to. A
// link is not followed: it may have been put there to have another file
// changed. Where everybody can write to the directory, a file of another user is
// refused, root's apart: nobody vouches for it.
func OpenRegular(path string, flag int, perm os.FileMode) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, notRegular(path, info.Mode())
	}
	f, err := os.OpenFile(path, flag|safely, perm)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(path, info.Mode())
	case planted(path, info):
		err = fmt.Errorf("%s: belongs to another user, in a directory that everybody can write to: remove it, or give a directory of your own", path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func notRegular(path string, mode os.FileMode) error {
	if mode&os.ModeSymlink != 0 {
		return fmt.Errorf("%s: is a symbolic link, which is not followed here: remove it", path)
	}
	return fmt.Errorf("%s: is not a regular file: remove it", path)
}
