package scenario_test

import (
	"fmt"

	"revopt/model/scenario"
)

func Example() {
	doc, err := scenario.Open("nist-four")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, load := range []float64{0.5, 1} {
		changed, err := doc.With(scenario.Set("load", load))
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := changed.Scenario(nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("load %g: n = %g, %s arrives at %.3g jobs per second\n", s.Load, s.Parallel, s.Classes[0].Name, s.Classes[0].Rate)
	}
	// Output:
	// load 0.5: n = 25, HvHu arrives at 0.000142 jobs per second
	// load 1: n = 25, HvHu arrives at 0.000284 jobs per second
}

func ExampleParse() {
	doc, err := scenario.Parse("my.yaml", []byte("server: {parallel: 25}\nlaod: 0.9\n"))
	if err == nil {
		_, err = doc.Scenario(nil)
	}
	fmt.Println(err)
	// Output:
	// my.yaml:2:1: laod: unknown field, expected name, pools, server, machine, load, growth, phi, arrivals, simulation, classes, providers or policies; did you mean load?
}
