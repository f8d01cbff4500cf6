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
