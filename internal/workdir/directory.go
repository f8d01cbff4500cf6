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
// who can write it.
func lockFile(dir, name string, shared bool) (*os.File, error) {
	f, err := openLock(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	err = safefile.Lock(f, shared)
	if err != nil {
		h := readHolder(f)
		f.Close()
		if !errors.Is(err, safefile.ErrLocked) {
			return nil, err
		}
		return nil, &LockedError{dir, h, h.PID > 0 && h.Host == host && safefile.Ended(h.PID)}
	}
	// A full disk is no reason not to go on: the text is for people only.
	text, err := json.Marshal(Holder{host, os.Getpid(), time.Now().Truncate(time.Second)})
	if err == nil && f.Truncate(0) == nil {
		f.WriteAt(append(text, '\n'), 0)
	}
	return f, nil
}

// openLock opens a lock, or makes one that those can read that can write it.
func openLock(path string) (*os.File, error) {
	const owner, writers = 0o600, 0o222
	f, err := safefile.OpenRegular(path, os.O_RDWR|os.O_CREATE, owner|writers)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil {
		written := info.Mode().Perm() & writers
		f.Chmod(written | written<<1) // the owner's matter; others take the file as it is
	}
	return f, nil
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
