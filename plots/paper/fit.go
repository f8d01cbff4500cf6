package paper

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// A Free is a number that a fit may choose: a field of a scenario, such as
// qos.deadline.low_mean, or an option of a policy, such as policies.libra+$.alpha.
type Free struct {
	Path      string
	Low, High float64
}

// ParseFree reads PATH=LOW:HIGH.
func ParseFree(words string) (Free, error) {
	path, ends, _ := strings.Cut(words, "=")
	from, to, _ := strings.Cut(ends, ":")
	low, err := strconv.ParseFloat(from, 64)
	high, err2 := strconv.ParseFloat(to, 64)
	if err != nil || err2 != nil || path == "" || !(low < high) || math.IsInf(high-low, 0) {
		return Free{}, fmt.Errorf("expected PATH=LOW:HIGH with LOW below HIGH, such as phi=0.5:3, got %q", words)
	}
	return Free{path, low, high}, nil
}

// A Fit looks for numbers under which claims come out. It says how well they can, and
// how many settings it took: a reading that was fitted is worth less than one that was
// not, and is never a default.
type Fit struct {
	Claims []Claim // the targets, all of one paper and one scenario
	Free   []Free  // at least one
	Base   Reading // of all else; the zero value is the default reading
	Tries  int     // settings to try at most
}

// Fitted is what a fit found.
type Fitted struct {
	Reading  Reading   // the best setting, with the free fields and how many were tried
	Before   []Verdict // of the base, by claim
	Verdicts []Verdict // of the best
	Off      float64   // the sum of the squares of their Off

	// Alike is how many of the settings that were tried come out like the best one on
	// every target, by the intervals: the claims do not tell them apart.
	Alike int
	Ended bool // the search ended by itself, before the tries did
}

// Run fits. The settings are the base, a grid of the middles of cells, and then a
// compass search from the best of them: steps along each axis, halved where none is
// better, down to a thousandth of a range. The loss is the sum of the squares of
// Verdict.Off. Random numbers are common to all settings, and nothing else is random.
// A setting that a scenario refuses counts as tried. The function tell, if not nil,
// is told of every setting before it is tried. Where ctx ends after the base is decided,
// Run returns what it has found with the error of ctx.
func (f Fit) Run(ctx context.Context, o Options, tell func(tried, tries int)) (*Fitted, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	s := &fitting{Fit: f, ctx: ctx, o: o, tell: tell, known: make(map[string]float64)}
	before, err := s.decide(f.Base)
	if err != nil {
		return nil, err
	}
	s.seen, s.found.Before = [][]Verdict{before}, before
	s.found.Verdicts, s.found.Off, s.found.Reading, s.tried = before, loss(before), f.Base, 1
	cells := int(min(500, max(1, math.Pow(float64(f.Tries)/2, 1/float64(len(f.Free))))))
	at, step := make([]float64, len(f.Free)), 0.5/float64(cells)
	best, low := slices.Repeat([]float64{0.5}, len(f.Free)), math.Inf(1)
	for k := range int(math.Pow(float64(cells), float64(len(f.Free)))) {
		if s.err != nil {
			break
		}
		for i := range at {
			at[i] = (float64(k%cells) + 0.5) / float64(cells)
			k /= cells
		}
		if y := s.try(at); y < low {
			low = y
			copy(best, at)
		}
	}
	for step >= 1e-3 && low > 0 && s.err == nil {
		moved := false
		for i := 0; i < 2*len(at) && s.err == nil; i++ {
			copy(at, best)
			at[i/2] = min(1, max(0, at[i/2]+step*float64(1-2*(i%2))))
			if y := s.try(at); y < low {
				low, moved = y, true
				copy(best, at)
			}
		}
		if !moved {
			step /= 2
		}
	}
	stopped := ctx.Err()
	if s.err != nil && stopped == nil && !errors.Is(s.err, errTries) {
		return nil, s.err
	}
	if math.IsInf(low, 1) && stopped == nil {
		return nil, fmt.Errorf("no setting of the %d that were tried can be: %w", s.tried, s.refused)
	}
	s.found.Reading.Tried, s.found.Ended = s.tried, s.err == nil
	for _, list := range s.seen {
		if slices.EqualFunc(list, s.found.Verdicts, func(a, b Verdict) bool { return a.Outcome == b.Outcome }) {
			s.found.Alike++
		}
	}
	return &s.found, stopped
}

// ErrFit is in errors about what cannot be fitted.
var ErrFit = errors.New("cannot be fitted")

// check reports what cannot be fitted.
func (f Fit) check() error {
	if len(f.Claims) == 0 || len(f.Free) == 0 || f.Tries < 2 {
		return fmt.Errorf("%w: expected claims, free numbers and at least 2 tries, got %d, %d and %d", ErrFit, len(f.Claims), len(f.Free), f.Tries)
	}
	for _, c := range f.Claims {
		switch first := f.Claims[0]; {
		case c.On == "":
			return fmt.Errorf("claim %s %w: it depends on no scenario", c.ID, ErrFit)
		case c.scenario() != first.scenario():
			return fmt.Errorf("claims %s and %s %w together: they are of two scenarios, %s and %s", first.ID, c.ID, ErrFit, first.scenario(), c.scenario())
		}
	}
	for i, v := range f.Free {
		if slices.ContainsFunc(f.Free[:i], func(w Free) bool { return w.Path == v.Path }) {
			return fmt.Errorf("%w: %s is free twice", ErrFit, v.Path)
		}
	}
	r := f.at(slices.Repeat([]float64{0.5}, len(f.Free)))
	if _, err := open(r.Of, r.Set...).scenario(); err != nil {
		return err
	}
	for name, options := range r.Options {
		spec, err := policy.Lookup(study.Standard(), name)
		if err == nil {
			_, err = spec.Resolve(options)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", ErrFit, err)
		}
	}
	return nil
}

