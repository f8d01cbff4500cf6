package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/metric"
)

// NoPromiseError is a workload without promises, where an admission that keeps
// promises is asked for.
type NoPromiseError struct{ Scenario string }

// Error says so.
func (e *NoPromiseError) Error() string {
	return "no class of " + e.Scenario + " promises anything (slo), so there is no promise to keep"
}

// Shortfall is a promise that no admission was found to keep.
type Shortfall struct {
	Name     string `json:"name"`
	Within   Number `json:"within"`   // s
	Level    Number `json:"level"`    // promised
	Possible Number `json:"possible"` // the largest share that any admission was found to keep
}

// String says so in words.
func (s Shortfall) String() string {
	return fmt.Sprintf("no admission was found that is sure to keep the promise of %s: at most %s of its admitted jobs were delayed by at most %s, %s are promised",
		s.Name, text.Percent(float64(s.Possible)), text.Duration(float64(s.Within)), percentOf(float64(s.Level)))
}

// pledge is a promise of a customer in a search. The numbers of a run at which
// it stands are its punctual jobs and those that were promised something.
type pledge struct {
	customer, at int
	level        float64 // promised
	aim          float64 // what the search asks for, level or a little more
	doubt        float64 // jobs that count as late, so that a few punctual ones are not enough
}

// enough is how many punctual jobs, about, show that a promise is kept.
const enough = 50

// kept returns the share of the jobs that were punctual.
func (p pledge) kept(numbers []float64) float64 {
	if numbers[p.at] == 0 {
		return 0
	}
	return numbers[p.at] / (numbers[p.at+1] + p.doubt)
}

// broken returns by how much promises are broken, 0 where all are kept.
func (v *evaluator) broken(t *trial) float64 {
	var sum float64
	for _, p := range v.promises {
		if less := p.aim - p.kept(t.means); less > 0 {
			sum += math.Max(less, 1e-9)
		}
	}
	return sum
}

// breaks reports whether a trial breaks promises.
func (t trial) breaks() bool { return t.value <= -1e-10*lost }

// surely returns how far a promise is kept in a trial: the share of punctual jobs
// over the level, less half a standard error, which is no less than that of as many
// independent jobs.
func (p pledge) surely(t trial) float64 {
	jobs := t.means[p.at+1]
	if jobs == 0 {
		return -p.level
	}
	var rooms []float64
	for _, numbers := range t.runs {
		rooms = append(rooms, numbers[p.at]-p.level*numbers[p.at+1])
	}
	chance := math.Sqrt(p.level * (1 - p.level) / (jobs * float64(len(rooms))))
	return t.means[p.at]/jobs - p.level - math.Max(chance, standardError(rooms)/jobs)/2
}

// safe returns how far the worst promise of a trial is surely kept.
func (v *evaluator) safe(t trial) float64 {
	worst := math.Inf(1)
	for _, p := range v.promises {
		worst = math.Min(worst, p.surely(t))
	}
	return worst
}

// standardError returns that of the mean of x; 0 of one number.
func standardError(x []float64) float64 {
	if len(x) < 2 {
		return 0
	}
	var mean, squares float64
	for _, y := range x {
		mean += y / float64(len(x))
	}
	for _, y := range x {
		squares += (y - mean) * (y - mean)
	}
	return math.Sqrt(squares / float64(len(x)-1) / float64(len(x)))
}

// exchanges returns the admissions between the neighbors of a trial that earn most
// and keep the promises if revenue and punctual shares change linearly, as they do
// nearly: admitting more of one class and less of another is no single step. Some of
// them leave room for as much of a bend as the neighbors show, or half.
func (v *evaluator) exchanges(at trial, tries []trial) [][]float64 {
	n, m := len(at.admit), len(v.promises)
	low, high := slices.Clone(at.admit), slices.Clone(at.admit)
	down, up := slices.Repeat([]trial{at}, n), slices.Repeat([]trial{at}, n)
	for _, try := range tries {
		for i, q := range at.admit {
			switch x := try.admit[i]; {
			case x > q:
				high[i], up[i] = x, try
			case x < q:
				low[i], down[i] = x, try
			}
		}
	}
	// max g y,  y + s = high - low,  -K y + t = kept - aim - K (at - low) - bend,  y = q - low.
	cost, limits, bend := make([]float64, 2*n+m), make([]float64, n+m), make([]float64, m)
	a := mat.NewDense(n+m, 2*n+m, nil)
	for i := range n {
		limits[i] = high[i] - low[i]
		a.Set(i, i, 1)
		a.Set(i, n+i, 1)
		if limits[i] > 0 {
			cost[i] = (down[i].means[0] - up[i].means[0]) / limits[i]
		}
	}
	for k, p := range v.promises {
		own := p.kept(at.means)
		limits[n+k] = own - p.aim
		for i := range n {
			if limits[i] == 0 {
				continue
			}
			under := p.kept(down[i].means)
			slope := (p.kept(up[i].means) - under) / limits[i]
			a.Set(n+k, i, -slope)
			limits[n+k] -= slope * (at.admit[i] - low[i])
			bend[k] += math.Abs(under + slope*(at.admit[i]-low[i]) - own)
		}
		a.Set(n+k, 2*n+k, 1)
	}
	if scale := slices.Max(cost) - slices.Min(cost); scale > 0 {
		for i := range cost {
			cost[i] /= scale
		}
	}
	var list [][]float64
	for range 3 {
		if _, y, err := lp.Simplex(cost, a, limits, 1e-9, nil); err == nil {
			out := make([]float64, n)
			for i := range out {
				out[i] = math.Min(high[i], low[i]+math.Max(0, y[i]))
			}
			list = append(list, out)
		}
		for k, x := range bend {
			limits[n+k] -= x / 2
		}
	}
	return list
}

