package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Guard protects files from an output. Its zero value is for a path that the user
// named: a symbolic link is followed, and a pipe or a device is written directly.
type Guard struct {
	// Inputs are files that are read. An output that is one of them, under any name,
	// is refused.
	Inputs []string
	// Inside marks a path in a directory of results, to which other users may write: a
	// link is replaced and not followed, and only regular files and links are accepted.
	Inside bool
}

// RefusedError is the error for a path that must not be written.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return e.Path + ": " + e.Why }

// Write is Guard.Write for a path that the user named, without inputs.
func Write(path string, write func(io.Writer) error) error { return Guard{}.Write(path, write) }

// Write writes the file at path and creates the directories above it: write fills a
// temporary file beside it, which is synced and then renamed. The file keeps the mode
// of an existing one; the mode of a new file follows the user's mask. Errors name path.
func (g Guard) Write(path string, write func(io.Writer) error) error {
	at, err := g.place(path)
	switch {
	case err != nil:
	case at.through:
		err = writeThrough(at.path, write)
	default:
		err = at.writeBeside(write)
	}
	return named(path, err)
}

// Check returns the error that Write would return. It leaves no files behind.
func (g Guard) Check(path string) error {
	at, err := g.place(path)
	if err != nil || at.through {
		return named(path, err)
	}
	dir := filepath.Dir(at.path)
	for _, below := range missing(dir) {
		dir = filepath.Dir(below) // Write makes the directories below it
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return &RefusedError{path, dir + " is not a directory"}
	}
	removeStale(dir, filepath.Base(at.path))
	f, err := createTemp(dir, filepath.Base(at.path), 0o600)
	if err == nil {
		err = f.Close()
		removed := os.Remove(f.Name())
		if !errors.Is(removed, fs.ErrNotExist) { // another process may have removed it as stale
			err = errors.Join(err, removed)
		}
	}
	return named(path, err)
}

// missing returns the directories that MkdirAll makes, the lowest first.
func missing(dir string) (list []string) {
	for {
		_, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return list
		}
		list = append(list, dir)
		dir = filepath.Dir(dir)
	}
}

// place is the destination of an output.
type place struct {
	path    string
	mode    os.FileMode // of the existing file
	exists  bool
	through bool // it is a pipe or a device
}

// place follows a path as far as the guard allows and inspects its target.
func (g Guard) place(path string) (place, error) {
	at := place{path: path}
	look := os.Lstat
	if !g.Inside {
		look = os.Stat
		if target, err := filepath.EvalSymlinks(path); err == nil {
			at.path = target
		} else if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at, &RefusedError{path, "is a symbolic link that leads nowhere"}
		}
	}
	info, err := look(at.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return at, nil
	case err != nil:
		return at, err
	case info.IsDir():
		return at, &RefusedError{path, "is a directory"}
	}
	for _, input := range g.Inputs {
		if same, err := os.Stat(input); err == nil && os.SameFile(info, same) {
			return at, &RefusedError{path, "is also an input, " + input + ", which would be overwritten"}
		}
	}
	switch {
	case info.Mode().IsRegular():
		at.exists, at.mode = true, info.Mode().Perm()
		if !g.Inside {
			return at, writable(at.path)
		}
	case g.Inside && info.Mode()&fs.ModeSymlink == 0:
		return at, &RefusedError{path, "is not a regular file"}
	default:
		at.through = !g.Inside
	}
	return at, nil
}

// writable returns an error if an existing file is protected.
func writable(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// writeThrough writes to something that is not a regular file.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// sync writes a file through to the disk. Tests watch it.
var sync = (*os.File).Sync

// writeBeside writes a temporary file and renames it.
func (at place) writeBeside(write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(at.path)
	dir = filepath.Clean(dir)
	made := missing(dir)
	defer func() {
		for i := 0; err != nil && i < len(made); i++ {
			os.Remove(made[i]) // unless it holds something
		}
	}()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	removeStale(dir, base)
	mode := os.FileMode(0o666)
	if at.exists {
		mode = 0o600 // until it gets the mode of the file
	}
	f, err := createTemp(dir, base, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name()) // the first error is returned
		}
	}()
	if at.exists {
		if err := f.Chmod(at.mode); err != nil {
			return err
		}
	}
	if err := errors.Join(write(f), sync(f)); err != nil {
		return err
	}
	if !lockable {
		f.Close() // an open file cannot be renamed there
	}
	// The file is still locked, so that no other process removes it as stale.
	if err := os.Rename(f.Name(), at.path); err != nil {
		return err
	}
	f.Close()
	return nil
}

// The name of a temporary file is a dot, the name of its target, this mark and eight
// hexadecimal digits.
const mark = ".revopt-"

// staleAfter is the age of a stale temporary file on systems without locks.
const staleAfter = time.Hour

// createTemp creates a temporary file for a target. The file is locked while the
// process uses it; the lock ends with the process.
func createTemp(dir, base string, mode os.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".%s%s%08x", base, mark, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		switch {
		case errors.Is(err, fs.ErrExist):
			continue
		case err != nil:
			return nil, err
		}
		// Another process may just have removed it as stale.
		locked := Lock(f, false)
		open, err1 := f.Stat()
		named, err2 := os.Lstat(name)
		if !errors.Is(locked, ErrLocked) && err1 == nil && err2 == nil && os.SameFile(open, named) {
			return f, nil
		}
		f.Close()
	}
}

// removeStale removes temporary files of a target that a killed process left. It
// ignores errors: the next call tries again.
func removeStale(dir, base string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "."+base+mark)
		if !ok || len(digits) != 8 || strings.Trim(digits, "0123456789abcdef") != "" {
			continue
		}
		path := filepath.Join(dir, e.Name())
		f, err := OpenRegular(path, os.O_RDWR, 0)
		if err != nil {
			continue
		}
		locked := Lock(f, false)
		info, err := f.Stat()
		old := err == nil && !errors.Is(locked, ErrLocked) && time.Since(info.ModTime()) > staleAfter
		if err == nil && locked == nil || old {
			os.Remove(path)
		}
		f.Close()
	}
}

// named replaces the path of an error by the path that the user gave.
func named(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", path, p.Err)
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return fmt.Errorf("%s: %w", path, l.Err)
	}
	return err
}
