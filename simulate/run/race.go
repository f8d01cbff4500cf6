package run

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Search looks for the values of coordinates with which a case delivers most, by simulation of the same jobs under all
// of them. A coordinate is whatever a case may have otherwise: a setting of a policy, or the admission of a customer.
// Candidates are rows, and replication k has the same jobs in all of them. No candidate runs twice.
//
// Every round has candidates that differ in one coordinate. All run in 4 replications. Then the worse half stops, and so
// does every candidate that is below the leader by more than the 95 % interval of their paired difference; the others
// run in twice as many, up to Most. The gain of the leaders is decided by as many other replications, which the round has
// not seen. See search.go for the rounds.
//
// The race errs in two ways: the best candidate may be stopped early, at each look with a chance of 2.5 % by its
// interval, and a larger one by the half that stops; and the end is a local optimum. Both cost value. None makes a
// report on other random numbers too good.
type Search struct {
	Lab         *Lab
	Coordinates []Coordinate
	At          func(places []int) Case // the case with each coordinate at one of its values
	Objective   Objective
	Promises    []Promise // that candidates have to keep
	Harm        bool      // candidates may harm customers and groups of width
	Most        int       // replications of a round; 1 where nothing is random
	Limit       int       // runs, about: the round that reaches them is the last
	Level       float64   // of confidence that a coordinate gains
	// Again is the share of the variance of histories that more of them do not reduce, see confirmed; 0: jobs are new in
	// every replication.
	Again float64

	Runs  int        // so far
	Spent bool       // the search ended because its runs were used up
	Now   *Candidate // every coordinate as it is today

	order []int // coordinates that entered, the first one first
	left  []bool
	tries [][]int // places that a coordinate is tried at
	known map[string]*Candidate
	seen  Frame // of rounds
	fresh Frame // of replications that no round has seen
}

// Coordinate is something of a case that may be varied.
type Coordinate struct {
	Name   string
	Values []string // from the least to the largest
	Now    int      // place of today's value
	Start  int      // a place to try first
	Needs  string   // a coordinate at whose first value this one has no effect; "" is none
}

// Candidate is a case that a search tries.
type Candidate struct {
	Places []int // of the values of coordinates; nil: something else
	Case   Case

	name string // of the row
}

// The rule of the race.
const (
	raceFirst = 4
	raceStep  = 4
	raceLevel = 0.95
	worth     = 0.001 // share of the value that another value of a coordinate has to gain
)

// SearchMost is the usual number of replications of a round.
const SearchMost = 64

// FlatShare is the share of the value that is not worth another coordinate, nor an odd number.
const FlatShare = 0.005

// Candidate returns the candidate of a case. Equal cases have one.
func (s *Search) Candidate(c Case, places []int) *Candidate {
	name := c.Row()
	if s.known == nil {
		s.known = map[string]*Candidate{}
	}
	if s.known[name] == nil {
		s.known[name] = &Candidate{places, c, name}
	}
	return s.known[name]
}

// at returns the candidate at some places of the coordinates.
func (s *Search) at(places []int) *Candidate { return s.Candidate(s.At(places), places) }

// index returns the coordinate of a name, -1 if there is none.
func (s *Search) index(name string) int {
	return slices.IndexFunc(s.Coordinates, func(c Coordinate) bool { return c.Name == name })
}

// moved returns a candidate with one coordinate at another place. A coordinate that has no effect without another one
// turns that on.
func (s *Search) moved(c *Candidate, k, to int) *Candidate {
	places := slices.Clone(c.Places)
	places[k] = max(0, min(to, len(s.Coordinates[k].Values)-1))
	back := places[k] == s.Coordinates[k].Now
	for k = s.index(s.Coordinates[k].Needs); k >= 0 && !back; k = s.index(s.Coordinates[k].Needs) {
		if places[k] == 0 {
			places[k] = len(s.Coordinates[k].Values) / 2
		}
	}
	return s.at(places)
}

