package experiment

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// NoPromiseError is a workload without promises where they are to be kept.
type NoPromiseError struct{ Scenario string }

func (e *NoPromiseError) Error() string {
	return "no class of " + e.Scenario + " promises anything (slo), so there is no promise to keep"
}

// pledge is a promise in a search: of a customer, or of one in a pool. The numbers of a
// run at which it stands are its punctual jobs and those that the admission let in.
type pledge struct {
	Check        // without what is kept
	column int   // of a sample
	admits []int // probabilities that are about its jobs
	at     int
	level  float64 // promised
	aim    float64 // what the search asks for, level or a little more
}

// pledges returns the promises of a workload.
func pledges(w workload.Workload) []pledge {
	var list []pledge
	for i, s := range subject.Sections(w) {
		slo, admits := s.Promise, []int{i}
		if p := w.Pools(); p != nil {
			admits = nil
			for k, section := range p.Sections {
				if s.At.Has(section) {
					admits = append(admits, k)
				}
			}
		}
		if slo == nil || admits == nil {
			continue
		}
		check := Check{Name: s.Name, Pool: s.Pool, Within: metric.Number(slo.Within), Level: metric.Number(slo.Level),
			First: admits[0]}
		list = append(list, pledge{check, i, admits, 1 + 2*len(list), slo.Level, slo.Level})
	}
	return list
}

// PromisedChecks adds to checks what a workload promises.
func PromisedChecks(w workload.Workload, checks []Check) []Check {
	checks = slices.Clone(checks)
	for i, c := range checks {
		for _, p := range pledges(w) {
			if p.First == c.First {
				p.Kept, p.HalfWidth = c.Kept, c.HalfWidth
				checks[i] = p.Check
			}
		}
	}
	return checks
}

// void reports whether an admission lets in none of the jobs of a promise.
func (p pledge) void(admit []float64) bool {
	return !slices.ContainsFunc(p.admits, func(i int) bool { return admit[i] > 0 })
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
		if less := p.aim - p.kept(t.means); less > 0 && !p.void(t.admit) {
			sum += math.Max(less, 1e-9)
		}
	}
	return sum
}

// breaks reports whether a trial breaks promises.
func (t trial) breaks() bool { return t.value <= -1e-10*lost }

// share returns the share of punctual jobs in a trial, with an interval at 95 % that is
// no narrower than that of as many independent jobs.
func (p pledge) share(t trial) metric.Interval {
	jobs := t.means[p.at+1]
	if jobs == 0 { // nothing is sure, and nothing is contrary
		return metric.Interval{Mean: p.level, HalfWidth: 1}
	}
	kept := t.means[p.at] / jobs
	off := text.Each(t.runs, func(x []float64) float64 { return (x[p.at] - kept*x[p.at+1]) / jobs })
	chance := 2 * math.Sqrt(p.level*(1-p.level)/(jobs*float64(len(off))))
	return metric.Interval{Mean: kept, HalfWidth: math.Max(chance, metric.Estimate(off, 0.95).HalfWidth)}
}

// surely is by how many half widths of an interval at 95 % a promise is kept on fresh
// random numbers by an admission that was searched, about a standard error, and
// contrary that by which one may be broken there by an admission that keeps it by a
// model of the very same queue, about three.
const surely, contrary = 0.5, -1.5

// room returns how far a promise is kept in a trial, less so many half widths. It is
// infinite if no job of the class is admitted, as the promise is void then.
func (p pledge) room(t trial, halves float64) float64 {
	if p.void(t.admit) {
		return math.Inf(1)
	}
	share := p.share(t)
	return share.Mean - p.level - halves*share.HalfWidth
}

// room returns that of the worst promise of a trial.
func (v *evaluator) room(t trial, halves float64) float64 {
	worst := math.Inf(1)
	for _, p := range v.promises {
		worst = math.Min(worst, p.room(t, halves))
	}
	return worst
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
	cost := make([]float64, 2*n+m)
	limits := make([]float64, n+m)
	bend := make([]float64, m)
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
		now := p.kept(at.means)
		limits[n+k] = now - p.aim
		for i := range n {
			if limits[i] == 0 {
				continue
			}
			under := p.kept(down[i].means)
			slope := (p.kept(up[i].means) - under) / limits[i]
			a.Set(n+k, i, -slope)
			limits[n+k] -= slope * (at.admit[i] - low[i])
			bend[k] += math.Abs(under + slope*(at.admit[i]-low[i]) - now)
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
			list = append(list, text.EachAt(low, func(i int, q float64) float64 {
				return math.Min(high[i], q+math.Max(0, y[i]))
			}))
		}
		for k, x := range bend {
			limits[n+k] -= x / 2
		}
	}
	return list
}

