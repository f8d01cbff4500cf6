package waits

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// truth is a log that a known scheduler made, with what held its jobs back.
type truth struct {
	Log      // with the true outages and limits
	idle     bool
	schedule string
	load     float64
}

// world makes the starts of a log: a scheduler with a number of reservations, limits and outages.
type world struct {
	log          *Log
	units        int
	reservations int // 0: fcfs, 1: easy, many: conservative
	planned      []bool
	estimate     []float64
	release      []float64 // s, at which the hold of a job ends, which the log does not say
	waiting      []int     // by submission
	running      []int
	used         int
}

// step is free units from a time on.
type step struct {
	at   float64
	free int
}

// profile returns the free units of the future by the estimates of the jobs that run, less the outages that are known.
func (w *world) profile(now float64) []step {
	type change struct {
		at    float64
		units int
	}
	changes := []change{}
	free := w.units - w.used
	for _, i := range w.running {
		changes = append(changes, change{max(w.log.Jobs[i].Start+w.estimate[i], now+60), w.log.Jobs[i].Width})
	}
	for k, o := range w.log.Outages {
		switch {
		case o.From <= now && now < o.To:
			free -= w.units
			changes = append(changes, change{o.To, w.units})
		case w.planned[k] && now < o.From:
			changes = append(changes, change{o.From, -w.units}, change{o.To, w.units})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.at, b.at) })
	steps := []step{{now, free}}
	for _, c := range changes {
		last := &steps[len(steps)-1]
		if c.at > last.at {
			steps = append(steps, step{c.at, last.free})
			last = &steps[len(steps)-1]
		}
		last.free += c.units
	}
	return steps
}

// earliest returns the first time at which a width is free for some time.
func earliest(steps []step, width int, length float64) float64 {
	for k := 0; k < len(steps); k++ {
		fits := true
		for m := k; m < len(steps) && (m == k || steps[m].at < steps[k].at+length); m++ {
			if steps[m].free < width {
				fits = false
				k = m
				break
			}
		}
		if fits {
			return steps[k].at
		}
	}
	return math.Inf(1)
}

// take returns the steps less a width for some time.
func take(steps []step, at, length float64, width int) []step {
	for _, t := range []float64{at, at + length} {
		k, found := slices.BinarySearchFunc(steps, t, func(s step, t float64) int { return cmp.Compare(s.at, t) })
		if !found {
			steps = slices.Insert(steps, k, step{t, steps[k-1].free})
		}
	}
	for k := range steps {
		if steps[k].at >= at && steps[k].at < at+length {
			steps[k].free -= width
		}
	}
	return steps
}

// limited reports whether a job is at a limit of the log.
func (w *world) limited(i int) bool {
	j := &w.log.Jobs[i]
	for _, limit := range w.log.Limits {
		if j.owner(limit.Of) != limit.Name {
			continue
		}
		held, jobs := 0, 0
		for _, k := range w.running {
			if other := &w.log.Jobs[k]; other.owner(limit.Of) == limit.Name {
				held += other.Width
				jobs++
			}
		}
		if jobs > 0 && limit.Units > 0 && held+j.Width > limit.Units || limit.Jobs > 0 && jobs >= limit.Jobs {
			return true
		}
	}
	return false
}

// pass starts what may start now.
func (w *world) pass(now float64) {
	steps, left := w.profile(now), w.reservations
	for _, i := range slices.Clone(w.waiting) {
		j := &w.log.Jobs[i]
		if w.release[i] > now || w.limited(i) {
			continue
		}
		at := earliest(steps, j.Width, w.estimate[i])
		switch {
		case at == now:
			w.start(i, now)
			steps = take(steps, now, w.estimate[i], j.Width)
		case left > 0:
			left--
			steps = take(steps, at, w.estimate[i], j.Width)
		case w.reservations == 0:
			return
		}
	}
}

func (w *world) start(i int, now float64) {
	j := &w.log.Jobs[i]
	j.End += now // it was the run time
	j.Start = now
	w.running = append(w.running, i)
	w.used += j.Width
	w.waiting = slices.DeleteFunc(w.waiting, func(k int) bool { return k == i })
}

// run makes all starts, pass by pass.
func (w *world) run() {
	var times []float64
	for i := range w.log.Jobs {
		times = append(times, w.log.Jobs[i].Submit, w.release[i])
	}
	for _, o := range w.log.Outages {
		times = append(times, o.From, o.To)
	}
	slices.Sort(times)
	next, came := 0, 0
	for next < len(times) || len(w.running) > 0 {
		now := math.Inf(1)
		if next < len(times) {
			now = times[next]
		}
		for _, i := range w.running {
			now = min(now, w.log.Jobs[i].End)
		}
		for next < len(times) && times[next] <= now {
			next++
		}
		for ; came < len(w.log.Jobs) && w.log.Jobs[came].Submit <= now; came++ {
			w.waiting = append(w.waiting, came)
		}
		w.end(now)
		w.pass(now)
	}
}