// measure runs candidates until each has n replications.
func (s *Search) measure(ctx context.Context, n int, list ...*Candidate) error {
	return s.run(ctx, &s.seen, 0, n, list)
}

// Confirm runs candidates in replications that no round has seen.
func (s *Search) Confirm(ctx context.Context, list ...*Candidate) error {
	return s.run(ctx, &s.fresh, s.Most, s.Most, list)
}

// run adds n replications of candidates, from one on, to a frame, as far as it does not have them.
func (s *Search) run(ctx context.Context, to *Frame, from, n int, list []*Candidate) error {
	var due []Case
	for _, c := range list {
		have := 0
		if at := to.rows[c.name]; at != nil {
			have = len(at.records)
			if at.once {
				have = n
			}
		}
		if have < n && !slices.ContainsFunc(due, func(other Case) bool { return other.Row() == c.name }) {
			due = append(due, c.Case)
			s.Runs += n - have
		}
	}
	if due == nil {
		return nil
	}
	f, err := s.Lab.frame(ctx, due, from, n)
	if err != nil {
		return err
	}
	for _, failed := range f.Failures() {
		return failed
	}
	if to.rows == nil {
		to.rows = map[string]*Runs{}
	}
	for name, at := range f.rows {
		to.rows[name] = at
	}
	return nil
}

// first returns the first n replications of some rows of a frame.
func (f *Frame) first(n int, list ...*Candidate) *Frame {
	cut := &Frame{Level: f.Level, rows: map[string]*Runs{}}
	for _, c := range list {
		at := *f.rows[c.name]
		at.records = at.records[:min(n, len(at.records))]
		cut.rows[c.name] = &at
	}
	return cut
}

// common returns the replications that two candidates have in common in a frame, with those of today.
func (s *Search) common(f *Frame, a, b *Candidate) *Frame {
	n := math.MaxInt
	for _, c := range []*Candidate{a, b} {
		if at := f.rows[c.name]; !at.once {
			n = min(n, len(at.records))
		}
	}
	return f.first(n, a, b, s.Now)
}

// gained returns the gain of a candidate over another one on the same jobs.
func (s *Search) gained(f *Frame, a, b *Candidate) Series {
	return s.Objective.Gain(f.Series(a.Case, All, s.Objective.Column), f.Series(b.Case, All, s.Objective.Column))
}

// paired returns by how much more a candidate breaks rules than another one on the same jobs, and the interval of its
// gain over all replications at a level, which is a number if nothing is random.
func (s *Search) paired(f *Frame, a, b *Candidate, level float64) (broken float64, gain metric.Interval) {
	cut := s.common(f, a, b)
	gain = metric.Estimate(s.gained(cut, a, b).values, level)
	if s.Most == 1 {
		gain.HalfWidth = 0
	}
	return s.Broken(cut, a.Case, s.Now.Case) - s.Broken(cut, b.Case, s.Now.Case), gain
}

// versus compares candidates on the numbers of rounds. Candidates of a round share the luck of the weeks.
func (s *Search) versus(c, than *Candidate) (broken float64, gain metric.Interval) {
	return s.paired(&s.seen, c, than, raceLevel)
}

// Confirmed compares candidates on replications that no round has seen.
//
// Histories that are drawn from W weeks of a log repeat these: more histories do not add weeks. A history of L weeks has
// the variance s^2 (1/W + 1/L), where s^2 is that of a week, as its weeks are drawn from a pool that is drawn
// from the log; the mean of the log itself has s^2/W, which is a share of L/(L + W). So the interval is the range of the
// histories about their mean, at the level, times sqrt(L/(L + W)). As a range it is as skewed as they are: most settings
// gain much in a few busy weeks, and little in the others.
func (s *Search) Confirmed(c, than *Candidate, level float64) (broken float64, gain metric.Interval) {
	broken, gain = s.paired(&s.fresh, c, than, level)
	if s.Again == 0 || s.Most == 1 {
		return broken, gain
	}
	gain = metric.Spread(s.gained(s.common(&s.fresh, c, than), c, than).values, level)
	scale := math.Sqrt(s.Again)
	gain.Low = gain.Mean + scale*(gain.Low-gain.Mean)
	gain.High = gain.Mean + scale*(gain.High-gain.Mean)
	gain.HalfWidth *= scale
	return broken, gain
}