// Promises searches for the admission that earns most while all promises are kept,
// from the given starts and a grid, and checks it on random numbers that it has not
// seen. If the model is exact, the last start is the optimum of a model of the same queue: it is
// the result, by formula, unless the check contradicts it.
//
// From the best start that keeps the promises it climbs as Maximize does, with one more
// step that exchanges classes, see exchanges. The admission found keeps the promises by
// a standard error on random numbers that the climb has not seen, eight times as many.
// Where none does, less and less is admitted until one does. So an admission that breaks
// a promise is the result only where few jobs alone are late; it is the one that breaks
// them least.
func (p Search) Promises(ctx context.Context, from PromiseStarts) (admit []float64, k Keeping, err error) {
	s := p.settings(from.Starts).withDefaults()
	s.grid, s.worth = from.Grid, 1e-5
	v := &evaluator{workers: s.Workers, promises: pledges(p.Experiment.Workload)}
	v.run = func(ctx context.Context, admit []float64, replication int) ([]float64, error) {
		sample, money, err := p.try(ctx, p.Experiment.Workload, Admission{Admit: admit}, replication)
		if err != nil {
			return nil, err
		}
		numbers := []float64{money}
		for _, promise := range v.promises {
			sum := sample.Customers[promise.column]
			numbers = append(numbers, float64(sum.Punctual), float64(sum.PromisedEntered))
		}
		return numbers, nil
	}
	var top trial
	formula := false
	if from.Exact {
		check, err := v.fresh(ctx, s, from.Starts[len(from.Starts)-1])
		if err != nil {
			return nil, Keeping{}, err
		}
		top = check[0]
		formula = v.room(top, contrary) >= 0
	}
	if !formula {
		s.least, err = v.visible(ctx, len(from.Starts[0]), s.Replications)
		if err != nil {
			return nil, Keeping{}, err
		}
		top, err = v.keep(ctx, s)
		if err != nil {
			return nil, Keeping{}, err
		}
	}
	return top.admit, Keeping{Checks: v.checks(top), Formula: formula, Exact: from.Answer}, nil
}

// checks returns how far the promises are kept in a trial, of classes that were seen.
func (v *evaluator) checks(t trial) []Check {
	var list []Check
	for _, p := range v.promises {
		if share := p.share(t); t.means[p.at+1] > 0 {
			p.Kept, p.HalfWidth = metric.Number(share.Mean), metric.Number(share.HalfWidth)
			list = append(list, p.Check)
		}
	}
	return list
}

// visible returns the least probabilities of a climb: those with which about 400 jobs
// of each class that promises something are seen in all replications, at most 1/16.
func (v *evaluator) visible(ctx context.Context, customers, replications int) ([]float64, error) {
	const jobs, most = 400, 1.0 / 16
	all, err := v.try(ctx, [][]float64{slices.Repeat([]float64{1}, customers)}, 0, replications)
	if err != nil {
		return nil, err
	}
	least := make([]float64, customers)
	for _, p := range v.promises {
		seen := all[0].means[p.at+1] * float64(replications)
		for _, i := range p.admits {
			least[i] = math.Min(most, jobs/math.Max(1, seen))
		}
	}
	return least, nil
}

// fresh simulates admissions on random numbers that no climb sees.
func (v *evaluator) fresh(ctx context.Context, s SearchSettings, admissions ...[]float64) ([]trial, error) {
	return v.try(ctx, admissions, s.Replications, 9*s.Replications)
}

