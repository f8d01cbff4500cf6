package ask

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// overAdmission lets the search vary the share of each customer's jobs that is let in, in steps of a twentieth. It
// begins at the best admission of the queueing model, where there is one.
func (x *tuner) overAdmission(ctx context.Context, base run.Case) error {
	const steps = 20
	var values []string
	for i := range steps + 1 {
		values = append(values, text.Plain(float64(i)/steps))
	}
	advised, err := x.advised(ctx, base)
	if err != nil {
		return err
	}
	names := x.subject.Names()
	for i, name := range names {
		c := run.Coordinate{Name: name + ".admit", Values: values, Now: steps, Start: steps}
		if i < len(advised) {
			c.Start = int(math.Round(steps * advised[i]))
		}
		x.search.Coordinates = append(x.search.Coordinates, c)
	}
	x.search.At = func(places []int) run.Case {
		c := base
		var words []string
		for i, place := range places {
			if place < steps {
				words = append(words, names[i]+"="+values[place])
			}
			c.Admission.Admit = append(c.Admission.Admit, float64(place)/steps)
		}
		if words == nil {
			return base
		}
		c.Admission.Name = strings.Join(words, ",")
		return c
	}
	return nil
}

// advised returns the best admission of the queueing model by customer; nil where no model applies or customers are in
// several pools.
func (x *tuner) advised(ctx context.Context, base run.Case) ([]float64, error) {
	models, err := x.lab.Models(ctx, base)
	if err != nil || analytic.Modeled(x.subject) != nil || x.subject.Workload.Pools() != nil {
		return nil, err
	}
	admit, err := models.Analytic(ctx)
	if err != nil {
		return nil, ctx.Err() // the search does without it
	}
	return admit, nil
}

// overThresholds lets the search vary the number of waiting jobs from which on a customer is refused.
func (x *tuner) overThresholds(base run.Case) error {
	limits := []int{0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, -1}
	values := text.Each(limits, strconv.Itoa)
	last := len(limits) - 1
	values[last] = "" // no limit
	names := x.subject.Names()
	for _, name := range names {
		x.search.Coordinates = append(x.search.Coordinates,
			run.Coordinate{Name: name + ".threshold", Values: values, Now: last, Start: last})
	}
	x.search.At = func(places []int) run.Case {
		c := base
		var words []string
		for i, place := range places {
			if place < last {
				words = append(words, names[i]+"<"+values[place])
			}
			c.Admission.Waiting = append(c.Admission.Waiting, limits[place])
		}
		if words == nil {
			return base
		}
		c.Admission.Name = strings.Join(words, ",")
		return c
	}
	return nil
}

// overPrices lets the search vary the prices of customers with a demand, up to the largest that may be asked.
func (x *tuner) overPrices(base run.Case) error {
	var paths []string
	for _, class := range x.subject.Scenario.Classes {
		if class.Demand == nil {
			continue
		}
		path, price := priceField(class)
		most := math.Inf(1)
		if class.Demand.Max > 0 {
			most = class.Demand.Max / x.subject.PriceOf(class)
		}
		c := run.Coordinate{Name: class.Name + "." + strings.TrimPrefix(path, ".")}
		for _, factor := range []float64{0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2, 2.5, 3} {
			comes := class.Demand.RateAt(factor*x.subject.PriceOf(class)) > 0
			if factor <= most && comes {
				c.Values = append(c.Values, text.Field(factor*price))
			}
			if factor == 1 {
				c.Now, c.Start = len(c.Values)-1, len(c.Values)-1
			}
		}
		x.search.Coordinates = append(x.search.Coordinates, c)
		paths = append(paths, "classes."+class.Name+path)
	}
	if paths == nil {
		return &analytic.NoDemandError{File: x.subject.Document.File()}
	}
	x.search.At = func(places []int) run.Case {
		c := base
		c.Set = slices.Clone(base.Set)
		for i, place := range places {
			if at := x.search.Coordinates[i]; place != at.Now {
				c.Set = append(c.Set, fmt.Sprintf("%s=%s", paths[i], at.Values[place]))
			}
		}
		return c
	}
	return nil
}

// priceField returns the path of the price of a class below the class, and its number there.
func priceField(c model.Class) (path string, price float64) {
	switch t := c.Price; {
	case t.PerNodeSecond > 0:
		return ".price.per_unit_hour", t.PerNodeSecond * metric.Hour
	case t.PerSecond > 0:
		return ".price.per_hour", t.PerSecond * metric.Hour
	default:
		return ".price", t.Fixed
	}
}
