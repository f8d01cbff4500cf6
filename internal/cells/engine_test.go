package cells

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// squares is work whose cell i yields i and its square.
type squares struct {
	name  string
	cells int
	fail  int // this cell fails, if above 0

	mu  sync.Mutex
	ran []int
}

func (s *squares) Name() string          { return s.name }
func (s *squares) Cells() int            { return s.cells }
func (s *squares) Values() int           { return 2 }
func (s *squares) Cost(cell int) float64 { return float64(cell % 7) }

func (s *squares) Run(_ context.Context, cell int) ([]float64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, cell)
	if s.fail > 0 && cell == s.fail {
		return nil, errors.New("no square")
	}
	return []float64{float64(cell), float64(cell * cell)}, nil
}

// checkSquares checks the numbers of all cells.
func checkSquares(t *testing.T, numbers [][]float64, cells int) {
	t.Helper()
	if len(numbers) != cells {
		t.Fatalf("%d cells, want %d", len(numbers), cells)
	}
	for i, x := range numbers {
		if !slices.Equal(x, []float64{float64(i), float64(i * i)}) {
			t.Errorf("cell %d: %v", i, x)
		}
	}
}

func TestEngine(t *testing.T) {
	for _, workers := range []int{1, 3} {
		for _, dir := range []string{"", t.TempDir()} {
			w := &squares{name: "squares", cells: 50}
			var told []int
			e := Engine{Dir: dir, Workers: workers, Progress: func(finished, total int) { told = append(told, finished, total) }}
			numbers, err := e.Run(context.Background(), w)
			if err != nil {
				t.Fatal(err)
			}
			checkSquares(t, numbers, 50)
			if len(told) != 2*52 || told[0] != 0 || told[len(told)-2] != 50 {
				t.Errorf("told %v", told)
			}
			if workers == 1 && !slices.Equal(w.ran[:3], []int{6, 13, 20}) {
				t.Errorf("ran %v first, which are not the longest", w.ran[:3])
			}
		}
	}
}

// TestEngineDamage damages a record in the middle: only its cell runs again.
func TestEngineDamage(t *testing.T) {
	w := &squares{name: "squares", cells: 30}
	e := Engine{Dir: t.TempDir(), Workers: 1}
	if _, err := e.Run(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.Dir, journalFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	lines[headerLines+9][12] ^= 1 // the record of the tenth cell that ran
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	lost := w.ran[9]
	w.ran = nil
	numbers, err := e.Run(context.Background(), w)
	if err != nil || !slices.Equal(w.ran, []int{lost}) {
		t.Errorf("ran %v again, want %d: %v", w.ran, lost, err)
	}
	checkSquares(t, numbers, 30)
}

// vanishing is work during which its directory is removed.
type vanishing struct {
	squares
	dir string
}

func (v *vanishing) Run(ctx context.Context, cell int) ([]float64, error) {
	if cell == 3 {
		if err := os.RemoveAll(v.dir); err != nil {
			return nil, err
		}
	}
	return v.squares.Run(ctx, cell)
}

// TestEngineRemoved removes the directory meanwhile: a shard, whose numbers are
// nowhere else, says so; the whole work has them all in memory.
func TestEngineRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	w := &vanishing{squares{name: "squares", cells: 30}, dir}
	if r, err := (Engine{Dir: dir, Shard: Shard{1, 1}}).Results(context.Background(), w); !errors.Is(err, errRemoved) || r != nil {
		t.Errorf("a shard: %v", err)
	}
	numbers, err := Engine{Dir: dir}.Run(context.Background(), w)
	if err != nil {
		t.Error(err)
	}
	checkSquares(t, numbers, 30)
}

// TestEngineFails checks that the cells before the one that fails are kept.
func TestEngineFails(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		w := &squares{name: "squares", cells: 30, fail: 2} // runs after those that cost more, 6 among them
		e := Engine{Dir: dir, Workers: 1}
		numbers, err := e.Run(context.Background(), w)
		if err == nil || err.Error() != "no square" || numbers[2] != nil || numbers[6] == nil {
			t.Errorf("%v: %v", err, numbers)
		}
		before := len(w.ran) - 1
		w.ran, w.fail = nil, 0
		numbers, err = e.Run(context.Background(), w)
		if err != nil || dir != "" && len(w.ran) != 30-before {
			t.Errorf("%d cells ran before and %d then: %v", before, len(w.ran), err)
		}
		checkSquares(t, numbers, 30)
	}
}

// odd is work whose cells do not yield what it says.
type odd struct{ squares }

func (*odd) Run(context.Context, int) ([]float64, error) { return []float64{1}, nil }

