package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"revopt/internal/workdir"
)

// Store keeps records by the names of their cases. The zero value keeps them in memory. Its methods may be called by
// several goroutines.
//
// A directory has a journal of checked lines, see workdir.Journal: a case once for all its replications, then a line
// for each record. A line that is cut off or damaged costs its record, which is computed again. A record is found by the
// name of its row, so that damage to the line of the case costs nothing. Journals of other builds of the program, and
// of other editions of the format, are refused. Shards write journals of their own, and all are read together.
type Store struct {
	mu      sync.Mutex
	rows    map[string]*row
	journal *workdir.Journal
	release func()
}

// row is the records of a case in all its replications.
type row struct {
	it      *Case // nil where the line of the case is damaged
	records map[int]Record
}

// StoreOptions say where a store is kept.
type StoreOptions struct {
	Shard    workdir.Shard // that this process runs; the zero value is all of the work
	Build    workdir.Build // of the program, see workdir.ThisBuild
	ReadOnly bool          // nothing is locked or written, also while others are at work
	AnyBuild bool          // with ReadOnly: records of other builds are read as well
}

// storeFormat names the edition of the lines of a store.
const storeFormat = "revopt records, edition 1"

// OpenStore opens the store of a directory, which it makes if there is none. It returns a *workdir.OtherWorkError, a
// *workdir.OtherBuildError or a *workdir.LockedError where the directory is not to be used.
func OpenStore(dir string, o StoreOptions) (*Store, error) {
	s := &Store{}
	if o.ReadOnly {
		return s, s.readOthers(dir, "", o)
	}
	release, err := workdir.LockDirectory(dir, o.Shard)
	if err != nil {
		return nil, err
	}
	s.release = release
	path := workdir.JournalPath(dir, o.Shard)
	err = s.readOthers(dir, path, o)
	if err == nil {
		s.journal, err = workdir.OpenJournal(path, workdir.Identity{Work: storeFormat, Build: o.Build}, s.read)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// readOthers reads the journals of a directory but one, which is still to be opened.
func (s *Store) readOthers(dir, but string, o StoreOptions) error {
	paths, err := workdir.Journals(dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if path == but {
			continue
		}
		id := workdir.Identity{Work: storeFormat, Build: o.Build, AnyBuild: o.ReadOnly && o.AnyBuild}
		if err := workdir.ReadJournal(path, id, s.read); err != nil {
			return err
		}
	}
	return nil
}

// The words with which the lines of a store begin.
const (
	caseWord   = "case"
	recordWord = "record" // then come row and replication
)

// read takes a line over.
func (s *Store) read(line []byte) error {
	word, rest, _ := bytes.Cut(line, []byte(" "))
	switch string(word) {
	case caseWord:
		var c Case
		if err := json.Unmarshal(rest, &c); err != nil {
			return err
		}
		s.row(c.Row()).it = &c
		return nil
	case recordWord:
		return s.readRecord(string(rest))
	}
	return fmt.Errorf("expected a case or a record, got %.20q", line)
}

func (s *Store) readRecord(text string) error {
	name, rest, _ := strings.Cut(text, " ")
	number, payload, _ := strings.Cut(rest, " ")
	replication, err := strconv.Atoi(number)
	if err != nil || replication < 0 {
		return fmt.Errorf("expected a replication, got %.20q", number)
	}
	var r Record
	if err := json.Unmarshal([]byte(payload), &r); err != nil {
		return err
	}
	if len(r.Groups) == 0 {
		return fmt.Errorf("expected the numbers of a record, got %.20q", payload)
	}
	s.row(name).records[replication] = r
	return nil
}

// row returns the row of a name, which it makes if there is none. The caller holds the lock, or has the store alone.
func (s *Store) row(name string) *row {
	if s.rows == nil {
		s.rows = map[string]*row{}
	}
	if s.rows[name] == nil {
		s.rows[name] = &row{records: map[int]Record{}}
	}
	return s.rows[name]
}

// Get returns the record of a case and whether it is known.
func (s *Store) Get(c Case) (Record, bool) { return s.get(c.Row(), c.Replication) }

func (s *Store) get(name string, replication int) (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.rows[name]
	if at == nil {
		return Record{}, false
	}
	r, ok := at.records[replication]
	return r, ok
}

// Put keeps the record of a case. After an error of a directory the record is in memory alone.
func (s *Store) Put(c Case, r Record) error { return s.put(c.Row(), c, r) }

func (s *Store) put(name string, c Case, r Record) error {
	var lines [][]byte
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.row(name)
	at.records[c.Replication] = r
	first := at.it == nil
	if first {
		whole := c.At(0)
		at.it = &whole
	}
	if s.journal == nil {
		return nil
	}
	if first {
		text, err := json.Marshal(at.it)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Appendf(nil, "%s %s", caseWord, text))
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	lines = append(lines, fmt.Appendf(nil, "%s %s %d %s", recordWord, name, c.Replication, text))
	return s.journal.Append(lines...)
}

// Len returns how many records are known.
func (s *Store) Len() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.rows {
		n += len(at.records)
	}
	return n
}

// Close writes all records through to the disk and lets others use the directory.
func (s *Store) Close() error {
	var err error
	if s.journal != nil {
		err = s.journal.Close()
		s.journal = nil
	}
	if s.release != nil {
		s.release()
		s.release = nil
	}
	return err
}
