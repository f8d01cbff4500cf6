package run

import (
	"context"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Stop ends the replications of a point when the interval of a column is narrow enough in all its rows.
type Stop struct {
	Column   string
	Relative float64 // half width as a share of the mean, 0.01 is 1 %
	Level    float64 // of confidence; 0 is metric.DefaultLevel
	First    int     // replications before the first look; 0 is 10, or 4 where all rows have control variates
	Most     int     // replications at most; 0 is 1280
}

// ImpreciseError is a frame with intervals that are wider than asked for, in as many replications as are allowed.
type ImpreciseError struct {
	Points       int // at which they are
	Replications int
}

func (e *ImpreciseError) Error() string {
	return fmt.Sprintf("%s: intervals are still too wide at %s", text.Plural(e.Replications, "replication"),
		text.Plural(e.Points, "point"))
}

// Until is Frame with as many replications as a rule asks for, and bounds or models in as many. It looks after First,
// 2 First, 4 First, ... replications of a point and never between, so that their number is the same however the work is
// cut up: known cases cost nothing. Where intervals stay too wide the error is an *ImpreciseError.
func (l *Lab) Until(ctx context.Context, rows, others []Case, stop Stop) (*Frame, error) {
	list, err := l.want(ctx, slices.Concat(rows, others), 0, 0)
	if err != nil {
		return nil, err
	}
	names := text.Each(rows, Case.Row)
	for i := range list {
		list[i].look = slices.Contains(names, list[i].name)
	}
	rule, err := l.rule(ctx, rows, stop)
	if err != nil {
		return nil, err
	}
	points := byPoint(list)
	failed := &failures{}
	var wide *ImpreciseError
	for _, p := range points {
		p.grow(rule.First)
	}
	for open := points; len(open) > 0; {
		var now []wanted
		for _, p := range open {
			now = append(now, p.list...)
		}
		err := l.run(ctx, now, failed)
		if err != nil {
			return l.collectAll(points, failed, rule), err
		}
		var next []*watched
		for _, p := range open {
			switch {
			case p.narrow(l.collect(p.list, failed), rule, stop.Column):
			case p.n == rule.Max:
				if wide == nil {
					wide = &ImpreciseError{Replications: rule.Max}
				}
				wide.Points++
			default:
				p.grow(min(2*p.n, rule.Max))
				next = append(next, p)
			}
		}
		open = next
	}
	f := l.collectAll(points, failed, rule)
	if wide != nil {
		return f, wide
	}
	return f, nil
}

// rule fills in the defaults of a rule.
func (l *Lab) rule(ctx context.Context, rows []Case, stop Stop) (metric.Precision, error) {
	p := metric.Precision{Relative: stop.Relative, Level: stop.Level, First: stop.First, Max: stop.Most}
	if p.Level == 0 {
		p.Level = metric.DefaultLevel
	}
	if p.Max == 0 {
		p.Max = 1280
	}
	if p.First == 0 {
		p.First = 4
		for _, row := range rows {
			e, err := l.Experiment(ctx, row)
			if err != nil {
				return p, err
			}
			if e.Variates() == nil {
				p.First = 10
			}
		}
		p.First = min(p.First, p.Max)
	}
	if !(p.Relative > 0) || p.First < 2 || p.Max < p.First {
		return p, fmt.Errorf("a precision of %g with %d to %d replications cannot be reached", p.Relative, p.First,
			p.Max)
	}
	return p, nil
}

// watched is the rows of a point.
type watched struct {
	list []wanted
	n    int // replications
}

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
	p.n = n
	for i := range p.list {
		if p.list[i].once {
			p.list[i].n = 1
		} else {
			p.list[i].n = n
		}
	}
}

// narrow reports whether the intervals of all rows are narrow enough. Rows that failed do not count.
func (p *watched) narrow(f *Frame, rule metric.Precision, column string) bool {
	for _, w := range p.list {
		s := f.Series(w.it, All, column)
		if !w.look || s.once || len(s.values) == 0 {
			continue
		}
		i := metric.Estimate(s.values, metric.LookLevel(rule.Level, len(s.values)))
		if !(i.Relative() <= rule.Relative) {
			return false
		}
	}
	return true
}

// collectAll makes one frame of all points. Points may have different numbers of replications.
func (l *Lab) collectAll(points []*watched, failed *failures, rule metric.Precision) *Frame {
	all := &Frame{Level: rule.Level, Looked: true, rows: map[string]*Runs{}}
	all.failed = map[string]*RunError{}
	for _, p := range points {
		f := l.collect(p.list, failed)
		for name, at := range f.rows {
			all.rows[name] = at
		}
		for name, err := range f.failed {
			all.failed[name] = err
		}
	}
	return all
}
