package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/plots"
	"revopt/simulate/metric"
)

// A Claim is something that a paper says and that can be computed: a number, a
// direction, an order, a formula, or a system that it describes.
type Claim struct {
	ID    string // the paper and what it is about: "pricing-03a-falls"
	Kind  ClaimKind
	Place string // in the paper: "section VI, figure 15"
	Says  string // the claim in our words
	By    string // how it is decided: which numbers, and how near they must be

	// On is the built-in scenario whose figures decide it. Readings of that scenario
	// may decide it otherwise; a claim without one does not depend on a reading. A
	// slash sets apart a claim that has readings of its own, see Reading.Of.
	On string

	Decide func(e *Evidence) Verdict
}

// Paper returns the name of the paper of the claim.
func (c Claim) Paper() string {
	name, _, _ := strings.Cut(c.ID, "-")
	return name
}

// ClaimKind is the sort of thing that is claimed.
type ClaimKind string

const (
	System    ClaimKind = "system"    // a model, rule or algorithm that is described
	Formula   ClaimKind = "formula"   // an equation
	Number    ClaimKind = "number"    // a quoted number
	Direction ClaimKind = "direction" // something rises, falls or peaks
	Order     ClaimKind = "order"     // something is above something else
)

// items makes claims of a paper on a built-in scenario, or on none.
func items(paper, on string) func(id string, kind ClaimKind, place, says, by string, decide func(e *Evidence) Verdict) Claim {
	return func(id string, kind ClaimKind, place, says, by string, decide func(e *Evidence) Verdict) Claim {
		return Claim{ID: paper + "-" + id, Kind: kind, Place: place, Says: says, By: by, On: on, Decide: decide}
	}
}

// Claims returns the claims of all papers, paper by paper.
func Claims() []Claim {
	return slices.Concat(nistClaims(), libraClaims(), impreciseClaims(), pricingClaims(), slaClaims())
}

// Outcome is how a claim comes out under a reading.
type Outcome int

const (
	Undetermined Outcome = iota // within chance, or the text leaves open what to compare
	Holds
	Fails
	Unconcerned // the reading does not touch the claim
)

// String returns the outcome in one word.
func (o Outcome) String() string {
	return [...]string{Undetermined: "undetermined", Holds: "holds", Fails: "fails", Unconcerned: "untouched"}[o]
}

// A Verdict is how a claim came out, and on which numbers.
type Verdict struct {
	Outcome Outcome
	Got     string // the numbers, with intervals where they are of simulations

	// Off is how far the numbers are from those of the paper, in units of the
	// distance at which the claim fails; 0 where a claim without numbers holds, and
	// 2 where it fails.
	Off float64
}

// Evidence is the figures under one reading, from which claims are decided. A
// figure is built when it is first asked for.
type Evidence struct {
	ctx   context.Context
	o     Options
	built map[string]plots.Picture
	queue *queueRun // of the formulas of nist
}

// NewEvidence returns evidence under the reading of some options. Sweeps that
// several claims need are run once.
func NewEvidence(ctx context.Context, o Options) *Evidence {
	if o.Shared == nil {
		o.Shared = new(Shared)
	}
	return &Evidence{ctx: ctx, o: o, built: make(map[string]plots.Picture)}
}

// A lack is why a claim cannot be decided.
type lack struct{ err error }

// Decide decides a claim. The error is that of a figure that cannot be built.
func (e *Evidence) Decide(c Claim) (v Verdict, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case lack:
			err = fmt.Errorf("claim %s: %w", c.ID, r.err)
		default:
			panic(r)
		}
	}()
	return c.Decide(e), nil
}

// must returns a value that a claim is decided on; the error ends the decision.
func must[T any](v T, err error) T {
	if err != nil {
		panic(lack{err})
	}
	return v
}

// picture returns a figure by its ID.
func (e *Evidence) picture(id string) plots.Picture {
	if p := e.built[id]; p != nil {
		return p
	}
	result, err := must(Find(id)).Build(e.ctx, e.o)
	if err != nil {
		panic(lack{fmt.Errorf("figure %s: %w", id, err)})
	}
	e.built[id] = result.Picture
	return result.Picture
}

// figure returns a figure of one pair of axes, or a panel of a sheet.
func (e *Evidence) figure(id string, panel ...int) plots.Figure {
	switch p := e.picture(id).(type) {
	case plots.Figure:
		return p
	case plots.Sheet:
		return p.Panels[slices.Max(append(panel, 0))]
	}
	panic(lack{fmt.Errorf("figure %s has no axes", id)})
}

// curve returns the series of a figure whose name begins with the given words.
func (e *Evidence) curve(id, name string, panel ...int) plots.Series {
	for _, s := range e.figure(id, panel...).Series {
		if strings.HasPrefix(s.Name, name) {
			return s
		}
	}
	panic(lack{fmt.Errorf("figure %s has no curve %q", id, name)})
}

// A value is a number with an interval, which is the number alone where nothing is
// random.
type value struct{ mean, low, high float64 }

// exact returns a number without an interval.
func exact(x float64) value { return value{x, x, x} }

// ofInterval returns an estimate.
func ofInterval(v metric.Interval) value {
	if v.N < 2 {
		return exact(v.Mean)
	}
	return value{v.Mean, v.Mean - v.HalfWidth, v.Mean + v.HalfWidth}
}

// averaged returns the mean of replications.
func averaged(values []float64) value { return ofInterval(pooled(values)) }

// paired returns the difference of two measures of the same replications.
func paired(a, b []float64) value { return ofInterval(metric.Difference(a, b, metric.DefaultLevel)) }

