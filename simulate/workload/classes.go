package workload

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"revopt/internal/heap"
	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// Classes is a workload without end: a stream of jobs per class, merged in order
// of time. Lengths, widths and values are those of the job's class; the rank is
// the class's place in model.ServiceOrder by its work, so that the most urgent class,
// (14)-(15), is served first. Jobs pay their value.
type Classes struct {
	classes []model.Class // or sections
	pools   *Pools        // nil: one machine
	nodes   int
	length  Length
	waiting int // the most jobs that may wait; negative: any number
	ranks   []int
	widths  [][]width
	hours   [][]float64 // of arrivals with a profile
	end     Length      // of a drained workload: Jobs or Horizon; else zero
	whole   *Classes    // that this is a part of; nil: of none
	cut     *cut        // the part
	down    downtime
}

// Length is the length of a replication of Classes: a number of jobs or a horizon,
// both with the warm-up.
type Length struct {
	Jobs           int64
	Horizon        float64 // s
	WarmupFraction float64 // of the jobs or of the horizon
	WarmupSeconds  float64
}

// DrainedJobs is the default number of jobs of a drained stream, at most and on
// average.
const DrainedJobs = 5000

// width is one of the widths of a class.
type width struct {
	nodes int
	below float64 // cumulative share of jobs
}

// NewClasses returns the workload of classes on a cluster. Without arrivals it has no
// jobs, see Classes.Jobs.
func NewClasses(classes []model.Class, nodes int, length Length) (*Classes, error) {
	n := len(classes)
	w := &Classes{
		classes: classes, nodes: nodes, length: length, waiting: -1,
		widths: make([][]width, n), hours: make([][]float64, n),
	}
	for i, c := range classes {
		if !(c.Rate >= 0) || math.IsInf(c.Rate, 1) {
			return nil, fmt.Errorf("workload: class %s has rate %g", c.Name, c.Rate)
		}
		err := bounded(&c)
		if err != nil {
			return nil, err
		}
		w.widths[i], err = widthsOf(c)
		if err != nil {
			return nil, err
		}
		w.hours[i], err = hoursOf(c.Arrivals)
		if err != nil {
			return nil, err
		}
		if _, err := newArrivals(c.Arrivals, w.hours[i], c.Rate, rand.New(rand.NewPCG(0, 0))); err != nil {
			return nil, fmt.Errorf("workload: class %s: %w", c.Name, err)
		}
	}
	w.ranks = model.Ranks(model.ServiceOrder(model.ByWidth(classes)))
	return w, nil
}

func widthsOf(c model.Class) ([]width, error) {
	if len(c.Width.Values) == 0 {
		return []width{{nodes: 1, below: 1}}, nil
	}
	var widths []width
	var sum float64
	for i, v := range c.Width.Values {
		if v < 1 || v != math.Trunc(v) || v > math.MaxInt32 {
			return nil, fmt.Errorf("workload: width %g of class %s is not a whole number of nodes", v, c.Name)
		}
		sum += c.Width.Weights[i]
		widths = append(widths, width{nodes: int(v), below: sum})
	}
	return widths, nil
}

// WithPools returns the workload on a machine of pools, which the classes name. A class
// whose jobs may move to other pools has a section there, to which no jobs come by
// themselves.
func (w *Classes) WithPools(list []model.Pool) (*Classes, error) {
	p := newPools(list, w.classes, func(c, pool int) bool { return pool >= 0 && list[pool].Name == w.classes[c].Pool })
	d := &Classes{pools: p, nodes: p.units(nil), length: w.length, waiting: w.waiting, classes: p.terms}
	urgency := text.Each(model.ByWidth(p.terms), model.Class.Urgency)
	for i, s := range p.Sections {
		d.widths, d.hours = append(d.widths, w.widths[s.Customer]), append(d.hours, w.hours[s.Customer])
		if !p.direct[i] {
			d.classes[i].Rate, p.Cut = 0, true
		}
	}
	for _, c := range w.classes {
		if !slices.ContainsFunc(list, func(p model.Pool) bool { return p.Name == c.Pool }) {
			return nil, fmt.Errorf("workload: class %s is in pool %q, which is not listed", c.Name, c.Pool)
		}
	}
	p.rank(urgency)
	d.ranks = p.ranks
	return d, nil
}

// Sites implements Workload.
func (w *Classes) Sites() []Site {
	return w.down.on(w.pools.sites(simulate.Site{Processors: w.nodes}))
}

// Pools, Customers, Charging and Random implement Workload.
func (w *Classes) Pools() *Pools               { return w.pools }
func (w *Classes) Customers() []model.Class    { return w.classes }
func (w *Classes) Charging() simulate.Charging { return simulate.ByValue }
func (w *Classes) Random() bool                { return true }

// Has implements Workload.
func (w *Classes) Has() simulate.Has {
	h := simulate.Has{Alike: true, Sites: 1, Exact: true, Outages: w.down != nil}
	datedBy(&h, w.classes, func(i int) bool { return w.classes[i].Rate > 0 && w.classes[i].Price != model.Tariff{} })
	return h
}

