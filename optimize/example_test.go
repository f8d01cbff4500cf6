package optimize_test

import (
	"context"
	"fmt"

	"revopt/model"
	"revopt/optimize"
)

// hundred returns exponential lengths of 100 s on average.
func hundred() model.Distribution {
	length, err := model.New(model.Exponential, 100, 100, 0)
	if err != nil {
		panic(err)
	}
	return length
}

// classOf returns a class that pays a price, less the decay times the wait.
func classOf(name string, rate, price, decay float64) model.Class {
	return model.Class{Name: name, Rate: rate, Length: hundred(), Price: model.Tariff{Fixed: price}, Decay: decay}
}

// report prints an optimum in $/h.
func report(sys model.System, r optimize.Result) {
	fmt.Printf("%.2f $/h, at most %.2f\n", 3600*r.Revenue, 3600*r.UpperBound)
	for i, c := range sys.Classes {
		fmt.Printf("%s: %.1f %%\n", c.Name, 100*r.Admit[i])
	}
}

// One class on one server, with a load of 1.5. In closed form the best load is 1 - sqrt(2/12) = 0.592.
func ExampleSolve() {
	sys := model.System{Parallel: 1, Classes: []model.Class{classOf("jobs", 0.015, 10, 0.02)}}
	r, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		panic(err)
	}
	report(sys, r)
	// Output:
	// 151.27 $/h, at most 151.27
	// jobs: 39.5 %
}

// What one more slot and one more job of each class are worth at the optimum.
func ExampleShadowPrices() {
	sys := model.System{Parallel: 4, Classes: []model.Class{
		classOf("urgent", 0.02, 20, 0.05), classOf("patient", 0.03, 5, 0.005),
	}}
	r, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		panic(err)
	}
	p, err := optimize.ShadowPrices(context.Background(), sys, r)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a slot: %.2f $/h\nan urgent job: %.2f $\na patient job: %.2f $\n", 3600*p.Capacity, p.Demand[0], p.Demand[1])
	// Output:
	// a slot: 214.86 $/h
	// an urgent job: 11.30 $
	// a patient job: 0.00 $
}
