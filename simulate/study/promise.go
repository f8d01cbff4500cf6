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
}

// kept returns the share of the jobs that were punctual.
func (p pledge) kept(numbers []float64) float64 {
	if numbers[p.at] == 0 {
		return 0
	}
	return numbers[p.at] / numbers[p.at+1]
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

// room returns how far a promise is kept in a trial: the share of punctual jobs over
// the level, less so many standard errors, which are no less than those of as many
// independent jobs.
func (p pledge) room(t trial, errors float64) float64 {
	jobs := t.means[p.at+1]
	if jobs == 0 { // nothing is sure, and nothing is contrary
		return -errors
	}
	var rooms []float64
	for _, numbers := range t.runs {
		rooms = append(rooms, numbers[p.at]-p.level*numbers[p.at+1])
	}
	chance := math.Sqrt(p.level * (1 - p.level) / (jobs * float64(len(rooms))))
	return t.means[p.at]/jobs - p.level - errors*math.Max(chance, standardError(rooms)/jobs)
}

// surely is the number of standard errors by which a promise is kept on fresh random
// numbers by an admission that was searched, and contrary that by which one may be
// broken there by an admission that keeps it by a model of the very same queue.
const surely, contrary = 1, -3

// room returns that of the worst promise of a trial.
func (v *evaluator) room(t trial, errors float64) float64 {
	worst := math.Inf(1)
	for _, p := range v.promises {
		worst = math.Min(worst, p.room(t, errors))
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
// all promises are kept, starting from the given ones. Where the last of them is the
// optimum of a model of the very same queue, it is the result unless simulation on
// random numbers of its own contradicts it.
//
// From the best start that keeps the promises it climbs as Maximize does, with one more
// step that exchanges classes, see exchanges. Admitting less and less of the others,
// then of all, leads to a start where no other keeps the promises. Every class with a
// promise is admitted with some probability, in a search often enough to be seen. The
// admission found keeps the promises by a standard error on random numbers that it has not
// seen, eight times as many.
//
// Promises that no admission tried keeps are shortfalls; the admission is then the
// one that breaks them least.
func searchPromises(ctx context.Context, e *Experiment, effort scenario.SearchEffort, starts [][]float64, exact bool, workers int, progress func()) ([]float64, []Shortfall, error) {
	if effort.Jobs == 0 {
		effort.Jobs = searchJobs
	}
	short, seed := shortened(e.Workload, effort.Jobs), derived(e.Seed, "search")
	s := SearchSettings{Replications: effort.Replications, LastStep: effort.Step, Workers: workers, worth: 1e-5}.withDefaults()
	v := &evaluator{workers: workers, journal: e.Journal}
	customers := e.Workload.Customers()
	rare := make([]float64, len(customers))
	for i, c := range customers {
		if c.SLO != nil {
			rare[i] = fewest
			v.promises = append(v.promises, pledge{i, 1 + 2*len(v.promises), c.SLO.Level, c.SLO.Level})
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
	if exact {
		fresh, err := v.try(ctx, [][]float64{raised(starts[len(starts)-1], rare)}, s.Replications, 9*s.Replications)
		if err != nil {
			return nil, nil, err
		}
		if v.room(fresh[0], contrary) >= 0 {
			return fresh[0].admit, nil, nil
		}
	}
	var err error
	if s.least, err = v.visible(ctx, rare, s.Replications); err != nil {
		return nil, nil, err
	}
	for _, start := range starts {
		s.Starts = append(s.Starts, raised(start, s.least))
	}
	s.Starts = slices.CompactFunc(s.Starts, slices.Equal)
	top, tried, err := v.keep(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	if top.breaks() {
		return top.admit, v.shortfalls(customers, tried), nil
	}
	return top.admit, nil, nil
}

// fewest is the least probability with which a class that promises something is
// admitted.
const fewest = 1.0 / 4096

// visible returns the least probabilities of a search, no less than the given ones:
// those with which about 400 jobs of each class that promises something are seen in
// all replications, at most 1/16.
func (v *evaluator) visible(ctx context.Context, least []float64, replications int) ([]float64, error) {
	const jobs, most = 400, 1.0 / 16
	all, err := v.try(ctx, [][]float64{slices.Repeat([]float64{1}, len(least))}, 0, replications)
	if err != nil {
		return nil, err
	}
	least = slices.Clone(least)
	for _, p := range v.promises {
		seen := all[0].means[p.at+1] * float64(replications)
		least[p.customer] = math.Min(most, math.Max(least[p.customer], jobs/math.Max(1, seen)))
	}
	return least, nil
}

// keep returns the best trial found that keeps the promises, else the one that
// breaks them least, and what was tried before the climb.
func (v *evaluator) keep(ctx context.Context, s SearchSettings) (top trial, tried []trial, err error) {
	// The last start, which keeps the promises by the model, may break them here by
	// little.
	last := s.Starts[len(s.Starts)-1]
	tried, err = v.try(ctx, append(v.cautious(last, s.least), s.Starts[:len(s.Starts)-1]...), 0, s.Replications)
	if err != nil {
		return top, nil, err
	}
	if top = best(tried); top.breaks() {
		more, err := v.try(ctx, v.sparse(top.admit, s.least), 0, s.Replications)
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

// verified climbs from a trial to one that earns most while it surely keeps the
// promises on random numbers that the climb does not see. By as much as a promise is
// broken there, or kept for nothing, the next climb aims higher, or lower. The last
// start and the last climb are met halfway where they earn more but break promises. If
// nothing surely keeps the promises, the result is the trial that does so best.
func (v *evaluator) verified(ctx context.Context, at trial, s SearchSettings) (trial, error) {
	const rounds = 4
	fresh := func(admissions ...[]float64) ([]trial, error) {
		return v.try(ctx, admissions, s.Replications, 9*s.Replications)
	}
	tried, err := fresh(s.Starts...)
	if err != nil {
		return at, err
	}
	for round := range rounds {
		step := firstStep
		if round > 0 {
			step /= 8
		}
		found, err := v.compass(ctx, at, step, s)
		if err != nil {
			return at, err
		}
		check, err := fresh(found.admit)
		if err != nil {
			return at, err
		}
		tried = append(tried, check...)
		var moved float64
		for k := range v.promises {
			p := &v.promises[k]
			change := -p.room(check[0], surely)
			if change < 0 && p.kept(found.means)-p.aim > 0.01 {
				continue // it does not bind
			}
			p.aim = math.Min(math.Max(p.aim+change, p.level/2), (1+p.level)/2)
			moved = math.Max(moved, math.Abs(change)/(1-p.level))
		}
		if moved < 0.005 {
			break
		}
		again, err := v.try(ctx, append(v.cautious(found.admit, s.least), s.Starts...), 0, s.Replications)
		if err != nil {
			return at, err
		}
		at = best(again)
	}
	top := v.surest(tried)
	if v.room(top, surely) < 0 {
		more, err := fresh(v.cautious(top.admit, s.least)...)
		if err != nil {
			return at, err
		}
		top = v.surest(more)
	}
	for _, bolder := range []trial{tried[len(s.Starts)-1], tried[len(tried)-1]} {
		for range 5 {
			if v.room(top, surely) < 0 || v.room(bolder, surely) >= 0 || bolder.means[0] <= top.means[0] {
				break
			}
			half := slices.Clone(top.admit)
			for i, q := range bolder.admit {
				half[i] = (half[i] + q) / 2
			}
			mid, err := fresh(half)
			if err != nil {
				return at, err
			}
			if v.room(mid[0], surely) < 0 {
				bolder = mid[0]
			} else {
				top = v.surest([]trial{top, mid[0]})
			}
		}
	}
	return top, nil
}

// surest returns the trial that earns most of those that surely keep the promises,
// else the one that does so best.
func (v *evaluator) surest(tried []trial) trial {
	top := tried[0]
	for _, t := range tried[1:] {
		if room, most := v.room(t, surely), v.room(top, surely); most < 0 && room > most || room >= 0 && t.means[0] > top.means[0] {
			top = t
		}
	}
	return top
}

// raised returns an admission with at least the given probabilities.
func raised(admit, least []float64) []float64 {
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
	return raised(out, least)
}

// sparse returns admissions of less and less: of the customers without a promise, of
// all, and of those with a promise alone.
func (v *evaluator) sparse(admit, least []float64) [][]float64 {
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

// cautious returns an admission and more and more cautious ones.
func (v *evaluator) cautious(admit, least []float64) [][]float64 {
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
// real servers; whether that model is exact under a policy; and what it says.
func (m *Admissions) promiseStarts(ctx context.Context, p Policy) (starts [][]float64, exact bool, answer *ExactAnswer, err error) {
	if starts, err = m.Starts(ctx); err != nil {
		return nil, false, nil, err
	}
	a, err := m.Analysis(ctx)
	if err != nil || a.Fit != nil {
		return starts, false, nil, ctx.Err()
	}
	sys := a.System
	sys.Residual = model.Multiserver
	r, err := optimize.Exact(ctx, sys, optimize.Settings{})
	if err != nil {
		return nil, false, nil, err
	}
	exact = p.Spec.Ranked && a.Waiting == nil && sameQueue(sys, m.Subject.Nodes())
	return append(slices.Clone(starts), r.Admit), exact, newExactAnswer(sys.Classes, r), nil
}

// sameQueue reports whether the waits of the model of real servers are those of the
// simulator under hol: one server, or several and exponential lengths of one mean;
// Poisson arrivals of jobs as wide as a server, that wait until they are served.
func sameQueue(sys model.System, nodes int) bool {
	mean := sys.Classes[0].Length.Mean()
	exponential, err := model.New(model.Exponential, mean, mean, 0)
	return err == nil && sys.Parallel == float64(nodes) && sys.Phi == 1 && !slices.ContainsFunc(sys.Classes, func(c model.Class) bool {
		return nodes > 1 && c.Length != exponential || c.Expire != model.ExpireNever || c.Hard > 0 || !c.Arrivals.Poisson()
	})
}
