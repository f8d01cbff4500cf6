// Command mypolicy is revopt with a policy of its own: the jobs that pay most for a
// node-second start first, and nodes are kept for a job that has waited for long.
package main

import (
	"cmp"
	"math"
	"slices"

	"revopt/cmd/revopt/cli"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// density needs no lists: the cluster shows its queue.
type density struct {
	patience float64 // s
}

// Arrive implements simulate.Policy.
func (density) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
	}
}

// Leave and Stop have no lists to update: they let jobs give up, and machines have outages.
func (density) Leave(*simulate.Cluster, *simulate.Job)      {}
func (density) Stop(*simulate.Cluster, *simulate.Job, bool) {}

// Schedule starts the jobs that fit, in order, up to one that has run out of patience.
func (d density) Schedule(c *simulate.Cluster) {
	late := func(j *simulate.Job) bool { return c.Now()-j.Submit > d.patience }
	key := func(j *simulate.Job) float64 {
		if late(j) {
			return math.Inf(-1) // before all others, by arrival
		}
		return -j.Value.Price / (max(j.Spec.Details.Estimate, 1) * float64(j.Width))
	}
	byKey := func(a, b *simulate.Job) int { return cmp.Compare(key(a), key(b)) }
	for _, j := range slices.SortedStableFunc(c.Queue(), byKey) {
		if j.Width <= c.Free() {
			c.Start(j)
		} else if late(j) {
			break
		}
	}
}

func main() {
	cli.Main(cli.With(policy.Spec{
		Name: "density", Title: "Value density", Summary: "the highest price per node-second first",
		Options: []policy.Option{policy.NumberOption("patience", "24")}, Needs: policy.Needs{Alike: true},
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy { return density{3600 * s.Number("patience")} }),
	}))
}