func TestEngineChecks(t *testing.T) {
	e := Engine{Dir: t.TempDir()}
	_, err := e.Run(context.Background(), &odd{squares{name: "odd", cells: 2}})
	if err == nil || !strings.Contains(err.Error(), "yields 1 numbers, want 2") {
		t.Errorf("too few numbers: %v", err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("a signal"))
	numbers, err := Engine{}.Run(ctx, &squares{name: "squares", cells: 4})
	if err != context.Canceled || len(numbers) != 4 || numbers[0] != nil {
		t.Errorf("canceled: %v, %v", numbers, err)
	}
}

// TestResultsKeepNumbers checks what has no digits.
func TestResultsKeepNumbers(t *testing.T) {
	s := NewResults(&squares{cells: 1})
	want := []float64{math.Inf(-1), math.NaN()}
	if err := s.record(Shard{}, appendRecord(nil, 0, want)); err != nil {
		t.Fatal(err)
	}
	if got := s.Numbers[0]; got[0] != want[0] || !math.IsNaN(got[1]) {
		t.Errorf("%v was read as %v", want, got)
	}
}

// TestRecord reads records that make no sense.
func TestRecord(t *testing.T) {
	s := NewResults(&squares{cells: 30})
	if err := s.record(Shard{2, 3}, []byte("7 1 2")); err != nil || s.Finished != 1 {
		t.Errorf("%d finished, %v", s.Finished, err)
	}
	for _, bad := range []string{"", "x 1 2", "-1 1 2", "30 1 2", "3 1", "3 1 y", "3 1 2 3"} {
		if s.record(Shard{}, []byte(bad)) == nil {
			t.Errorf("%q was read", bad)
		}
	}
	if err := s.record(Shard{1, 3}, []byte("8 1 2")); err == nil || s.Numbers[8] != nil {
		t.Errorf("a cell of another shard: %v", err)
	}
}

// full is a journal on a disk that is full after some records.
type full struct {
	*Journal
	left int
}

func (f *full) Append(records ...[]byte) error {
	fit := min(f.left, len(records))
	f.left -= fit
	if err := f.Journal.Append(records[:fit]...); err != nil || fit == len(records) {
		return err
	}
	return syscall.ENOSPC
}

// TestFullDisk checks that the cells finished when the disk is full are there
// afterwards, and the others run then.
func TestFullDisk(t *testing.T) {
	w := &squares{name: "squares", cells: 50}
	dir := t.TempDir()
	r := &run{work: w, store: NewResults(w), Engine: Engine{Workers: 1}}
	build, err := ThisBuild("")
	if err != nil {
		t.Fatal(err)
	}
	j, err := OpenJournal(filepath.Join(dir, journalFile), Identity{Work: w.name, Build: build}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = r.all(context.Background(), &full{j, 20})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "what it holds is kept") {
		t.Errorf("on a full disk: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err := Read(dir, w, false); err != nil || r.Finished != 20 {
		t.Fatalf("%v finished, %v", r, err)
	}
	w.ran = nil
	numbers, err := Engine{Dir: dir}.Run(context.Background(), w)
	if err != nil || len(w.ran) != 30 {
		t.Fatalf("%d cells ran, %v", len(w.ran), err)
	}
	checkSquares(t, numbers, 50)
}

// faulty is work of which one cell panics.
type faulty struct{ squares }

func (f *faulty) Run(ctx context.Context, cell int) ([]float64, error) {
	if cell == 2 {
		var none []int
		_ = none[cell]
	}
	return f.squares.Run(ctx, cell)
}

// TestEnginePanic checks that a cell that panics is an error and the others are
// kept.
func TestEnginePanic(t *testing.T) {
	w := &faulty{squares{name: "squares", cells: 30}}
	e := Engine{Dir: t.TempDir(), Workers: 2}
	numbers, err := e.Run(context.Background(), w)
	var fault *PanicError
	if !errors.As(err, &fault) || fault.Cell != 2 || !strings.Contains(string(fault.Stack), "faulty") || strings.Contains(err.Error(), "\n") {
		t.Fatalf("error %v", err)
	}
	if _, ok := fault.Value.(runtime.Error); !ok || numbers[6] == nil {
		t.Errorf("panicked with %v, cell 6 has %v", fault.Value, numbers[6])
	}
	before := len(w.ran)
	w.ran = nil
	if numbers, err = e.Run(context.Background(), &w.squares); err != nil || len(w.ran) != 30-before {
		t.Errorf("%d cells ran before and %d then: %v", before, len(w.ran), err)
	}
	checkSquares(t, numbers, 30)
}

// rebuilt changes the build that wrote the journals of a directory.
func rebuilt(t *testing.T, dir string) Build {
	t.Helper()
	other := Build{strings.Repeat("0f", 32), "v0"}
	paths, err := journals(dir)
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		lines[1] = fmt.Appendf(nil, "%08x %s\n", checksum(other.record()), other.record())
		lines[3] = lines[1]
		if err := os.WriteFile(path, bytes.Join(lines, nil), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return other
}

// TestEngineOtherBuild reads the shard of another build, and refuses to go on beside it.
func TestEngineOtherBuild(t *testing.T) {
	w := &squares{name: "squares", cells: 30}
	dir := t.TempDir()
	if _, err := (Engine{Dir: dir, Shard: Shard{1, 2}}).Run(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	other := rebuilt(t, dir)
	var refused *OtherBuildError
	if _, err := (Engine{Dir: dir, Shard: Shard{2, 2}}).Run(context.Background(), w); !errors.As(err, &refused) || refused.Got != other || strings.Contains(err.Error(), "\n") {
		t.Errorf("beside a shard of another build: %v", err)
	}
	if _, err := Read(dir, w, false); !errors.As(err, &refused) {
		t.Errorf("reading another build: %v", err)
	}
	if r, err := Read(dir, w, true); err != nil || r.Finished != 15 || !slices.Equal(r.Builds, []Build{other}) {
		t.Errorf("read any build: %v, %v", r, err)
	}
}

// TestPlantedShard puts the journal of one shard in the place of another.
func TestPlantedShard(t *testing.T) {
	w := &squares{name: "squares", cells: 30}
	dir := t.TempDir()
	if _, err := (Engine{Dir: dir, Shard: Shard{1, 2}}).Run(context.Background(), w); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "journal-1-of-2"), filepath.Join(dir, "journal-2-of-2")); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(dir, w, false); err == nil || !strings.Contains(err.Error(), "is not one of shard 2/2") {
		t.Errorf("read the journal of another shard: %v", err)
	}
}
