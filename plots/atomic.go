package plots

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// WriteFile writes the file at path, made with the directories above it if
// need be, so that it appears complete or not at all: write fills a temporary
// file beside it, which is then renamed. A symbolic link is followed. What is
// there and is no regular file, a pipe or a device, is written to directly.
// Errors name path.
func WriteFile(path string, write func(io.Writer) error) error {
	target := path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		target = real
	}
	info, err := os.Stat(target)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		err = writeThrough(target, write)
	} else {
		err = writeBeside(target, write)
	}
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

// writeThrough writes to something that is not a regular file.
func writeThrough(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeBeside writes a temporary file and renames it to path.
func writeBeside(path string, write func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := createTemp(dir, base)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name()) // the error that matters is the first
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// createTemp is os.CreateTemp with the permissions that the user's umask gives
// to new files.
func createTemp(dir, base string) (*os.File, error) {
	for {
		name := filepath.Join(dir, fmt.Sprintf(".%s.%08x", base, rand.Uint32()))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