// searchPromises looks for the admission with which an experiment earns most while
// all promises are kept, starting from the given ones.
//
// From the best start that keeps them it climbs as Maximize does, with one more
// step that exchanges classes, see exchange. Admitting less and less of the others,
// then of all, leads to a start where no other keeps the promises. Every class with a
// promise is admitted with some probability. The admission found keeps the promises by half a
// standard error on random numbers that it has not seen, eight times as many.
//
// Promises that no admission tried keeps are shortfalls; the admission is then the
// one that breaks them least.
func searchPromises(ctx context.Context, e *Experiment, effort scenario.SearchEffort, starts [][]float64, workers int, progress func()) ([]float64, []Shortfall, error) {
	if effort.Jobs == 0 {
		effort.Jobs = searchJobs
	}
	short, seed := shortened(e.Workload, effort.Jobs), derived(e.Seed, "search")
	s := SearchSettings{Replications: effort.Replications, LastStep: effort.Step, Workers: workers, worth: 1e-5}.withDefaults()
	v := &evaluator{workers: workers}
	customers := e.Workload.Customers()
	s.least = make([]float64, len(customers))
	for i, c := range customers {
		if c.SLO != nil {
			level := c.SLO.Level
			v.promises = append(v.promises, pledge{i, 1 + 2*len(v.promises), level, level, enough * (1 - level) / float64(s.Replications)})
			s.least[i] = fewest
		}
	}
	v.run = func(ctx context.Context, admit []float64, replication int) ([]float64, error) {
		try := *e
		try.Workload, try.Seed, try.Plain, try.Admission = short, seed, true, Admission{Admit: admit}
		sample, err := try.Run(ctx, replication)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress()
		}
		numbers := []float64{metric.RevenuePerSecond().Of(sample.Total)}
		if short.Stream() == 0 { // all jobs count, whenever the last one ends
			numbers[0] = sample.Total.Revenue
		}
		for _, p := range v.promises {
			sum := sample.Customers[p.customer]
			numbers = append(numbers, float64(sum.Punctual), float64(sum.Promised))
		}
		return numbers, nil
	}
	for _, start := range starts {
		s.Starts = append(s.Starts, v.raised(start, s.least))
	}
	top, tried, err := v.keep(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if top.breaks() {
		return top.admit, v.shortfalls(customers, tried), nil
	}
	return top.admit, nil, nil
}

// keep returns the best trial found that keeps the promises, else the one that
// breaks them least, and what was tried before the climb.
func (v *evaluator) keep(ctx context.Context, s SearchSettings) (top trial, tried []trial, err error) {
	// The last start, which keeps the promises by the model, may break them here by
	// little.
	last := s.Starts[len(s.Starts)-1]
	tried, err = v.try(ctx, append(v.retreats(last, s.least), s.Starts[:len(s.Starts)-1]...), 0, s.Replications)
	if err != nil {
		return top, nil, err
	}
	if top = best(tried); top.breaks() {
		more, err := v.try(ctx, v.fewer(top.admit, s.least), 0, s.Replications)
		if err != nil {
			return top, nil, err
		}
		tried = append(tried, more...)
		top = best(tried)
	}
	if !top.breaks() {
		top, err = v.verified(ctx, top, s)
		top.value = top.means[0]
	}
	return top, tried, err
}