// keep returns the trial on fresh random numbers that earns most of those that surely
// keep the promises, else the one that does so best.
func (v *evaluator) keep(ctx context.Context, s SearchSettings) (trial, error) {
	seen := func(admissions ...[]float64) ([]trial, error) { return v.try(ctx, admissions, 0, s.Replications) }
	fresh := func(admissions ...[]float64) ([]trial, error) { return v.fresh(ctx, s, admissions...) }
	s.Starts, s.grid = slices.Clone(s.Starts), slices.Clone(s.grid)
	for _, list := range [][][]float64{s.Starts, s.grid} {
		for i, admit := range list {
			list[i] = raised(admit, s.least)
		}
	}
	s.Starts = slices.CompactFunc(s.Starts, slices.Equal)
	// The last start, which keeps the promises by the model, may break them by little.
	last := len(s.Starts) - 1
	begun, err := seen(slices.Concat(v.cautious(s.Starts[last], s.least), s.Starts[:last], s.grid)...)
	if err != nil {
		return trial{}, err
	}
	at := best(begun)
	if at.breaks() {
		less, err := v.milder(at, seen, func(t trial) bool { return !t.breaks() })
		if err != nil {
			return trial{}, err
		}
		at = best(append(less, at))
		s.least = text.EachAt(s.least, func(i int, q float64) float64 { return math.Min(q, at.admit[i]) })
	}
	tried, err := fresh(append(s.Starts, at.admit)...)
	if err != nil {
		return trial{}, err
	}
	if !at.breaks() {
		climbed, err := v.climbs(ctx, at, begun, s)
		if err != nil {
			return trial{}, err
		}
		tried = append(tried, climbed...)
	}
	// The last start and the last climb are met halfway where they earn more but break
	// promises, and so are the last that were not mild enough.
	top, bolder := v.surest(tried), []trial{tried[last], tried[len(tried)-1]}
	if v.room(top, surely) < 0 {
		less, err := v.milder(top, fresh, func(t trial) bool { return v.room(t, surely) >= 0 })
		if err != nil {
			return trial{}, err
		}
		bolder = append(bolder, less[max(0, len(less)-4):]...)
		top = v.surest(append(less, top))
	}
	if v.room(top, surely) < 0 {
		return top, nil
	}
	for _, b := range bolder {
		top, err = v.halfway(top, b, fresh)
		if err != nil {
			return trial{}, err
		}
	}
	// A class at its least, where it was kept visible, may be worth nothing at all.
	none := slices.Clone(top.admit)
	for _, p := range v.promises {
		for _, i := range p.admits {
			if none[i] <= s.least[i] {
				none[i] = 0
			}
		}
	}
	if slices.Equal(none, top.admit) {
		return top, nil
	}
	refused, err := fresh(none)
	return v.surest(append(refused, top)), err
}

// halfway bisects between a trial that keeps the promises and one that earns more.
func (v *evaluator) halfway(top, bolder trial, try func(...[]float64) ([]trial, error)) (trial, error) {
	for range 5 {
		if v.room(bolder, surely) >= 0 || bolder.means[0] <= top.means[0] {
			break
		}
		mid, err := try(text.EachAt(top.admit, func(i int, q float64) float64 { return (q + bolder.admit[i]) / 2 }))
		if err != nil {
			return top, err
		}
		if v.room(mid[0], surely) < 0 {
			bolder = mid[0]
		} else {
			top = v.surest([]trial{top, mid[0]})
		}
	}
	return top, nil
}

// climbs climbs from a trial to those that earn most while the promises hold, and
// returns them on fresh random numbers. By as much as a promise is broken there, or kept
// for nothing, the next climb aims higher, or lower, from there or from one begun.
func (v *evaluator) climbs(ctx context.Context, at trial, begun []trial, s SearchSettings) ([]trial, error) {
	const rounds = 4
	var tried []trial
	for round := range rounds {
		step := firstStep
		if round > 0 {
			step /= 8
		}
		top, err := v.compass(ctx, at, step, s)
		if err != nil {
			return nil, err
		}
		check, err := v.fresh(ctx, s, top.admit)
		if err != nil {
			return nil, err
		}
		tried = append(tried, check...)
		var moved float64
		for k := range v.promises {
			p := &v.promises[k]
			change := -p.room(check[0], surely)
			if change < 0 && p.kept(top.means)-p.aim > 0.01 {
				continue // it does not bind
			}
			p.aim = math.Min(math.Max(p.aim+change, p.level/2), (1+p.level)/2)
			moved = math.Max(moved, math.Abs(change)/(1-p.level))
		}
		if moved < 0.005 {
			break
		}
		again, err := v.try(ctx, v.cautious(top.admit, s.least), 0, s.Replications)
		if err != nil {
			return nil, err
		}
		for i := range begun {
			v.score(&begun[i])
		}
		at = best(append(again, begun...))
	}
	return tried, nil
}

