package plots

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// check returns the first error that keeps s from being drawn.
func (s Sheet) check() error {
	if len(s.Panels) == 0 {
		return errors.New("plots: a sheet needs at least one panel")
	}
	for _, cm := range []float64{s.Width, s.Height} {
		if !(cm >= 3 && cm <= 150) {
			return &StyleError{fmt.Sprintf("plots: size %.3g x %.3g cm: expected 3 to 150 each", s.Width, s.Height)}
		}
	}
	for i, f := range s.Panels {
		place := "plots"
		if len(s.Panels) > 1 {
			place = fmt.Sprintf("plots: panel %d", i+1)
		}
		if err := located(place, f.check()); err != nil {
			return err
		}
	}
	return nil
}

func (f Figure) check() error {
	err := cmp.Or(located("x axis", f.X.check()), located("y axis", f.Y.check()))
	for i, s := range f.Series {
		err = cmp.Or(err, located(fmt.Sprintf("series %d %q", i+1, s.Name), s.check()))
	}
	for i, r := range f.Regions {
		err = cmp.Or(err, located(fmt.Sprintf("region %d %q", i+1, r.Name), r.check()))
	}
	return err
}

// located adds the place of an error, if there is one.
func located(place string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

func (a Axis) check() error {
	lo, hi := a.Ends()
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

// Ends returns the ends that the caller fixed, NaN for automatic ones.
func (a Axis) Ends() (lo, hi float64) {
	lo, hi = a.Min, a.Max
	if lo == 0 && hi == 0 {
		return math.NaN(), math.NaN()
	}
	// Beside a positive lower end, an upper end of 0 can only mean an automatic one.
	if hi == 0 && lo > 0 {
		hi = math.NaN()
	}
	// No logarithmic axis starts at zero.
	if a.Log && lo == 0 {
		lo = math.NaN()
	}
	return lo, hi
}

func (s Series) check() error {
	switch {
	case (s.Low == nil) != (s.High == nil):
		return errors.New("an interval needs both low and high")
	case s.Low != nil:
		return cmp.Or(sameLength(s.X, s.Y, "y"), sameLength(s.X, s.Low, "low"), sameLength(s.X, s.High, "high"))
	}
	return sameLength(s.X, s.Y, "y")
}

func (r Region) check() error {
	switch {
	case r.Side == Between:
		return cmp.Or(sameLength(r.X, r.Y, "y"), sameLength(r.X, r.Y2, "y2"))
	case r.Y2 != nil:
		return errors.New("y2 is for regions between two curves")
	}
	return sameLength(r.X, r.Y, "y")
}

func sameLength(x, y []float64, name string) error {
	if len(x) != len(y) {
		return fmt.Errorf("%d values of x but %d of %s", len(x), len(y), name)
	}
	return nil
}
