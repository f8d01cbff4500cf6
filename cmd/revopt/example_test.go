package main

import (
	"context"
	"fmt"
	"log"

	"revopt/model/scenario"
	"revopt/optimize"
)

// The packages behind the commands can be used without them. The README shows
// this example.
func Example() {
	doc, err := scenario.Open("nist-four") // or the path of a YAML file
	if err != nil {
		log.Fatal(err)
	}
	doc, err = doc.With(scenario.Set("load", 0.6))
	if err != nil {
		log.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := optimize.Solve(context.Background(), sc.System(), optimize.Settings{})
	if err != nil {
		log.Fatal(err)
	}
	for i, class := range sc.Classes {
		fmt.Printf("%s: admit %.1f %%\n", class.Name, 100*best.Admit[i])
	}
	fmt.Printf("%.0f $/h, proven: %v\n", 3600*best.Revenue, best.Certified)
	// Output:
	// HvHu: admit 86.9 %
	// HvLu: admit 100.0 %
	// LvHu: admit 0.0 %
	// LvLu: admit 0.0 %
	// 75249 $/h, proven: true
}
