package cells

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrLeftOut is the error of a cell of Staged work that has no numbers and is not needed any more: the other cells
// run, and from then on Progress does not ask for it.
var ErrLeftOut = errors.New("the cell is left out")

// Work is many cells, each a pure function of its number and of what Name says.
type Work interface {
	// Name returns one line that holds all that the numbers depend on, JSON
	// usually. It is the first record of the journals of the work: two works are
	// the same where their names are.
	Name() string
	// Cells returns how many cells there are. They are numbered from 0.
	Cells() int
	// Values returns how many numbers a cell yields.
	Values() int
	// Cost estimates how long a cell runs, in any unit. The longest run first.
	Cost(cell int) float64
	// Run returns the numbers of a cell, NaN where they have no value. Several goroutines call it at once,
	// perhaps again for a cell whose numbers were lost. An error other than ErrLeftOut ends the work. Its text does
	// not name the cell, which means nothing to users, but what the cell computes.
	Run(ctx context.Context, cell int) ([]float64, error)
}

// Staged is work of which some cells can only run when others are finished, or
// need not run at all, depending on the numbers of others.
type Staged interface {
	Work
	// ValuesOf returns how many numbers a cell yields.
	ValuesOf(cell int) int
	// Unit returns which part of the work a cell belongs to. Cells that wait for
	// each other are of one unit, and a unit goes to one shard.
	Unit(cell int) int
	// Units returns how many shards have something to do at most.
	Units() int
	// Progress returns how far a shard is, given the numbers of all cells, nil
	// where a cell is not finished. The shard runs on so many workers.
	Progress(shard Shard, workers int, numbers [][]float64) Progress
}

// Progress is how far some work is.
type Progress struct {
	Ready    []int // unfinished cells that can run now; none where all is finished
	Finished int
	Total    int // as far as is known yet
}

// Add counts a cell, which may wait for others.
func (p *Progress) Add(cell int, numbers []float64, waits bool) {
	p.Total++
	switch {
	case numbers != nil:
		p.Finished++
	case !waits:
		p.Ready = append(p.Ready, cell)
	}
}

// ProgressOf returns how far a shard of some work is.
func ProgressOf(w Work, shard Shard, workers int, numbers [][]float64) Progress {
	if s, ok := w.(Staged); ok {
		return s.Progress(shard, workers, numbers)
	}
	var now Progress
	for i, x := range numbers {
		if shard.Has(i) {
			now.Add(i, x, false)
		}
	}
	return now
}

func unitOf(w Work, cell int) int {
	if s, ok := w.(Staged); ok {
		return s.Unit(cell)
	}
	return cell
}

// Shard is every Of-th unit of some work, from the Index-th, which counts from
// 1. A unit is a cell, or the cells that a Staged work keeps together. The zero
// value is all units.
type Shard struct{ Index, Of int }

// maxShards is how many shards work may be cut into.
const maxShards = 100000

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (Shard, error) {
	a, b, ok := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(a)
	n, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil || n < 1 || n > maxShards || i < 1 || i > n {
		return Shard{}, fmt.Errorf("expected i/n such as 3/8, with i from 1 to n and n at most %d, got %q", maxShards,
			text)
	}
	return Shard{i, n}, nil
}

// Whole reports whether the shard is all of the work.
func (s Shard) Whole() bool { return s.Of == 0 }

// Has reports whether a unit belongs to the shard.
func (s Shard) Has(unit int) bool { return s.Whole() || unit%s.Of == s.Index-1 }

// suffix returns the part of a file name that names the shard.
func (s Shard) suffix() string {
	if s.Whole() {
		return ""
	}
	return fmt.Sprintf("-%d-of-%d", s.Index, s.Of)
}
