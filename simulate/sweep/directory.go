package sweep

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// errLocked is what lockFile returns where another process has the lock.
var errLocked = errors.New("locked")

const (
	journalFile = "journal"
	lockName    = "lock"
)

// locks keep other processes from a directory, or from a shard of it.
type locks []*os.File

func (l locks) release() {
	for _, f := range l {
		f.Close()
	}
}

// lockDirectory makes a directory if need be and locks it for a shard. Shards
// go together; the whole sweep goes with nothing else.
func lockDirectory(dir string, shard Shard) (locks, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var held locks
	names := []string{lockName}
	if !shard.whole() {
		names = append(names, lockName+shard.suffix())
	}
	for i, name := range names {
		f, err := lockFile(filepath.Join(dir, name), !shard.whole() && i == 0)
		if errors.Is(err, errLocked) {
			err = fmt.Errorf("%s: another process is at work on this sweep", dir)
		}
		if err != nil {
			held.release()
			return nil, err
		}
		held = append(held, f)
	}
	return held, nil
}

// journals returns the journals of a directory, in the order of their names.
func journals(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if ok, _ := filepath.Match(journalFile+"-[0-9]*-of-[0-9]*", e.Name()); ok || e.Name() == journalFile {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(list)
	return list, nil
}

// Started reports whether a directory holds journals, of whatever work.
func Started(dir string) bool {
	list, err := journals(dir)
	return err == nil && len(list) > 0
}

// journalWork returns the name of the work of a journal, nil where its first
// record is not whole.
func journalWork(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	line, err := readLine(bufio.NewReader(f))
	if err != nil && err != io.EOF {
		return nil, err
	}
	work, ok := parseRecord(line)
	if !ok {
		return nil, nil
	}
	return slices.Clone(work), nil
}

// checkOwner reports an error where a file is not a journal of the work: what
// there is does not begin as one, even where that was cut off.
func checkOwner(path, work string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	want := fmt.Appendf(nil, "%08x %s\n", checksum([]byte(work)), work)
	got := make([]byte, len(want))
	n, err := io.ReadFull(f, got)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	if !bytes.HasPrefix(want, got[:n]) {
		return ErrOtherWork
	}
	return nil
}
