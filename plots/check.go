package plots

import (
	"errors"
	"fmt"
	"math"
)

// check reports the first thing in s that cannot be drawn.
func (s Sheet) check() error {
	if len(s.Panels) == 0 {
		return errors.New("plots: a sheet needs at least one panel")
	}
	for _, cm := range []float64{s.Width, s.Height} {
		if !(cm >= 3 && cm <= 150) {
			return fmt.Errorf("plots: size %g x %g cm: want 3 to 150 each", s.Width, s.Height)
		}
	}
	for i, f := range s.Panels {
		if err := f.check(); err != nil {
			if len(s.Panels) > 1 {
				return fmt.Errorf("plots: panel %d: %w", i+1, err)
			}
			return fmt.Errorf("plots: %w", err)
		}
	}
	return nil
}

func (f Figure) check() error {
	if err := f.X.check(); err != nil {
		return fmt.Errorf("x axis: %w", err)
	}
	if err := f.Y.check(); err != nil {
		return fmt.Errorf("y axis: %w", err)
	}
	for i, s := range f.Series {
		if err := s.check(); err != nil {
			return fmt.Errorf("series %d %q: %w", i+1, s.Name, err)
		}
	}
	for i, r := range f.Regions {
		if err := r.check(); err != nil {
			return fmt.Errorf("region %d %q: %w", i+1, r.Name, err)
		}
	}
	return nil
}

func (a Axis) check() error {
	lo, hi := a.fixed()
	switch {
	case math.IsInf(a.Min, 0) || math.IsInf(a.Max, 0):
		return fmt.Errorf("ends %g and %g: want finite numbers", a.Min, a.Max)
	case lo >= hi:
		return fmt.Errorf("ends %g and %g: want min < max", a.Min, a.Max)
	case a.Log && (lo <= 0 || hi <= 0):
		return fmt.Errorf("ends %g and %g: a logarithmic axis needs positive ones", a.Min, a.Max)
	case a.Log && len(a.Categories) > 0:
		return errors.New("categories on a logarithmic axis")
	}
	return nil
}

// fixed returns the ends that the caller fixed, NaN where automatic.
func (a Axis) fixed() (lo, hi float64) {
	lo, hi = a.Min, a.Max
	if lo == 0 && hi == 0 {
		return math.NaN(), math.NaN()
	}
	// An automatic upper end beside a fixed lower end of a logarithmic or
	// positive axis is the common wish; Max = 0 could mean nothing else.
	if hi == 0 && lo > 0 {
		hi = math.NaN()
	}
	// Likewise no logarithmic axis starts at zero.
	if a.Log && lo == 0 {
		lo = math.NaN()
	}
	return lo, hi
}

func (s Series) check() error {
	if err := sameLength(s.X, s.Y, "y"); err != nil {
		return err
	}
	if (s.Low == nil) != (s.High == nil) {
		return errors.New("an interval needs both low and high")
	}
	if s.Low != nil {
		if err := sameLength(s.X, s.Low, "low"); err != nil {
			return err
		}
		if err := sameLength(s.X, s.High, "high"); err != nil {
			return err
		}
	}
	if s.Kind < Line || s.Kind > Bars {
		return fmt.Errorf("unknown kind %d", s.Kind)
	}
	if s.Look < 0 {
		return fmt.Errorf("look %d: want 0 or more", s.Look)
	}
	return nil
}

func (r Region) check() error {
	if err := sameLength(r.X, r.Y, "y"); err != nil {
		return err
	}
	if r.Side < Above || r.Side > Between {
		return fmt.Errorf("unknown side %d", r.Side)
	}
	if r.Tint < 0 {
		return fmt.Errorf("tint %d: want 0 or more", r.Tint)
	}
	if r.Side == Between {
		return sameLength(r.X, r.Y2, "y2")
	}
	if r.Y2 != nil {
		return errors.New("y2 is for regions between two curves")
	}
	return nil
}

func sameLength(x, y []float64, name string) error {
	if len(x) != len(y) {
		return fmt.Errorf("%d values of x but %d of %s", len(x), len(y), name)
	}
	return nil
}