// Window implements Workload. The window of a drained workload closes with the last
// arrival, so that amounts per second refer to the time in which jobs arrive. Without a
// warm-up a replication starts empty, and arrivals end with it too, as those of a drained
// workload do: the same jobs then have the same fates in both.
func (w *Classes) Window() simulate.Window {
	if w.end != (Length{}) {
		return simulate.Window{Jobs: w.end.Jobs, Horizon: w.end.Horizon}
	}
	l := w.length
	l.Jobs = int64(math.Round(float64(l.Jobs) * w.share()))
	r := simulate.Window{
		Jobs: l.Jobs, Horizon: l.Horizon, WarmupTime: l.WarmupSeconds,
		Drain: l.WarmupFraction == 0 && l.WarmupSeconds == 0,
	}
	if l.Horizon > 0 {
		r.WarmupTime += l.WarmupFraction * l.Horizon
	} else {
		r.WarmupJobs = int64(l.WarmupFraction * float64(l.Jobs))
	}
	return r
}

// Length returns the length of a replication.
func (w *Classes) Length() Length { return w.length }

// Waiting returns the most jobs that may wait; a negative number is no limit.
func (w *Classes) Waiting() int { return w.waiting }

// WithWaiting returns the workload with a limit on the jobs that wait.
func (w *Classes) WithWaiting(jobs int) *Classes {
	limited := *w
	limited.waiting = jobs
	return &limited
}

// WithLength returns the workload with replications of another length.
func (w *Classes) WithLength(l Length) *Classes {
	c := *w
	c.length, c.end = l, Length{}
	return &c
}

// Stream implements Workload.
func (w *Classes) Stream() float64 {
	var sum float64
	for i := range w.classes { // a class is large: none is copied
		sum += w.classes[i].Rate
	}
	return sum
}

// Size implements Workload.
func (w *Classes) Size() float64 {
	l := w.length
	if w.end != (Length{}) {
		l = w.end
	}
	if l.Horizon > 0 {
		return l.Horizon * w.Stream()
	}
	return float64(l.Jobs) * w.share()
}

// share returns the share of all jobs that come to this part of a workload.
func (w *Classes) share() float64 {
	if w.whole == nil {
		return 1
	}
	return w.Stream() / w.whole.Stream()
}

// Load implements Workload: sum rate E[length] E[width] / nodes.
func (w *Classes) Load() float64 {
	busy := text.Sum(w.classes, func(c model.Class) float64 { return c.Rate * c.Length.Mean() * c.Width.Mean() })
	return busy / float64(w.nodes)
}

// Drained implements Workload. By default it has the length of the workload, up to
// DrainedJobs on average.
func (w *Classes) Drained(jobs int) Workload {
	c := *w
	switch {
	case jobs > 0:
		c.end = Length{Jobs: int64(jobs)}
	case w.length.Horizon > 0:
		c.end = Length{Horizon: w.length.Horizon * math.Min(1, DrainedJobs/(w.length.Horizon*w.Stream()))}
	default:
		c.end = Length{Jobs: min(cmp.Or(w.length.Jobs, DrainedJobs), DrainedJobs)}
	}
	return &c
}

// Jobs implements Workload.
//
// Every class has separate streams for arrivals, lengths, widths and lots of
// admission, and draws from each once per job in all cases. So job k of a class has
// the same length in every run of one seed and replication, and the same time of
// submission if the rate of the class is the same.
//
// Customers of a class with a demand are ranked by the price that they would pay, and
// those with a rank below the rate at the stated price come: at a higher price some of
// them stay away, at a lower price others come besides.
func (w *Classes) Jobs(seed uint64, replication int) (simulate.Source, error) {
	if w.Stream() == 0 {
		return nil, errors.New("workload: no jobs arrive, so there is nothing to simulate")
	}
	if w.whole != nil {
		whole := *w.whole
		whole.length, whole.end = w.length, w.end
		return w.cut.source(whole.Jobs(seed, replication))
	}
	s := &classSource{left: math.MaxInt64, until: math.Inf(1)}
	if w.end.Jobs > 0 {
		s.left = w.end.Jobs
	}
	if w.end.Horizon > 0 {
		s.until = w.end.Horizon
	}
	for i := range w.classes {
		if w.pools != nil && !w.pools.direct[i] {
			continue
		}
		number := w.pools.customer(i) // of the random numbers
		for k, m := range markets(&w.classes[i]) {
			random := func(purpose string) *rand.Rand {
				if k > 0 {
					purpose += fmt.Sprint(" of market ", k)
				}
				return simulate.Stream(seed, replication, purpose, number)
			}
			arrivals, err := newArrivals(w.classes[i].Arrivals, w.hours[i], m.to-m.from, random("arrivals"))
			if err != nil {
				return nil, err
			}
			one := stream{
				index: i, class: &w.classes[i], rank: w.ranks[i], widths: w.widths[i], arrivals: arrivals,
				length: random("lengths"), wide: random("widths"), admit: random("admission"), hard: random("hard"),
				patience: random("patience"),
			}
			if m.share < 1 {
				one.share, one.buys = m.share, random("demand")
			}
			s.streams, s.next = append(s.streams, one), append(s.next, math.Float64bits(arrivals.Next(0)))
		}
	}
	if len(s.next) >= manyStreams {
		s.many = &heap.Heap[due]{Less: func(a, b *due) bool { return a.at < b.at || a.at == b.at && a.stream < b.stream }}
		for i, at := range s.next {
			s.many.Push(due{at, i})
		}
	}
	return s, nil
}

