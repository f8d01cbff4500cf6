package workload

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"revopt/model"
)

// fitClasses makes the classes, and what depends on all of them.
func (f *Fitted) fitClasses(all []fitJob, groups []fitGroup, o FitOptions) error {
	every := make([]int32, len(all))
	for i := range every {
		every[i] = int32(i)
	}
	widths := fitWidths(all, every)
	var nodes, slots float64
	for _, g := range groups {
		if o.OwnWidths {
			widths = fitWidths(all, g.jobs)
		}
		c, err := f.fitClass(all, g, widths)
		if err != nil {
			return err
		}
		f.Classes = append(f.Classes, c)
		slots += c.Model.Rate * c.Equivalent.Mean
		nodes += c.Model.Rate * c.Equivalent.Mean * c.Model.Width.Mean()
	}
	f.Parallel = float64(f.Nodes) / (nodes / slots)
	return nil
}

// fitClass makes the class of a group.
func (f *Fitted) fitClass(all []fitJob, g fitGroup, widths model.Width) (FittedClass, error) {
	s := newFitSample(all, g.jobs)
	c := FittedClass{
		Jobs: int64(len(g.jobs)), Share: float64(len(g.jobs)) / float64(f.Jobs), Hard: g.hard,
		Length: momentsOf(s.length), Work: momentsOf(s.work), Width: momentsOf(s.width), Gaps: s.gaps,
		Budget: momentsOf(s.price), Slack: momentsOf(s.slack), Correlation: rankCorrelation(s.jobs),
	}
	c.Model.Name = g.name
	c.Model.Rate = digits(float64(c.Jobs) / f.Span)
	c.Model.Width = widths
	c.Load = c.Model.Rate * c.Work.Mean / float64(f.Nodes)
	c.Equivalent, c.Second = equivalent(c.Work, widths)
	c.Correction = c.Equivalent.Mean / c.Length.Mean
	slices.Sort(s.work)
	for i := range s.length {
		s.length[i] *= c.Correction
	}
	slices.Sort(s.length)
	var err error
	if c.Tried, c.Model.Length, err = tryLengths(c.Equivalent, s.length); err != nil {
		return c, fmt.Errorf("workload: class %s: %w", c.Model.Name, err)
	}
	c.Kind = c.Tried[0].Kind
	c.WorkKS = distance(s.work, workCDF(c.Model.Length.CDF, widths))
	if second := c.Model.Length.Moment(2); !(second > 0) || math.IsInf(second, 0) {
		return c, fmt.Errorf("workload: the lengths of class %s are beyond the range of numbers", c.Model.Name)
	}
	c.value(s, f.Fall)
	return c, nil
}

// equivalent returns the moments of the length that, drawn independently of the
// widths, has the mean work and, where second is true, the second moment of the
// work:
//
//	mean = E[work] / E[W],   mean^2 + sd^2 = E[work^2] / E[W^2].
//
// Work that varies less than the widths leaves no variance: the length is then
// deterministic.
func equivalent(work FitMoments, widths model.Width) (length FitMoments, second bool) {
	length.Mean = digits(work.Mean / widths.Mean())
	ratio := widths.Mean() * widths.Mean() / widthMoment2(widths)
	scv := (1+work.SCV())*ratio - 1
	if scv < 1e-9 {
		return length, scv > -1e-9
	}
	length.SD = digits(length.Mean * math.Sqrt(scv))
	return length, true
}

// digits rounds a number to the twelve digits that are written.
func digits(x float64) float64 {
	rounded, err := strconv.ParseFloat(written(x), 64)
	if err != nil {
		panic("workload: " + err.Error())
	}
	return rounded
}

func written(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// fitSample is the jobs of a class, quantity by quantity.
type fitSample struct {
	jobs                              []fitJob
	length, work, width, price, slack []float64
	gaps                              FitMoments
}

func newFitSample(all []fitJob, places []int32) *fitSample {
	s := &fitSample{}
	var gaps []float64
	for k, i := range places {
		j := all[i]
		s.jobs = append(s.jobs, j)
		s.length = append(s.length, j.length)
		s.work = append(s.work, j.work())
		s.width = append(s.width, float64(j.width))
		s.price = append(s.price, j.price)
		s.slack = append(s.slack, j.slack)
		if k > 0 {
			gaps = append(gaps, j.submit-all[places[k-1]].submit)
		}
	}
	s.gaps = momentsOf(gaps)
	return s
}
