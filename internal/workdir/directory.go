package workdir

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"revopt/internal/safefile"
)

const (
	journalFile = "journal"
	lockName    = "lock"
)

// Names returns the files of whole work in a directory.
func Names() []string { return []string{journalFile, lockName} }

// Holder is a process that holds a lock.
type Holder struct {
	Host  string    `json:"host"`
	PID   int       `json:"pid"`
	Since time.Time `json:"since"`
}

// LockedError is a directory at which another process is at work.
type LockedError struct {
	Dir    string
	Holder Holder // the last to take the lock; zero where it is not known
	Stale  bool   // that one has ended: another that may read the lock holds it
}

func (e *LockedError) Error() string {
	text := e.Dir + ": another process is at work on this directory"
	if h := e.Holder; h.PID != 0 {
		text += fmt.Sprintf(": host %s, process %d, since %s", h.Host, h.PID, h.Since.Format("2006-01-02 15:04:05 MST"))
		if e.Stale {
			text += ", which has ended: another program holds " + filepath.Join(e.Dir, lockName)
		}
	}
	return text
}

// lockFile takes the lock of a name in a directory, for this process alone or
// shared with others, and writes into it which process holds it. Where another
// is in the way it returns a *LockedError.
//
// A process that can open the file can lock it. So the file is readable only by users
// who can write it, and a file with wider modes is replaced: a lock on the old file
// has no effect.
func lockFile(dir, name string, shared bool) (*os.File, error) {
	path := filepath.Join(dir, name)
	for {
		f, err := openLock(path)
		if err != nil {
			return nil, err
		}
		err = safefile.Lock(f, shared)
		blocked := errors.Is(err, safefile.ErrLocked)
		h := readHolder(f)
		host, _ := os.Hostname()
		ended := h.PID > 0 && h.Host == host && safefile.Ended(h.PID)
		switch {
		case err != nil && !blocked:
			f.Close()
			return nil, err
		case !isAt(f, path): // it was replaced meanwhile
			f.Close()
			continue
		case readable(f) && (!blocked || ended || h.PID == 0) && replaceLock(path) == nil:
			f.Close()
			continue
		case blocked:
			f.Close()
			return nil, &LockedError{dir, h, ended}
		}
		// A full disk is no reason not to go on: the text is for people only.
		text, err := json.Marshal(Holder{host, os.Getpid(), time.Now().Truncate(time.Second)})
		if err == nil && f.Truncate(0) == nil {
			f.WriteAt(append(text, '\n'), 0)
		}
		return f, nil
	}
}

// openLock opens a lock, or makes one that those can read that can write it.
func openLock(path string) (*os.File, error) {
	const owner, writers = 0o600, 0o222
	f, err := safefile.OpenRegular(path, os.O_RDWR|os.O_CREATE, owner|writers)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil {
		perm := info.Mode().Perm()
		if fit := perm | perm&writers<<1; fit != perm {
			f.Chmod(fit) // the owner's matter; others take the file as it is
		}
	}
	return f, nil
}

// readable reports whether some users can read a lock and cannot write it.
func readable(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().Perm()>>1&^info.Mode().Perm()&0o022 != 0
}

// isAt reports whether a path still leads to an open file.
func isAt(f *os.File, path string) bool {
	open, err1 := f.Stat()
	there, err2 := os.Lstat(path)
	return err1 == nil && err2 == nil && os.SameFile(open, there)
}

// replaceLock puts a new lock in the place of a readable one. A lock on the new one
// keeps others from doing so as well.
func replaceLock(path string) error {
	fresh := path + ".new"
	f, err := openLock(fresh)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := safefile.Lock(f, false); err != nil || !isAt(f, fresh) {
		return nil // another process replaces it: look again
	}
	old, err := safefile.OpenRegular(path, os.O_RDWR, 0)
	if err == nil {
		defer old.Close()
		switch {
		case !readable(old):
			return os.Remove(fresh)
		case readable(f):
			err = errors.New("this file system keeps no modes")
		default:
			err = os.Rename(fresh, path)
		}
	}
	if err != nil {
		os.Remove(fresh)
	}
	return err
}

func readHolder(f *os.File) Holder {
	var h Holder
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 4096))
	if err != nil || json.Unmarshal(text, &h) != nil {
		return Holder{}
	}
	return h
}

// LockDirectory makes a directory if need be and locks it for a shard until release is called. Shards go together; the
// whole work goes with nothing else. Where another process is in the way it returns a *LockedError.
func LockDirectory(dir string, shard Shard) (release func(), err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	var locks []*os.File
	release = func() {
		for _, f := range locks {
			f.Close()
		}
	}
	names := []string{lockName}
	if !shard.Whole() {
		names = append(names, lockName+shard.suffix())
	}
	for i, name := range names {
		f, err := lockFile(dir, name, !shard.Whole() && i == 0)
		if err != nil {
			release()
			return nil, err
		}
		locks = append(locks, f)
	}
	return release, nil
}

// JournalPath returns the journal of a shard in a directory.
func JournalPath(dir string, shard Shard) string {
	return filepath.Join(dir, journalFile+shard.suffix())
}

// Journals returns the journals of a directory, in the order of their names.
func Journals(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		if _, ok := journalShard(e.Name()); ok {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(list)
	return list, nil
}

// journalShard returns the shard of a file name, and whether it names a journal.
func journalShard(path string) (Shard, bool) {
	suffix, ok := strings.CutPrefix(filepath.Base(path), journalFile)
	if !ok || suffix == "" {
		return Shard{}, ok
	}
	var s Shard
	if _, err := fmt.Sscanf(suffix, "-%d-of-%d", &s.Index, &s.Of); err != nil || suffix != s.suffix() {
		return Shard{}, false
	}
	_, err := ParseShard(fmt.Sprintf("%d/%d", s.Index, s.Of))
	return s, err == nil
}

// Started reports whether a directory holds journals, of whatever work.
func Started(dir string) bool {
	list, err := Journals(dir)
	return err == nil && len(list) > 0
}
