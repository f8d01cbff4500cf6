package ask

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
	spec.Make = policy.PerSite(func(s policy.Settings) simulate.Policy {
		return late{lateBy(s), math.E * (s.Number("z") - 1)}
	})
	return spec
}

// lateBy returns the mean delay, s. The option z is noise: it changes which jobs are late, and not the mean.
func lateBy(s policy.Settings) float64 {
	return 60 * (math.Abs(math.Log10(s.Number("x")/50)) + math.Abs(math.Log10(s.Number("y")/0.2)))
}

type late struct{ by, phase float64 }

func (p late) Arrive(c *simulate.Cluster, j *simulate.Job) {
	c.Admit(j)
	_, luck := math.Modf(j.Work*1e4 + math.Abs(p.phase))
	c.Timer(j, c.Now()+2*luck*p.by)
}

func (p late) Timer(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }

func (p late) Schedule(*simulate.Cluster) {}

// unfairSpec is a policy that starts narrow jobs late by 100 s, and from x = 2 on at once, but then wide jobs by three hours.
func unfairSpec() policy.Spec {
	spec := policy.Spec{Name: "unfair", Needs: policy.Needs{Alike: true}}
	spec.Options = append(spec.Options, policy.NumberOption("x", "1"))
	spec.Make = policy.PerSite(func(s policy.Settings) simulate.Policy { return unfair(s.Number("x") >= 2) })
	return spec
}

type unfair bool

func (p unfair) Arrive(c *simulate.Cluster, j *simulate.Job) {
	c.Admit(j)
	_, luck := math.Modf(float64(j.ID) * math.Phi)
	delay := 200 * luck
	switch {
	case bool(p) && j.Width > 1:
		delay = 3 * 3600
	case bool(p):
		delay = 0
	}
	c.Timer(j, c.Now()+delay)
}

func (p unfair) Timer(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }

func (p unfair) Schedule(*simulate.Cluster) {}

// unfairScenario has narrow jobs that lose value by delay, and wide jobs that do not.
const unfairScenario = `
name: unfair
server: {nodes: 40000}
simulation: {jobs: 60, warmup: 0}
classes:
  - {name: narrow, rate: 0.1, length: {mean: 10, sd: 1}, price: 10, decay: 0.05}
  - {name: wide, rate: 0.01, width: 2600, length: {mean: 1, sd: 0.1}, price: 1}
`

// lateScenario has one job in 10 s, which pays 10 $ less 0.05 $ for each second of delay.
const lateScenario = `
name: late
server: {nodes: 100}
simulation: {jobs: 60, warmup: 0}
classes:
  - {name: only, rate: 0.1, length: {mean: 10, sd: 1}, price: 10, decay: 0.05}
`

// droppingSpec is a policy that starts jobs late by 100 s, and from x = 2 on refuses every second job and starts the
// others at once.
func droppingSpec() policy.Spec {
	spec := policy.Spec{Name: "dropping", Needs: policy.Needs{Alike: true}}
	spec.Options = append(spec.Options, policy.NumberOption("x", "1"))
	spec.Make = policy.PerSite(func(s policy.Settings) simulate.Policy { return dropping(s.Number("x") >= 2) })
	return spec
}

type dropping bool

func (p dropping) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if bool(p) && j.ID%2 == 0 {
		c.Reject(j, simulate.Refused)
		return
	}
	c.Admit(j)
	delay := 100.0
	if p {
		delay = 0
	}
	c.Timer(j, c.Now()+delay)
}

func (p dropping) Timer(c *simulate.Cluster, j *simulate.Job) { c.Start(j) }

func (p dropping) Schedule(*simulate.Cluster) {}