// verified climbs from a trial to one that earns most while it keeps the promises by
// half a standard error on random numbers that the climb does not see. By as much as
// a promise is broken there, or kept for nothing, the next climb aims higher, or
// lower. If no climb comes to anything, the result is the one that keeps the promises
// best.
func (v *evaluator) verified(ctx context.Context, at trial, s SearchSettings) (trial, error) {
	const rounds = 4
	var top *trial
	var last []trial
	for round := range rounds {
		step := firstStep
		if round > 0 {
			step /= 8
		}
		found, err := v.compass(ctx, at, step, s)
		if err != nil {
			return at, err
		}
		fresh, err := v.try(ctx, [][]float64{found.admit}, s.Replications, 9*s.Replications)
		if err != nil {
			return at, err
		}
		last = append(last, fresh...)
		if v.safe(fresh[0]) >= 0 && (top == nil || fresh[0].means[0] > top.means[0]) {
			top = &fresh[0]
		}
		var moved float64
		for k := range v.promises {
			p := &v.promises[k]
			change := -p.surely(fresh[0])
			if change < 0 && p.kept(found.means)-p.aim > 0.01 {
				continue // it does not bind
			}
			p.aim = math.Min(math.Max(p.aim+change, p.level/2), (1+p.level)/2)
			moved = math.Max(moved, math.Abs(change)/(1-p.level))
		}
		if top != nil && moved < 0.005 {
			break
		}
		again, err := v.try(ctx, append(v.retreats(found.admit, s.least), s.Starts...), 0, s.Replications)
		if err != nil {
			return at, err
		}
		at = best(again)
	}
	if top != nil {
		return *top, nil
	}
	more, err := v.try(ctx, append(v.retreats(last[len(last)-1].admit, s.least), s.Starts...), s.Replications, 9*s.Replications)
	if err != nil {
		return at, err
	}
	best := last[0]
	for _, t := range append(last, more...) {
		if safe, most := v.safe(t), v.safe(best); most < 0 && safe > most || safe >= 0 && t.means[0] > best.means[0] {
			best = t
		}
	}
	return best, nil
}

// raised returns an admission with at least the given probabilities.
func (v *evaluator) raised(admit, least []float64) []float64 {
	out := slices.Clone(admit)
	for i := range out {
		out[i] = math.Max(out[i], least[i])
	}
	return out
}

// scaled returns an admission with the probabilities of the customers without a
// promise, and those with one, multiplied.
func (v *evaluator) scaled(admit, least []float64, others, own float64) []float64 {
	out := make([]float64, len(admit))
	for i, q := range admit {
		out[i] = others * q
	}
	for _, p := range v.promises {
		out[p.customer] = own * admit[p.customer]
	}
	return v.raised(out, least)
}

// fewest is the least probability with which a class that promises something is
// admitted.
const fewest = 1.0 / 4096

// fewer returns admissions of less and less: of the customers without a promise, of
// all, and of those with a promise alone.
func (v *evaluator) fewer(admit, least []float64) [][]float64 {
	var list [][]float64
	ones := slices.Repeat([]float64{1}, len(admit))
	for _, x := range []float64{0.9, 0.75, 0.5, 0.25, 1.0 / 16, 1.0 / 64, 1.0 / 512, fewest} {
		list = append(list, v.scaled(admit, least, x, 1), v.scaled(admit, least, x, x), v.scaled(ones, least, x, 1), v.scaled(ones, least, 0, x))
	}
	list = append(list, v.scaled(ones, least, 0, 1))
	for _, p := range v.promises {
		alone := make([]float64, len(admit))
		alone[p.customer] = least[p.customer]
		list = append(list, alone)
	}
	return list
}

// retreats returns an admission and more and more cautious ones.
func (v *evaluator) retreats(admit, least []float64) [][]float64 {
	list := [][]float64{admit}
	for _, x := range []float64{0.99, 0.98, 0.96, 0.93, 0.9, 0.85, 0.75, 0.5} {
		list = append(list, v.scaled(admit, least, x, 1), v.scaled(admit, least, x, x))
	}
	return list
}

// shortfalls returns the promises that no trial keeps.
func (v *evaluator) shortfalls(customers []model.Class, tried []trial) []Shortfall {
	var list []Shortfall
	for _, p := range v.promises {
		var most float64
		for _, t := range tried {
			most = math.Max(most, p.kept(t.means))
		}
		if c := customers[p.customer]; most < p.level {
			list = append(list, Shortfall{c.Name, Number(c.SLO.Within), Number(c.SLO.Level), Number(most)})
		}
	}
	return list
}

// promiseStarts returns admissions from which a search for one that keeps promises
// starts: those of Starts and, of classes, the one that keeps them by the model of
// real servers.
func (m *Admissions) promiseStarts(ctx context.Context) ([][]float64, error) {
	starts, err := m.Starts(ctx)
	if err != nil {
		return nil, err
	}
	starts = slices.Clone(starts)
	if a, err := m.Analysis(ctx); err == nil && a.Fit == nil {
		sys := a.System
		sys.Residual = model.Multiserver
		r, err := optimize.Exact(ctx, sys, optimize.Settings{})
		if err != nil {
			return nil, err
		}
		starts = append(starts, r.Admit)
	}
	return starts, ctx.Err()
}
