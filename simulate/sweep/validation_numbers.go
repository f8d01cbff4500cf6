package sweep

import (
	"reflect"
	"strings"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
)

// sumNumbers returns all fields of a sum in their order, for a journal.
func sumNumbers(s metric.Sum) []float64 {
	var list []float64
	eachNumber(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		if v.CanInt() {
			list = append(list, float64(v.Int()))
		} else {
			list = append(list, v.Float())
		}
	})
	return list
}

// numbersSum is the inverse of sumNumbers.
func numbersSum(list []float64) (s metric.Sum) {
	eachNumber(reflect.ValueOf(&s).Elem(), func(v reflect.Value) {
		if v.CanInt() {
			v.SetInt(int64(list[0]))
		} else {
			v.SetFloat(list[0])
		}
		list = list[1:]
	})
	return s
}

// eachNumber calls f for the numbers of a struct, in the order of its fields.
func eachNumber(v reflect.Value, f func(reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachNumber(v.Field(i), f)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachNumber(v.Index(i), f)
		}
	default:
		f(v)
	}
}

// from turns the jobs of traces and grids into those of bounds.
type from struct {
	job    func(*simulate.Job) bound.Job
	serves string // what the bound allows a scheduler
}

// jobsFor returns the tightest view of the jobs for which a bound holds for all
// contenders, or for those of either kind.
func jobsFor(contenders []Contender, either bool) from {
	imprecise := 0
	for _, c := range contenders {
		if c.Imprecise() {
			imprecise++
		}
	}
	switch {
	case either:
	case imprecise == 0:
		return from{bound.FromSpec, "whole jobs"}
	case imprecise == len(contenders):
		return from{bound.FromImprecise, "partial results by the deadline"}
	}
	return from{bound.FromEither, "whole jobs, also late, or partial results by the deadline"}
}

// What a job costs to simulate and to bound, in about seconds.
const boundCost = 4e-4

func policyCost(name string) float64 {
	switch {
	case name == "libra-sla":
		return 4e-5
	case name == "conservative":
		return 1e-5
	case strings.HasPrefix(name, "libra"):
		return 2e-5
	case (Contender{Policy: name}).Imprecise():
		return 1e-4
	}
	return 1e-6
}

// Collect makes of the numbers of the cells what they mean. It takes the
// replications before the first that lacks a cell at any point; without any it
// returns nil.
func (w *Validating) Collect(numbers [][]float64) (*Validated, error) {
	replications := w.finished(numbers)
	if replications == 0 {
		return nil, nil
	}
	v := &Validated{Contenders: w.Contenders, Classes: w.classes, Serves: w.from.serves}
	doc := w.Document(0)
	if v.Timed = !doc.IsTrace() && !doc.IsGrid(); v.Timed {
		v.Serves = "whole jobs"
	}
	for i, a := range w.arenas {
		p := ValidatedPoint{X: w.Points()[i], level: w.level()}
		cells := numbers[i*w.perPoint : (i+1)*w.perPoint]
		for r, c := range w.Contenders {
			p.Rows = append(p.Rows, w.row(c, v.Timed, cells[r*w.Replications:][:replications]))
		}
		p.setBounds(a, v.Timed, cells[len(w.Contenders)*w.Replications:][:replications])
		v.Points = append(v.Points, p)
	}
	return v, nil
}

// finished returns how many replications have all their cells.
func (w *Validating) finished(numbers [][]float64) int {
	n := w.Replications
	for cell, values := range numbers {
		if _, _, replication := w.place(cell); values == nil {
			n = min(n, replication)
		}
	}
	return n
}

// row reads the cells of a contender.
func (w *Validating) row(c Contender, classes bool, cells [][]float64) Row {
	row := Row{Outcome: Outcome{Level: w.level()}}
	size := len(sumNumbers(metric.Sum{}))
	for _, values := range cells {
		s := Sample{Total: numbersSum(values)}
		for range w.classes {
			values = values[size:]
			s.Classes = append(s.Classes, numbersSum(values))
		}
		row.Samples = append(row.Samples, s)
		row.Charged = append(row.Charged, s.Total.Revenue)
		row.Delivered = append(row.Delivered, delivered(c, classes, s))
	}
	return row
}

// delivered returns the value that a contender delivered in a sample.
func delivered(c Contender, classes bool, s Sample) float64 {
	if classes || c.Imprecise() {
		return s.Total.Revenue
	}
	return s.Total.Stated.Utility
}

// setBounds reads the cells of the bounds.
func (p *ValidatedPoint) setBounds(a arena, timed bool, cells [][]float64) {
	fluid, best := Bound{Name: FluidBound}, Bound{Name: ClairvoyantBound}
	for _, values := range cells {
		fluid.Total = append(fluid.Total, values[cellFluid])
		best.Total = append(best.Total, values[cellClairvoyant])
		best.Gap = append(best.Gap, values[cellGap])
		p.Jobs = append(p.Jobs, int(values[cellJobs]))
		if timed {
			p.Seconds = append(p.Seconds, values[cellSeconds])
		}
	}
	p.Bounds = []Bound{fluid, best}
	if r, ok := a.rate(); ok {
		rate := Bound{Name: FluidRateBound, MeanOnly: true}
		for _, t := range p.Seconds {
			rate.Total = append(rate.Total, r.Bound*t)
		}
		p.Bounds = append(p.Bounds, rate)
	}
	for i := range p.Bounds {
		b := &p.Bounds[i]
		for k, t := range p.Seconds {
			b.PerSecond = append(b.PerSecond, b.Total[k]/t)
		}
	}
}
