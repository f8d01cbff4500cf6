package paper

import (
	"context"
	"sync"

	"revopt/model"
	"revopt/optimize"
)

// A curve is the optimum of a system along one of its parameters.
type curve struct {
	values   []float64
	at       func(x float64) (model.System, error)
	settings optimize.Settings
}

// piece is how many neighbouring points one worker solves in a row, each
// starting from the one before. It is fixed, so that the points do not depend
// on the number of workers.
const piece = 8

// solve returns the points of each curve.
func solve(ctx context.Context, o Options, curves ...curve) ([][]optimize.Point, error) {
	type job struct{ curve, from, to int }
	var jobs []job
	points := make([][]optimize.Point, len(curves))
	total := 0
	for c, cv := range curves {
		n := len(cv.values)
		points[c] = make([]optimize.Point, n)
		for from := 0; from < n; from += piece {
			jobs = append(jobs, job{c, from, min(from+piece, n)})
		}
		total += n
	}
	steps := &counter{total: total, tell: o.Progress}
	err := each(ctx, o.Workers, len(jobs), func(i int) error {
		j := jobs[i]
		cv := curves[j.curve]
		solved, err := optimize.Sweep(ctx, cv.values[j.from:j.to], cv.at, cv.settings)
		if err != nil {
			return err
		}
		copy(points[j.curve][j.from:], solved)
		steps.add(j.to - j.from)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return points, nil
}

// A counter tells how far a computation is.
type counter struct {
	mu          sync.Mutex
	done, total int
	tell        func(done, total int)
}

func (c *counter) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	if c.tell != nil {
		c.tell(c.done, c.total)
	}
}

// each calls f with 0 to n-1, by several workers at a time. After an error
// nothing more is begun, and the error of the smallest argument is returned.
func each(ctx context.Context, workers, n int, f func(i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	places := make(chan int)
	errs := make([]error, n)
	var wg sync.WaitGroup
	for range max(1, min(workers, n)) {
		wg.Go(func() {
			for i := range places {
				if errs[i] = f(i); errs[i] != nil {
					stop()
				}
			}
		})
	}
	var interrupted error
	for i := 0; i < n && interrupted == nil; i++ {
		select {
		case places <- i:
		case <-ctx.Done():
			interrupted = ctx.Err()
		}
	}
	close(places)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return interrupted
}

// admissions returns the optimal admission probability of a class along a
// curve.
func admissions(points []optimize.Point, class int) []float64 {
	q := make([]float64, len(points))
	for i, p := range points {
		q[i] = p.Result.Admit[class]
	}
	return q
}

// revenues returns the optimal revenue along a curve in dollars per hour.
func revenues(points []optimize.Point) []float64 {
	r := make([]float64, len(points))
	for i, p := range points {
		r[i] = perHour * p.Result.Revenue
	}
	return r
}