// Broken returns by how much a row breaks rules: every customer or group of width that is harmed against today counts as
// 1, and so does a smaller share of jobs that run, whose mean wait or slowdown would be compared.
func (s *Search) Broken(f *Frame, row, now Case) float64 {
	return text.Sum(s.Promises, func(p Promise) float64 { return p.Excess(f, row) }) + float64(len(s.Harmed(f, row, now))) + s.Fewer(f, row, now)
}

// Fewer returns 1 if a row runs a smaller share of the jobs than today and the objective is a mean over the jobs that
// run, else 0.
func (s *Search) Fewer(f *Frame, row, now Case) float64 {
	return metric.Indicator(s.Objective.Smaller && f.RunsFewer(row, now))
}

// Harmed returns the groups that are harmed against today on the same jobs; none if that is allowed.
func (s *Search) Harmed(f *Frame, row, now Case) []Affected {
	if s.Harm {
		return nil
	}
	_, harmed := f.Affected(row, now, s.Lab.Groups())
	return harmed
}

// ahead orders candidates by the rules that they break, then by the objective.
func (s *Search) ahead(a, b *Candidate) int {
	broken, gain := s.versus(a, b)
	return cmp.Or(cmp.Compare(broken, 0), cmp.Compare(0, gain.Mean))
}

// Mean returns the objective of a candidate on fresh replications, with the sign that makes more of it better.
func (s *Search) Mean(c *Candidate) float64 {
	mean, _ := s.fresh.Series(c.Case, All, s.Objective.Column).Mean()
	return s.Objective.Merit(mean)
}

// share returns a share of the objective of a candidate.
func (s *Search) share(c *Candidate, share float64) float64 { return share * math.Abs(s.Mean(c)) }

// Gains reports whether a candidate breaks fewer rules than another one, or as many and gains beyond chance, and at
// least a share of the value.
func (s *Search) Gains(c, than *Candidate, least float64) bool {
	broken, gain := s.Confirmed(c, than, s.Level)
	low, _ := gain.Bounds()
	return broken < 0 || broken == 0 && low > 0 && gain.Mean >= s.share(than, least)
}

// round races moves against each other and against the candidate that they start from, and returns the leaders of those
// that do better, the first one first. Moves stop that cannot gain a share of the value.
func (s *Search) round(ctx context.Context, at *Candidate, least float64, moves []*Candidate) ([]*Candidate, error) {
	var field []*Candidate
	for _, c := range moves {
		if c != at && !slices.Contains(field, c) {
			field = append(field, c)
		}
	}
	for n := min(raceFirst, s.Most); len(field) > 0; n *= 2 {
		if err := s.measure(ctx, n, append(slices.Clone(field), at)...); err != nil {
			return nil, err
		}
		slices.SortStableFunc(field, s.ahead)
		leader := slices.MinFunc([]*Candidate{at, field[0]}, s.ahead)
		if 2*n > s.Most {
			break
		}
		field = slices.DeleteFunc(field[:(len(field)+1)/2], func(c *Candidate) bool {
			broken, gain := s.versus(c, leader)
			if c != leader && (broken > 0 || gain.Mean+gain.HalfWidth <= 0) {
				return true
			}
			broken, gain = s.versus(c, at)
			return broken >= 0 && gain.Mean+gain.HalfWidth < s.share(at, least)
		})
		if s.Runs >= s.Limit && len(field) > 0 {
			s.Spent = true
			break
		}
	}
	return text.Where(field, func(c *Candidate) bool { return s.ahead(c, at) < 0 }), nil
}
