package bound_test

import (
	"context"
	"fmt"

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
	r, err := bound.Clairvoyant(context.Background(), jobs, bound.Uniform(1), bound.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("bound %.0f, exact %v\n", r.Bound, r.Exact)
	// Output:
	// bound 25, exact true
}
