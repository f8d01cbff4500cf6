package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Stop ends the replications of a point when the interval of a column is narrow enough in all its rows. It looks only
// after First, 2 First, 4 First, ... replications and never between, so that the number of replications, and with it
// every result, is the same at any number of workers.
//
// An interval at which a run stops because it is narrow covers the mean less often than Level says (Law & Kelton,
// section 9.4.1), most of all where few replications agree by chance. Intervals are therefore taken at a higher level,
// see metric.LookLevel: of normal numbers 94.8 to 99 % are then covered at 95 %, wherever a run stops, with First from
// 4 to 10.
type Stop struct {
	Column   string
	Relative float64 // half width as a share of the mean, 0.01 is 1 %
	Level    float64 // of confidence; 0 is metric.DefaultLevel
	First    int     // replications before the first look; 0 is 10
	Most     int     // replications at most; 0 is usualMost
}

// usualMost is how many replications a rule to stop allows unless it says so.
const usualMost = 1280

// ImpreciseError is a frame with intervals that are wider than asked for, in as many replications as are allowed.
type ImpreciseError struct {
	Points       int // at which they are
	Replications int
}

func (e *ImpreciseError) Error() string {
	return fmt.Sprintf("%s: intervals are still too wide at %s", text.Plural(e.Replications, "replication"),
		text.Plural(e.Points, "point"))
}

// Until is Frame with as many replications as a rule asks for, and bounds or models in as many. Known cases cost
// nothing. Where intervals stay too wide the error is an *ImpreciseError.
func (l *Lab) Until(ctx context.Context, rows, others []Case, stop Stop) (*Frame, error) {
	list, err := l.want(ctx, slices.Concat(rows, others), 0, 0)
	if err != nil {
		return nil, err
	}
	names := text.Each(rows, Case.Row)
	for i := range list {
		list[i].look = slices.Contains(names, list[i].name)
	}
	stop, err = stop.whole()
	if err != nil {
		return nil, err
	}
	points := byPoint(list)
	failed := &failures{}
	open, err := l.look(ctx, points, stop, failed)
	f := l.collectAll(points, failed, stop.Level)
	if err == nil && open > 0 {
		err = &ImpreciseError{Points: open, Replications: stop.Most}
	}
	return f, err
}

// look runs points in the replications of a first look, and those whose intervals are too wide in twice as many again and
// again, up to the most that the rule allows. It returns how many points are still too wide.
func (l *Lab) look(ctx context.Context, points []*watched, stop Stop, failed *failures) (open int, err error) {
	for n := stop.First; len(points) > 0; n = min(2*n, stop.Most) {
		var due []wanted
		for _, p := range points {
			p.grow(n)
			due = append(due, p.list...)
		}
		if err := l.run(ctx, due, failed); err != nil {
			return len(points), err
		}
		points = text.Where(points, func(p *watched) bool { return !p.narrow(l.collect(p.list, failed), stop) })
		if n == stop.Most {
			break
		}
	}
	return len(points), nil
}

// whole returns the rule with its defaults filled in.
func (s Stop) whole() (Stop, error) {
	s.Level = cmp.Or(s.Level, metric.DefaultLevel)
	s.Most = cmp.Or(s.Most, usualMost)
	if s.First == 0 {
		s.First = min(10, s.Most)
	}
	if !(s.Relative > 0) || s.First < 2 || s.Most < s.First {
		return s, fmt.Errorf("a precision of %g with %d to %d replications cannot be reached", s.Relative, s.First,
			s.Most)
	}
	return s, nil
}

// watched is rows that have as many replications.
type watched struct{ list []wanted }

// byPoint groups rows by their points.
func byPoint(list []wanted) []*watched {
	var points []*watched
	place := map[string]int{}
	for _, w := range list {
		name := w.it.Point().Row()
		k, known := place[name]
		if !known {
			k = len(points)
			place[name] = k
			points = append(points, &watched{})
		}
		points[k].list = append(points[k].list, w)
	}
	return points
}

// grow asks for so many replications.
func (p *watched) grow(n int) {
	for i := range p.list {
		if p.list[i].once {
			p.list[i].n = 1
		} else {
			p.list[i].n = n
		}
	}
}

// narrow reports whether the intervals of all rows are narrow enough. Rows that failed do not count.
func (p *watched) narrow(f *Frame, stop Stop) bool {
	for _, w := range p.list {
		s := f.Series(w.it, All, stop.Column)
		if !w.look || s.once || len(s.values) == 0 {
			continue
		}
		i := metric.Estimate(s.values, metric.LookLevel(stop.Level, len(s.values)))
		if !(i.Relative() <= stop.Relative) {
			return false
		}
	}
	return true
}

// collectAll makes one frame of all points, which may have different numbers of replications.
func (l *Lab) collectAll(points []*watched, failed *failures, level float64) *Frame {
	all := &Frame{Level: level, Looked: true, rows: map[string]*Runs{}, failed: failed.rows}
	for _, p := range points {
		maps.Copy(all.rows, l.collect(p.list, failed).rows)
	}
	return all
}