// surest returns the trial that earns most and surely keeps the promises, else the surest.
func (v *evaluator) surest(tried []trial) trial {
	top := tried[0]
	for _, t := range tried[1:] {
		room, most := v.room(t, surely), v.room(top, surely)
		if most < 0 && room > most || room >= 0 && t.means[0] > top.means[0] {
			top = t
		}
	}
	return top
}

// milder tries less and less of what a trial admits, down to few jobs alone: of the
// customers without a promise, and of all. It ends where one of these will do.
func (v *evaluator) milder(than trial, try func(...[]float64) ([]trial, error),
	will func(trial) bool) (tried []trial, err error) {
	none := make([]float64, len(than.admit))
	for x := 0.5; x >= 1.0/4096 && !slices.ContainsFunc(tried, will); x /= 4 {
		less, err := try(v.scaled(than.admit, none, x, 1), v.scaled(than.admit, none, x, x))
		if err != nil {
			return nil, err
		}
		tried = append(tried, less...)
	}
	return tried, nil
}

// raised returns an admission with at least the given probabilities.
func raised(admit, least []float64) []float64 {
	return text.EachAt(admit, func(i int, q float64) float64 { return math.Max(q, least[i]) })
}

// scaled multiplies the probabilities of customers without a promise, and of those with one.
func (v *evaluator) scaled(admit, least []float64, others, promised float64) []float64 {
	out := text.EachAt(admit, func(_ int, q float64) float64 { return others * q })
	for _, p := range v.promises {
		for _, i := range p.admits {
			out[i] = promised * admit[i]
		}
	}
	return raised(out, least)
}

// cautious returns an admission and more and more cautious ones.
func (v *evaluator) cautious(admit, least []float64) [][]float64 {
	list := [][]float64{admit}
	for _, x := range []float64{0.99, 0.98, 0.96, 0.93, 0.9, 0.85, 0.75, 0.5} {
		list = append(list, v.scaled(admit, least, x, 1), v.scaled(admit, least, x, x))
	}
	return list
}

// greedy returns a grid of admissions that is the same whatever is promised: class
// after class is let in, more and more of it, by price per unit of work, and by price
// per unit of the mean residual that it adds.
func greedy(sys model.System) [][]float64 {
	const points = 16
	var grid [][]float64
	for moment := 1; moment <= 2; moment++ {
		order := text.Numbers(len(sys.Classes))
		slices.SortStableFunc(order, func(i, j int) int {
			a, b := sys.Classes[i], sys.Classes[j]
			return cmp.Compare(b.MeanPrice()*a.Length.Moment(moment), a.MeanPrice()*b.Length.Moment(moment))
		})
		for k := 1; k <= points; k++ {
			admit := make([]float64, len(order))
			for place, i := range order {
				admit[i] = math.Min(1, math.Max(0, float64(k*len(order))/points-float64(place)))
			}
			grid = append(grid, admit)
		}
	}
	return grid
}

// sameQueue reports whether the waits of the model of real servers are those of the
// simulator under hol: one server, or several and exponential lengths of one mean;
// Poisson arrivals of jobs as wide as a server, that wait until they are served.
func sameQueue(sys model.System, nodes int) bool {
	mean := sys.Classes[0].Length.Mean()
	exponential, err := model.New(model.Exponential, mean, mean, 0)
	return err == nil && sys.Parallel == float64(nodes) && sys.Phi == 1 &&
		!slices.ContainsFunc(sys.Classes, func(c model.Class) bool {
			return nodes > 1 && c.Length != exponential || c.Expire != model.ExpireNever || c.Patience > 0 ||
				c.Hard > 0 ||
				!c.Arrivals.Poisson()
		})
}