// end takes the units of the jobs that end now, or that an outage kills.
func (w *world) end(now float64) {
	kill := slices.ContainsFunc(w.log.Outages, func(o Outage) bool { return o.From == now })
	w.running = slices.DeleteFunc(w.running, func(i int) bool {
		j := &w.log.Jobs[i]
		if kill {
			j.End = min(j.End, now)
		}
		if j.End <= now {
			w.used -= j.Width
			return true
		}
		return false
	})
}

// generate returns log n of a series, and how it was made.
func generate(n int) *truth {
	r := rand.New(rand.NewPCG(uint64(n), 2026))
	t := &truth{idle: n%6 == 5, load: 0.55 + 0.45*r.Float64()}
	if t.idle {
		t.load = 0.02 + 0.15*r.Float64()
	}
	w := &world{log: &t.Log, units: []int{64, 100, 256, 1000}[r.IntN(4)], reservations: []int{0, 1, math.MaxInt}[n%3]}
	t.schedule = []string{"fcfs", "easy", "conservative"}[n%3]
	t.Pools = []Pool{{"all", w.units, "core"}}
	span := t.submit(r, 2500, w.units)
	share, mean := []float64{0, 0, 0.02, 0.1}[r.IntN(4)], 3600*(1+8*r.Float64()) // of jobs that are held, and s
	if t.idle {
		share = []float64{0, 0.2, 1}[r.IntN(3)]
	}
	alike := r.IntN(2) == 0 // all holds are equally long
	for i := range t.Jobs {
		hold := 0.0
		if r.Float64() < share {
			hold = mean
			if !alike {
				hold = math.Round(mean * r.ExpFloat64())
			}
		}
		w.release = append(w.release, t.Jobs[i].Submit+math.Round(hold))
		w.estimate = append(w.estimate, math.Ceil(t.Jobs[i].End*(1+2*r.Float64())))
	}
	if !t.idle {
		t.restrict(r, w, span)
	}
	w.run()
	return t
}

// submit makes jobs that come in bursts, more by day than at night and on weekends, and returns their span. Their ends
// are run times.
func (t *truth) submit(r *rand.Rand, jobs, units int) float64 {
	weights := []float64{0.4, 0.65, 0.8, 0.92, 1}
	at, work := 0.0, 0.0
	for len(t.Jobs) < jobs {
		account := slices.IndexFunc(weights, func(w float64) bool { return r.Float64() < w })
		account = max(account, 0)
		user := fmt.Sprintf("u%d%d", account, min(r.IntN(4), r.IntN(4)))
		width := 1 << r.IntN(1+int(math.Log2(float64(units)/4)))
		if r.IntN(4) == 0 {
			width = 1 + r.IntN(max(units/8, 1))
		}
		length := math.Round(60 + 5400*math.Exp(1.2*r.NormFloat64()-0.72))
		at += r.ExpFloat64()
		for range 1 + int(r.ExpFloat64()*3) {
			run := math.Round(max(length*(0.7+0.6*r.Float64()), 30))
			t.Jobs = append(t.Jobs, Job{ID: int64(len(t.Jobs)), Submit: at, Eligible: math.NaN(), Start: math.NaN(), End: run,
				Width: width, Account: fmt.Sprint("a", account), User: user, Group: "g", Queue: "q", After: -1})
			work += run * float64(width)
			at += 0.003 * r.ExpFloat64()
		}
	}
	span := work / (float64(units) * t.load)
	scale := span / at
	for i := range t.Jobs {
		t.Jobs[i].Submit = math.Round(daily(t.Jobs[i].Submit * scale))
	}
	return span
}

// daily moves a time of a steady stream to the working hours: a week has 5 days of which 12 hours have most.
func daily(x float64) float64 {
	const hour = 3600.0
	at := 0.0
	for {
		clock, day := math.Mod(at/hour, 24), int(at/hour/24)%7
		rate := 0.5
		if clock >= 8 && clock < 20 {
			rate = 1.8
		}
		if day >= 5 {
			rate = 0.4
		}
		if x < rate*hour {
			return at + x/rate
		}
		x -= rate * hour
		at += hour
	}
}

// restrict adds limits and outages.
func (t *truth) restrict(r *rand.Rand, w *world, span float64) {
	for range r.IntN(3) {
		limit := Limit{Of: "account", Name: fmt.Sprint("a", r.IntN(4))}
		if r.IntN(3) == 0 {
			limit = Limit{Of: "user", Name: fmt.Sprintf("u%d0", r.IntN(3))}
		}
		share := 0.08 + 0.4*r.Float64()
		limit.Units = max(int(float64(w.units)*share), 2)
		t.Limits = append(t.Limits, limit)
	}
	for range r.IntN(3) {
		o := Outage{From: math.Round(span * (0.1 + 0.8*r.Float64()))}
		o.To = o.From + math.Round(3600*(4+20*r.Float64()))
		if !slices.ContainsFunc(t.Outages, func(p Outage) bool { return o.From < p.To+86400 && p.From < o.To+86400 }) {
			t.Outages = append(t.Outages, o)
			w.planned = append(w.planned, r.IntN(2) == 0)
		}
	}
}
