package cells

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
)

// Memo keeps what the cells of some work yield where the work decides as it goes
// which cells there are: a sequence of stages, each of any number of cells. A cell
// yields text. A Memo may be used by several goroutines.
type Memo struct {
	dir     string
	id      Identity
	held    locks
	journal *Journal

	mu     sync.Mutex
	known  map[[2]int]string
	builds []Build
}

// OpenMemo opens the journal of a directory, which is made if need be and stays
// locked until Close. Its errors are those of Engine.Run.
func OpenMemo(dir, work, version string, mixBuilds bool) (*Memo, error) {
	build, err := ThisBuild(version)
	if err != nil {
		return nil, err
	}
	m := &Memo{dir: dir, id: Identity{Work: work, Build: build, Mix: mixBuilds}, known: map[[2]int]string{}}
	if m.held, err = lockDirectory(dir, Shard{}); err != nil {
		return nil, err
	}
	if err := m.open(); err != nil {
		m.held.release()
		return nil, otherWork(dir, err)
	}
	return m, nil
}

// open reads the journal. Those of shards are other work.
func (m *Memo) open() error {
	path := filepath.Join(m.dir, journalFile)
	list, err := journals(m.dir)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(other string) bool { return other != path }) {
		return ErrOtherWork
	}
	if err := checkOwner(path, m.id.Work); err != nil {
		return err
	}
	m.journal, m.builds, err = OpenJournal(path, m.id, m.record)
	return err
}

// record reads the record of a cell: its stage, its number and what it yields. Of
// two the first counts.
func (m *Memo) record(payload []byte) error {
	var cell [2]int
	rest := payload
	for i := range cell {
		var word []byte
		var err error
		word, rest, _ = bytes.Cut(rest, []byte{' '})
		if cell[i], err = strconv.Atoi(string(word)); err != nil || cell[i] < 0 {
			return fmt.Errorf("no cell %q", payload[:min(20, len(payload))])
		}
	}
	if _, ok := m.known[cell]; !ok {
		m.known[cell] = string(rest)
	}
	return nil
}

// Get returns what a cell has yielded, and whether it has.
func (m *Memo) Get(stage, cell int) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, ok := m.known[[2]int{stage, cell}]
	return text, ok
}

// Put keeps what a cell yields, which has no line feed.
func (m *Memo) Put(stage, cell int, text []byte) error {
	if err := m.journal.Append(fmt.Appendf(nil, "%d %d %s", stage, cell, text)); err != nil {
		return fmt.Errorf("cannot write the journal, what it holds is kept: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known[[2]int{stage, cell}] = string(text)
	m.builds = addBuilds(m.builds, m.id.Build)
	return nil
}

// Dir returns the directory.
func (m *Memo) Dir() string { return m.dir }

// Builds returns those whose results the journal has, this one included where it
// ran cells.
func (m *Memo) Builds() []Build {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.builds)
}

// Close writes the journal through to the disk and lets others at the directory. A
// journal that was removed meanwhile is missed by nobody.
func (m *Memo) Close() error {
	err := m.journal.Close()
	m.held.release()
	if errors.Is(err, errRemoved) {
		return nil
	}
	return err
}
