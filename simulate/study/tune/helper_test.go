package tune

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// lateSpec is a policy that starts every job late, by a time whose mean is 60 s times the
// distance of its options from 50 and 0.2, in powers of ten. The time depends on the job, so
// that replications differ. Nothing else delays jobs on a machine that is never full.
func lateSpec() policy.Spec {
	spec := policy.Spec{Name: "late", Needs: policy.Needs{Alike: true}}
	for _, name := range []string{"x", "y", "z"} {
		spec.Options = append(spec.Options, policy.NumberOption(name, "1"))
	}
	spec.Make = policy.PerSite(func(s policy.Settings) simulate.Policy { return late(lateBy(s)) })
	return spec
}

// lateBy returns the mean delay, s. The option z has no effect.
func lateBy(s policy.Settings) float64 {
	return 60 * (math.Abs(math.Log10(s.Number("x")/50)) + math.Abs(math.Log10(s.Number("y")/0.2)))
}

type late float64

func (p late) Arrive(c *simulate.Cluster, j *simulate.Job) {
	c.Admit(j)
	_, luck := math.Modf(float64(j.ID) * math.Phi)
	c.Timer(j, c.Now()+2*luck*float64(p))
}

func (p late) Timer(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }

func (p late) Schedule(*simulate.Cluster) {}

// lateScenario has one job in 10 s, which pays 10 $ less 0.05 $ for each second of delay.
const lateScenario = `
name: late
server: {nodes: 100}
simulation: {jobs: 60, warmup: 0}
classes:
  - {name: only, rate: 0.1, length: {mean: 10, sd: 1}, price: 10, decay: 0.05}
`
