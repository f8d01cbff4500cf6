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
	"strconv"
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

// Results are the numbers of the cells that are finished.
type Results struct {
	plan    *Plan
	values  []float64 // of all cells, in their order
	have    []bool
	count   int
	records int // in journals: more than count where cells were run twice
}

func newResults(p *Plan) *Results {
	return &Results{plan: p, values: make([]float64, p.Cells()*p.values()), have: make([]bool, p.Cells())}
}

// Finished returns how many cells are finished.
func (r *Results) Finished() int { return r.count }

func (r *Results) done(cell int) bool { return r.have[cell] }

// cell returns the numbers of a cell.
func (r *Results) cell(i int) []float64 {
	n := r.plan.values()
	return r.values[i*n : (i+1)*n]
}

// record reads the record of a cell. A record that is intact but makes no sense
// is a fault of the program, and refused.
func (r *Results) record(payload []byte) error {
	word, rest, _ := bytes.Cut(payload, []byte{' '})
	i, err := strconv.Atoi(string(word))
	if err != nil || i < 0 || i >= len(r.have) {
		return fmt.Errorf("sweep: no cell %q", word)
	}
	values := r.cell(i)
	for k := range values {
		word, rest, _ = bytes.Cut(rest, []byte{' '})
		if values[k], err = strconv.ParseFloat(string(word), 64); err != nil {
			return fmt.Errorf("sweep: cell %d: bad number %q", i, word)
		}
	}
	r.records++
	r.mark(i)
	return nil
}

func (r *Results) mark(i int) {
	if !r.have[i] {
		r.have[i] = true
		r.count++
	}
}

// appendRecord appends the record of a cell to b. Numbers are read back as they
// were.
func appendRecord(b []byte, cell int, values []float64) []byte {
	b = strconv.AppendInt(b, int64(cell), 10)
	for _, x := range values {
		b = append(b, ' ')
		b = strconv.AppendFloat(b, x, 'g', -1, 64)
	}
	return b
}

// read reads all journals of a directory but the one to leave out.
func (r *Results) read(dir, except string) error {
	list, err := journals(dir)
	if err != nil {
		return err
	}
	for _, path := range list {
		if path == except {
			continue
		}
		if err := checkOwner(path, r.plan.Spec.work()); err != nil {
			return err
		}
		if err := ReadJournal(path, r.plan.Spec.work(), r.record); err != nil {
			return err
		}
	}
	return nil
}