// valueAt returns the value of a series at x, which must be among its own.
func valueAt(s plots.Series, x float64) value { return nth(s, indexOf(s.X, x)) }

// nth returns the i-th value of a series.
func nth(s plots.Series, i int) value {
	if s.Low == nil {
		return exact(s.Y[i])
	}
	return value{s.Y[i], s.Low[i], s.High[i]}
}

// in returns the value in another unit, such as 100 for per cent.
func (v value) in(scale float64) value { return value{v.mean * scale, v.low * scale, v.high * scale} }

// String writes the value with about three digits and half the width of its
// interval.
func (v value) String() string {
	decimals := 0
	if v.mean != 0 {
		decimals = max(0, 2-int(math.Floor(math.Log10(max(1e-3, math.Abs(v.mean))))))
	}
	words := fmt.Sprintf("%.*f", decimals, v.mean)
	if half := (v.high - v.low) / 2; half > 0 {
		words += fmt.Sprintf(" ± %.*f", decimals, half)
	}
	return words
}

// near decides that a value is a quoted number, within a tolerance: it fails where
// the whole interval is further off, and is undetermined where a part of it is.
func (v value) near(want, tolerance float64, unit string) Verdict {
	found := Verdict{Outcome: Undetermined, Got: v.String() + unit, Off: math.Abs(v.mean-want) / tolerance}
	switch {
	case v.low >= want-tolerance && v.high <= want+tolerance:
		found.Outcome = Holds
	case v.high < want-tolerance || v.low > want+tolerance:
		found.Outcome = Fails
	}
	return found
}

// exceeds decides that a value is more than another. Both are written with a unit.
func exceeds(more, less value, unit string) Verdict {
	return decided(more.low > less.high, more.high <= less.low, fmt.Sprintf("%v against %v%s", more, less, unit))
}

// is decides that something is so.
func is(ok bool, format string, args ...any) Verdict {
	return decided(ok, !ok, fmt.Sprintf(format, args...))
}

// decided returns Holds, Fails or neither.
func decided(holds, fails bool, got string) Verdict {
	switch {
	case holds:
		return Verdict{Holds, got, 0}
	case fails:
		return Verdict{Fails, got, 2}
	}
	return Verdict{Undetermined, got, 1}
}

// fallsAlong decides that a series falls all along. It fails where a value is above
// an earlier one, or the last not below the first, beyond their intervals. It holds
// where the last is below the first beyond them and no mean is above an earlier one
// by more than a fiftieth of the whole fall.
func fallsAlong(s plots.Series, scale float64, unit string) Verdict {
	first, last := nth(s, 0), nth(s, len(s.Y)-1)
	slack := (first.mean - last.mean) / 50
	holds, fails := last.high < first.low, last.low >= first.high
	lowest, low, top := first, first.mean, 0
	for i := range s.Y {
		v := nth(s, i)
		holds = holds && v.mean <= low+slack
		fails = fails || v.low > lowest.high+slack
		if v.high < lowest.high {
			lowest = v
		}
		low = min(low, v.mean)
		if s.Y[i] > s.Y[top] {
			top = i
		}
	}
	got := fmt.Sprintf("from %v to %v%s", first.in(scale), last.in(scale), unit)
	if top > 0 {
		got += fmt.Sprintf(", highest at %.3g: %v", s.X[top], nth(s, top).in(scale))
	}
	return decided(holds && !fails, fails, got)
}

// risesAlong decides that a series rises all along.
func risesAlong(s plots.Series, scale float64, unit string) Verdict {
	down := plots.Series{X: s.X}
	for i := range s.Y {
		v := nth(s, i)
		down.Y, down.Low, down.High = append(down.Y, -v.mean), append(down.Low, -v.high), append(down.High, -v.low)
	}
	found := fallsAlong(down, scale, unit)
	found.Got = fmt.Sprintf("from %v to %v%s", nth(s, 0).in(scale), nth(s, len(s.Y)-1).in(scale), unit)
	return found
}

// exceedsAll decides that one series is above another wherever both are drawn and
// keep(x) is true; nil keeps all.
func exceedsAll(more, less plots.Series, keep func(x float64) bool, scale float64, unit string) Verdict {
	var list []Verdict
	least, most := math.Inf(1), math.Inf(-1)
	for i, x := range more.X {
		if keep == nil || keep(x) {
			j := indexOf(less.X, x)
			list = append(list, exceeds(nth(more, i), nth(less, j), ""))
			least, most = min(least, more.Y[i]-less.Y[j]), max(most, more.Y[i]-less.Y[j])
		}
	}
	found := all(list...)
	if len(list) > 0 {
		found.Got = fmt.Sprintf("%+.3g to %+.3g%s", least*scale, most*scale, unit)
	}
	return found
}

// all decides that several claims hold together: one that fails is enough to fail,
// and one that is undetermined to leave it so. Without any nothing is decided.
func all(list ...Verdict) Verdict {
	if len(list) == 0 {
		return Verdict{Outcome: Undetermined, Got: "nothing to compare", Off: 1}
	}
	found := Verdict{Outcome: Holds}
	var got []string
	for _, v := range list {
		got = append(got, v.Got)
		found.Off = max(found.Off, v.Off)
		switch {
		case v.Outcome == Fails:
			found.Outcome = Fails
		case v.Outcome == Undetermined && found.Outcome == Holds:
			found.Outcome = Undetermined
		}
	}
	found.Got = strings.Join(got, "; ")
	return found
}
