package bound_test

import (
	"context"
	"fmt"

	"revopt/model"
	"revopt/simulate/bound"
)

// Two jobs want the only node in the first two seconds. The dear one can move
// to make room, but not far enough. The third has the node to itself.
func ExampleClairvoyant() {
	jobs := []bound.Job{
		{Release: 0, End: 3, Width: 1, Parts: []bound.Part{{Work: 2, Value: 20}}},
		{Release: 0, End: 2, Width: 1, Parts: []bound.Part{{Work: 2, Value: 8}}},
		{Release: 5, End: 7, Width: 1, Parts: []bound.Part{{Work: 1, Value: 1}}},
	}
	fluid, _ := bound.Fluid(jobs, bound.Uniform(1))
	r, err := bound.Clairvoyant(context.Background(), jobs, bound.Uniform(1), bound.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("fluid %.0f, clairvoyant %.0f, exact %v\n", fluid, r.Bound, r.Exact)
	fmt.Printf("a node-second at 1 s is worth %.0f, at 6 s %.0f\n", r.Prices.At(1), r.Prices.At(6))
	// Output:
	// fluid 29, clairvoyant 25, exact true
	// a node-second at 1 s is worth 4, at 6 s 0
}

// At equal prices a policy that prefers short jobs earns more than half from
// half of the nodes it would need for all.
func ExampleFluidRate() {
	length, err := model.New(model.Exponential, 100, 0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	class := model.Class{Rate: 1, Length: length, Price: model.Tariff{Fixed: 10}}
	r, err := bound.FluidRate([]model.Class{class}, 50)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at most $%.2f/s of 10\n", r.Bound)
	// Output:
	// at most $8.13/s of 10
}
