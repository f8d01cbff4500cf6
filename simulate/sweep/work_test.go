package sweep

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// TestEngineGoesOn cuts the journal: only what is lost runs again.
func TestEngineGoesOn(t *testing.T) {
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
	if err := os.WriteFile(path, text[:len(text)-3], 0o644); err != nil {
		t.Fatal(err)
	}
	last := w.ran[29]
	w.ran = nil
	numbers, err := e.Run(context.Background(), w)
	if err != nil || !slices.Equal(w.ran, []int{last}) {
		t.Errorf("ran %v again, want %d: %v", w.ran, last, err)
	}
	checkSquares(t, numbers, 30)
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
	lines[10][12] ^= 1 // the record of the tenth cell that ran
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
	shard := &run{Engine: Engine{Dir: dir}, work: w, shard: Shard{1, 1}}
	if err := shard.start(context.Background()); !errors.Is(err, errRemoved) || shard.store != nil {
		t.Errorf("a shard: %v", err)
	}
	numbers, err := Engine{Dir: dir}.Run(context.Background(), w)
	if err != nil {
		t.Error(err)
	}
	checkSquares(t, numbers, 30)
}

func TestEngineRefuses(t *testing.T) {
	e := Engine{Dir: t.TempDir()}
	if _, err := e.Run(context.Background(), &squares{name: "squares", cells: 3}); err != nil {
		t.Fatal(err)
	}
	var other *OtherSweepError
	if _, err := e.Run(context.Background(), &squares{name: "cubes", cells: 3}); !errors.As(err, &other) {
		t.Errorf("other work: %v", err)
	}
}

// TestEngineFails checks that the cells before the one that fails are kept.
func TestEngineFails(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		w := &squares{name: "squares", cells: 30, fail: 2} // runs after those that cost more, 6 among them
		e := Engine{Dir: dir, Workers: 1}
		numbers, err := e.Run(context.Background(), w)
		if err == nil || err.Error() != "cell 2: no square" || numbers[2] != nil || numbers[6] == nil {
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
		t.Errorf("cancelled: %v, %v", numbers, err)
	}
}

// TestStoreKeepsNumbers checks what has no digits.
func TestStoreKeepsNumbers(t *testing.T) {
	s := newStore(&squares{cells: 1})
	want := []float64{math.Inf(-1), math.NaN()}
	if err := s.record(appendRecord(nil, 0, want)); err != nil {
		t.Fatal(err)
	}
	if got := s.numbers[0]; got[0] != want[0] || !math.IsNaN(got[1]) {
		t.Errorf("%v was read as %v", want, got)
	}
}
