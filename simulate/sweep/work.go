package sweep

import "context"

// Work is many cells, each a pure function of its number and of what Name says.
// A Plan is one; whatever else is cut into independent cells may be another, and
// gets the same workers, journal and resumption.
type Work interface {
	// Name returns JSON of all that the numbers depend on. It is the first record
	// of the journals of the work: two works are the same where their names are.
	Name() string
	// Cells returns how many cells there are. They are numbered from 0.
	Cells() int
	// Values returns how many numbers a cell yields.
	Values() int
	// Cost estimates how long a cell runs, in any unit. The longest run first.
	Cost(cell int) float64
	// Run returns the numbers of a cell, NaN and infinities among them where they
	// have no value. It is called from several goroutines at once, and may be
	// called again for a cell whose numbers were lost.
	Run(ctx context.Context, cell int) ([]float64, error)
}

// staged is work of which some cells can only run when others are finished, or
// need not run at all, depending on what others yield.
type staged interface {
	Work
	// valuesOf returns how many numbers a cell yields.
	valuesOf(cell int) int
	// unit returns which part of the work a cell belongs to. Cells that wait for
	// each other are of one unit, and a unit goes to one shard.
	unit(cell int) int
	// units returns how many shards have something to do at most.
	units() int
	// stage returns the unfinished cells of a shard that can run now, on so many
	// workers, none where the shard is finished. Numbers are nil for cells that
	// are not finished.
	stage(shard Shard, workers int, numbers [][]float64) stage
}

// stage is how far some work is.
type stage struct {
	cells    []int // that can run now
	finished int
	total    int // as far as is known yet
}

// add counts a cell, which may wait for others.
func (s *stage) add(cell int, numbers []float64, waits bool) {
	s.total++
	switch {
	case numbers != nil:
		s.finished++
	case !waits:
		s.cells = append(s.cells, cell)
	}
}

// Engine runs work on the cores of this machine.
type Engine struct {
	// Dir is a directory that keeps the numbers of finished cells in a journal,
	// from which the next Run goes on. It is made if need be, and locked
	// meanwhile. "" keeps nothing.
	Dir      string
	Workers  int                       // 0: one per processor
	Progress func(finished, total int) // told before the first and after each cell; may be nil; calls do not overlap
}

// Run runs the cells that the directory does not have yet, the longest first,
// and returns the numbers of all cells. After an error, or when the context is
// cancelled, what is finished is kept in the directory and returned: cells that
// are not finished have no numbers. A directory that holds the results of other
// work is an *OtherSweepError.
//
// The numbers are the same at any number of workers and however often the work
// was interrupted.
func (e Engine) Run(ctx context.Context, w Work) ([][]float64, error) {
	r := &run{Engine: e, work: w}
	err := r.start(ctx)
	if r.store == nil {
		return nil, err
	}
	return r.store.numbers, err
}