// market is a part of the customers of a class, in jobs/s of the ranking that begins
// with the customers that would pay most.
type market struct {
	from, to float64
	share    float64 // of the customers that come
}

// markets returns the customers of a class at its rate: those that come at the stated
// price, and then twice as many again and again. If hardly any customer of a market
// comes, the few are drawn without the others.
func markets(c *model.Class) []market {
	d := c.Demand
	if d == nil || c.Rate < 1e-3*d.Rate || d.Rate == 0 {
		return []market{{to: c.Rate, share: 1}}
	}
	var list []market
	for m := (market{to: d.Rate}); m.from < c.Rate; m.from, m.to = m.to, 2*m.to {
		m.share = min(1, (c.Rate-m.from)/(m.to-m.from))
		list = append(list, m)
	}
	return list
}

// classSource is the jobs of a replication.
type classSource struct {
	streams []stream // of classes in turn; one with a demand may have several
	next    []uint64 // time of the next job of each, +Inf if there is none; its bits rise with it

	many *heap.Heap[due] // of next, where streams are many; nil: all of next are compared

	left  int64   // jobs to come
	until float64 // s, the last time of submission
}

// manyStreams is from how many streams on a heap is faster than a comparison of all of them.
const manyStreams = 32

// due is the time of the next job of a stream.
type due struct {
	at     uint64
	stream int
}

// stream is the jobs of one class to come.
type stream struct {
	index    int // of the class
	class    *model.Class
	rank     int
	widths   []width
	arrivals arrivals
	length   *rand.Rand
	wide     *rand.Rand
	admit    *rand.Rand // nil: no lots are drawn
	hard     *rand.Rand
	patience *rand.Rand
	buys     *rand.Rand // nil: all come
	share    float64    // of the customers that come
}

// WithoutLots tells a source that no admission looks at the lots of its jobs (Job.Chance), so that jobs of classes
// are drawn without them. Lots have random numbers of their own: the jobs stay the same.
func WithoutLots(jobs simulate.Source) {
	s, ok := jobs.(*classSource)
	if !ok {
		return
	}
	for i := range s.streams {
		s.streams[i].admit = nil
	}
}

// Next implements simulate.Source.
func (w *classSource) Next(j *simulate.Job) (ok bool, err error) {
	for {
		first, least := w.first()
		at := math.Float64frombits(least)
		if w.left == 0 || at > w.until || at > math.MaxFloat64 {
			return false, nil
		}
		s := &w.streams[first]
		s.draw(j, at)
		w.next[first] = math.Float64bits(s.arrivals.Next(at))
		if w.many != nil {
			w.many.First().at = w.next[first]
			w.many.Sink()
		}
		if s.buys == nil || s.buys.Float64() < s.share {
			w.left--
			return true, nil
		}
	}
}

// first returns the stream of the next job, the first of those with the same time, and that time.
func (w *classSource) first() (first, least uint64) {
	if w.many != nil {
		next := w.many.First()
		return uint64(next.stream), next.at
	}
	least = math.Float64bits(math.Inf(1))
	for i, next := range w.next { // without a branch, because processors cannot predict the least
		_, less := bits.Sub64(next, least, 0)
		first ^= (first ^ uint64(i)) & -less
		least ^= (least ^ next) & -less
	}
	return first, least
}

// draw sets a job that is submitted at a time.
func (s *stream) draw(j *simulate.Job, at float64) {
	j.Class = s.index
	j.Rank = s.rank
	j.Submit = at
	j.Work = s.class.Length.Rand(s.length)
	j.Width = s.widths[0].nodes
	if len(s.widths) > 1 {
		j.Width = s.width()
	}
	if s.admit != nil {
		j.Chance = s.admit.Float64()
	}
	j.Spec.Details.Estimate, j.Spec.Details.Exact = j.Work, true
	j.Patience = 0
	if s.class.Patience > 0 {
		j.Patience = s.class.Patience * s.patience.ExpFloat64()
	}
	setValue(j, s.class, s.class.Hard > 0 && s.hard.Float64() < s.class.Hard)
}

func (s *stream) width() int {
	last := len(s.widths) - 1
	u := s.wide.Float64()
	for _, w := range s.widths[:last] {
		if u < w.below {
			return w.nodes
		}
	}
	return s.widths[last].nodes
}

// Ranks returns the place of each class in the service order; the largest is
// served first.
func (w *Classes) Ranks() []int { return w.ranks }
