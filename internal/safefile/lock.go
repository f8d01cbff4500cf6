package safefile

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked is the error of Lock if another process has locked the file.
var ErrLocked = errors.New("locked")

// OpenRegular opens a regular file of a directory to which other users may write. It
// does not follow a link, which could make the program change another file. If all
// users can write to the directory, it refuses files of other users, except those of
// root.
func OpenRegular(path string, flag int, perm os.FileMode) (*os.File, error) {
	named, missing := os.Lstat(path)
	if safely == 0 && missing == nil && !named.Mode().IsRegular() {
		return nil, notRegular(path, named.Mode())
	}
	f, err := os.OpenFile(path, flag|safely, perm)
	if err != nil && missing == nil && !named.Mode().IsRegular() {
		return nil, notRegular(path, named.Mode())
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = notRegular(path, info.Mode())
	case planted(path, info):
		err = fmt.Errorf("%s: belongs to another user, in a directory that everybody can write to: "+
			"remove it, or give a directory of your own", path)
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
