package run

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// SearchJobs is the largest length of a replication of a search: many short ones tell admissions apart as
// well as few long ones, on more workers.
const SearchJobs = 20000

// The search for an admission.
const (
	searchReplications = 16       // of a round, by default
	searchLevel        = 0.5      // of confidence that a step gains
	firstStep          = 0.25     // how far a probability moves at first
	lastStep           = 1.0 / 64 // and at last, by default
)

// seek returns the admission probabilities of a case with which a policy charges most on the simulator. The queueing
// model knows the best admission of its queue; with bounded penalties, expiry and jobs side by side another one may earn
// more.
//
// The coordinates of the search are the probabilities of the customers. It begins with the best of all jobs and what the
// model recommends, and draws other random numbers than the measurement, which would favor the admission otherwise. Of
// several providers the first one is searched alone: those that take its refused jobs change nothing of what it earns.
func (l *Lab) seek(ctx context.Context, c Case, at *point, p subject.Policy) ([]float64, error) {
	starts, err := at.models.Starts(ctx)
	if err != nil {
		return nil, err
	}
	effort := cmp.Or(c.Admission.Search, &scenario.SearchEffort{})
	step := cmp.Or(effort.Step, lastStep)
	base := c
	base.Jobs.Drained, base.Jobs.Count = false, c.searchJobs(at.subject.Workload, effort.Jobs)
	base.Seed = DerivedSeed(c.Seed, "search")
	aside := l.aside()
	base.Do, err = aside.Policy(p)
	if err != nil {
		return nil, err
	}
	levels := text.EachAt(starts[0], func(customer int, _ float64) []float64 { return levels(step, starts, customer) })
	admit := func(places []int) []float64 {
		return text.EachAt(places, func(i, place int) float64 { return levels[i][place] })
	}
	s := &Search{Lab: aside, Objective: earned(at.workload), Harm: true, Level: searchLevel, Limit: math.MaxInt,
		Most: cmp.Or(effort.Replications, searchReplications),
		At: func(places []int) Case {
			tried := base
			tried.Admission = Admission{Admit: admit(places), Parties: true}
			return tried
		}}
	for i, name := range subject.Parties(at.workload) {
		s.Coordinates = append(s.Coordinates, Coordinate{Name: name, Values: text.Each(levels[i], text.Plain)})
	}
	found, err := s.Climb(ctx, max(1, int(firstStep/step)), text.Each(starts, func(start []float64) []int {
		return text.EachAt(start, func(i int, q float64) int { return slices.Index(levels[i], q) })
	}))
	if err != nil {
		return nil, err
	}
	return admit(found.Places), nil
}

// aside returns a lab for a search: its records stay in memory, and no shard has a part of them.
func (l *Lab) aside() *Lab {
	o := Options{Seed: l.o.Seed, Policies: l.o.Policies, Named: l.o.Named, Workers: l.o.Workers}
	return &Lab{Store: &Store{}, o: o, alone: true, base: l.base, opener: l.opener, subject: l.subject, groups: l.groups,
		inputs: l.inputs, layout: l.layout, spare: l.spare}
}

// earned is the money charged: per hour of a stream, else in all.
func earned(w workload.Workload) Objective {
	if w.Stream() == 0 {
		return Objective{Column: ColumnRevenueTotal, Unit: Dollars}
	}
	return Objective{Column: ColumnRevenue, Unit: PerHour}
}

// levels returns the probabilities that are tried of a customer: those that are a step apart, and those of starts.
func levels(step float64, starts [][]float64, customer int) []float64 {
	list := []float64{1}
	for i := 0; float64(i)*step < 1; i++ {
		list = append(list, float64(i)*step)
	}
	for _, start := range starts {
		list = append(list, start[customer])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// searchJobs returns the jobs of a replication of a search, 0 for as many as the workload has: those of the case, up to
// a number, 0 being SearchJobs. A search wants a steady state, so that the warm-up stays where jobs are drained.
func (c Case) searchJobs(w workload.Workload, most int) int {
	most = cmp.Or(most, SearchJobs)
	if c.Jobs.Drained {
		return min(most, cmp.Or(c.Jobs.Count, workload.DrainedJobs))
	}
	if w.Size() <= float64(most) {
		return 0
	}
	return most
}

// Shortened returns a stream with replications of at most so many jobs.
func Shortened(w workload.Workload, jobs int) workload.Workload {
	if !(float64(jobs) < w.Size()) {
		return w
	}
	return resized(w, jobs)
}

// resized returns a stream with replications of so many jobs. A warm-up in seconds stays, up to half of the rest.
func resized(w workload.Workload, jobs int) workload.Workload {
	c, ok := w.(*workload.Classes)
	if !ok {
		return w
	}
	l := c.Length()
	if l.Horizon > 0 {
		l.Horizon *= float64(jobs) / w.Size()
	} else {
		l.Jobs = int64(jobs)
	}
	l.WarmupSeconds = min(l.WarmupSeconds, float64(jobs)/c.Stream()/2)
	return c.WithLength(l)
}