// scenario returns the name of the built-in scenario that decides the claim.
func (c Claim) scenario() string {
	name, _, _ := strings.Cut(c.On, "/")
	return name
}

// at returns the reading with free numbers at places from 0 to 1 of their ranges,
// rounded to four digits.
func (f Fit) at(places []float64) Reading {
	r := f.Base
	first := f.Claims[0]
	r.Paper, r.Name, r.Of, r.Free = first.Paper(), "fitted", first.scenario(), nil
	r.Set, r.Options = slices.Clone(r.Set), make(map[string]map[string]string)
	for name, options := range f.Base.Options {
		r.Options[name] = options
	}
	for i, v := range f.Free {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(v.Low+places[i]*(v.High-v.Low), 'g', 4, 64), 64)
		r.Free = append(r.Free, v.Path)
		if rest, ok := strings.CutPrefix(v.Path, "policies."); ok {
			dot := max(0, strings.LastIndexByte(rest, '.'))
			options := map[string]string{rest[min(dot+1, len(rest)):]: strconv.FormatFloat(x, 'g', -1, 64)}
			for k, old := range r.Options[rest[:dot]] {
				if _, ok := options[k]; !ok {
					options[k] = old
				}
			}
			r.Options[rest[:dot]] = options
			continue
		}
		set := scenario.Set(v.Path, x)
		set.Source = "--free " + v.Path
		r.Set = append(slices.DeleteFunc(r.Set, func(o scenario.Override) bool { return o.Path == v.Path }), set)
	}
	return r
}

// errTries ends a search.
var errTries = errors.New("all tries are used up")

// fitting is a fit in progress.
type fitting struct {
	Fit
	ctx     context.Context
	o       Options
	tell    func(tried, tries int)
	known   map[string]float64 // losses by setting
	seen    [][]Verdict
	found   Fitted
	tried   int
	refused error // of the last setting that cannot be
	err     error // that ended the search
}

// try returns the loss of a setting, +Inf where it cannot be or the search is over.
func (s *fitting) try(places []float64) float64 {
	if s.err == nil {
		s.err = s.ctx.Err()
	}
	if s.err != nil {
		return math.Inf(1)
	}
	r := s.at(places)
	key := fmt.Sprint(r.Set, r.Options)
	if y, ok := s.known[key]; ok {
		return y
	}
	if s.tried == s.Tries {
		s.err = errTries
		return math.Inf(1)
	}
	list, err := s.decide(r)
	if err != nil && s.ctx.Err() != nil {
		s.err = err
		return math.Inf(1)
	}
	s.tried++
	y := math.Inf(1)
	var fault *scenario.Error
	switch {
	case err == nil:
		y = loss(list)
		s.seen = append(s.seen, list)
	case errors.As(err, &fault):
		s.refused = err
	default:
		s.err = err
	}
	s.known[key] = y
	if y < s.found.Off {
		s.found.Off, s.found.Reading, s.found.Verdicts = y, r, list
	}
	return y
}

// decide decides the targets under a reading.
func (s *fitting) decide(r Reading) ([]Verdict, error) {
	if s.tell != nil {
		s.tell(s.tried, s.Tries)
	}
	o := s.o
	o.Reading, o.Shared = r, nil
	e := NewEvidence(s.ctx, o)
	var list []Verdict
	for _, c := range s.Claims {
		v, err := e.Decide(c)
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// loss is the sum of the squares of how far claims are off.
func loss(list []Verdict) float64 {
	var sum float64
	for _, v := range list {
		sum += v.Off * v.Off
	}
	return sum
}

// Block returns the reading as it would stand among those of its paper, to be
// completed by the sentence that it reads.
func (r Reading) Block() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Reading{\n\tPaper: %q, Name: %q, Of: %q,\n", r.Paper, r.Name, r.Of)
	if r.Points || r.Takes != "" || r.From != 0 {
		fmt.Fprintf(&b, "\tPoints: %t, Takes: %q, From: %g,\n", r.Points, r.Takes, r.From)
	}
	if len(r.Set) > 0 {
		b.WriteString("\tSet: []scenario.Override{")
		for i, v := range r.Set {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "{Path: %q, Value: %q}", v.Path, v.Value)
		}
		b.WriteString("},\n")
	}
	if len(r.Options) > 0 {
		fmt.Fprintf(&b, "\tOptions: %#v,\n", r.Options)
	}
	fmt.Fprintf(&b, "\tFree: %#v, Tried: %d,\n}", r.Free, r.Tried)
	return b.String()
}
