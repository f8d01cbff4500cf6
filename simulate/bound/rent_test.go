package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// rentedProblem is jobs on a small machine beside which units can be rented.
type rentedProblem struct {
	toys []toy
	jobs []simulate.Job
	rent simulate.Rent
	m    Machine
	how  way
}

// newRentedProblem draws a problem that can be solved by trying all schedules.
func newRentedProblem(rnd *rand.Rand) rentedProblem {
	p := rentedProblem{m: Uniform(1 + rnd.IntN(3)), how: way(rnd.IntN(3))}
	p.rent = simulate.Rent{
		Price: rnd.Float64(), Startup: float64(rnd.IntN(2)), Minimum: float64(rnd.IntN(5)), Limit: rnd.IntN(4),
	}
	most := []int{whole: 6, preempted: 5, split: 3}[p.how]
	for range 2 + rnd.IntN(most-1) {
		y := shape(rnd, p.m.Nodes)
		y.release /= 2
		v := simulate.Value{
			Price: float64(1 + rnd.IntN(9)*y.width), Decay: float64(rnd.IntN(4) * y.width),
			Due:   float64(y.length + rnd.IntN(3)),
			Floor: [...]float64{0, 2, -1, -10, math.Inf(1), math.Inf(1)}[rnd.IntN(6)], Hard: rnd.IntN(2) == 0, Dated: true,
		}
		y.reward = func(done, finish int) float64 {
			if done < y.length {
				return 0
			}
			return v.At(float64(finish - y.release))
		}
		p.toys = append(p.toys, y)
		p.jobs = append(p.jobs, simulate.Job{
			Submit: float64(y.release), Work: float64(y.length), Width: y.width, Value: v, Expire: math.Inf(1),
		})
	}
	slices.SortStableFunc(p.jobs, func(a, b simulate.Job) int { return int(a.Submit - b.Submit) })
	return p
}

// best returns the most that any schedule earns, with the units that it rents if rent is not nil.
func (p *rentedProblem) best(rent *simulate.Rent) float64 {
	horizon := 0
	for _, y := range p.toys {
		horizon += y.length
	}
	o := oracle{
		toys: p.toys, nodes: p.m.Nodes, horizon: 2 + horizon, way: p.how, rent: rent, memo: map[[9]int8]float64{},
	}
	return o.from([9]int8{})
}

// bounds returns the bounds from loose to tight, on some machine.
func (p *rentedProblem) bounds(rent *simulate.Rent, m Machine) []float64 {
	ctx := context.Background()
	var jobs []Job
	for i := range p.jobs {
		jobs = append(jobs, Rented(Whole, rent)(&p.jobs[i]))
	}
	r := must(Clairvoyant(ctx, jobs, m, Options{Gap: 1e-3, First: 512, Edges: 4096}))
	list := []float64{must(Fluid(jobs, m)), r.Bound}
	if p.how == whole {
		return append(list, must(Unpreempted(ctx, jobs, m, r)).Bound)
	}
	return append(list, must(Indivisible(ctx, jobs, m, r)).Bound)
}

// TestRentedNeverBelowBestSchedule sets the bounds with rent against all schedules of small
// problems that run jobs on the machine, on rented units at any time, or not at all.
func TestRentedNeverBelowBestSchedule(t *testing.T) { aboveRented(t, 30) }

func aboveRented(t *testing.T, instances int) {
	rnd := rand.New(rand.NewPCG(34, 2))
	var met, near, rents, limits, sent int
	var excess float64
	for range instances {
		p := newRentedProblem(rnd)
		want, least := p.best(&p.rent), math.Inf(1)
		lists := [][]float64{p.bounds(&p.rent, p.m)}
		if p.rent.Limit > 0 {
			lists = append(lists, p.bounds(nil, p.m.Plus(p.rent.Limit)))
			limits += count(lists[1][2] < lists[0][2])
		}
		for _, list := range lists {
			for i, b := range list {
				if want > b*(1+1e-9)+1e-9 || i > 0 && b > list[i-1]*(1+1e-9)+1e-9 {
					t.Errorf("best schedule %g, bounds %g: %+v", want, list, p)
				}
				least = math.Min(least, b)
			}
		}
		sent += p.contend(t, want, lists)
		rents += count(want > p.best(nil)+1e-9)
		met += count(least <= want*(1+1e-6))
		near += count(least <= want*1.2)
		excess += (least - want) / math.Max(least, 1) / float64(instances)
	}
	t.Logf("of %d bounds %d are met and %d within a fifth, mean excess %.3g; rent pays in %d, a limit in %d; %d rented",
		instances, met, near, excess, rents, limits, sent)
	if met < instances/3 || near < instances*2/3 || rents < instances/4 || sent < 20*instances {
		t.Error("bounds are loose, or rent does not matter")
	}
}

// contend runs every policy on dedicated processors with every rule, and returns how many jobs were
// rented. Policies that run jobs once earn no more than the best schedule, all no more than bounds.
func (p *rentedProblem) contend(t *testing.T, want float64, bounds [][]float64) (rented int) {
	t.Helper()
	for _, spec := range catalog.Standard() {
		for _, rule := range []string{"loss", "wait", "all"} {
			settings := policy.Settings{"burst": rule, "burst-after": "1"}
			if rule != "wait" {
				delete(settings, "burst-after")
			}
			policies, _, err := spec.Build(settings, policy.Sites(0))
			if err != nil || spec.Needs.Optional {
				continue
			}
			stated := func(j *simulate.Job, _ float64) simulate.Value { return j.Value }
			rental := &agent.Rental{Terms: p.rent}
			rental.Burst = spec.Burst(settings, policies[0], policy.Context{Stated: stated})
			if rental.Burst == nil {
				continue
			}
			r := &rentedRun{left: p.jobs}
			_, err = simulate.Run(context.Background(), simulate.Config{
				Source: r, Sites: []simulate.Site{{Processors: p.m.Nodes, Policy: policies[0]}},
				Agents:   []simulate.Agent{rental},
				Charging: simulate.ByValue, Observers: []simulate.Observer{r},
			})
			if err != nil {
				t.Fatal(err)
			}
			rented += r.rented
			most, once := math.Inf(1), spec.Unpreempted(settings)
			for _, list := range bounds {
				if most = math.Min(most, list[1]); once || p.how != whole {
					most = math.Min(most, list[2])
				}
			}
			if once && p.how == whole {
				most = want
			}
			if r.earned > most*(1+1e-9)+1e-9 {
				t.Errorf("%s earns %g, best schedule %g, bounds %g: %+v", spec.Label(settings), r.earned, want, bounds, p)
			}
		}
	}
	return rented
}

// rentedRun is the jobs of a run and its books.
type rentedRun struct {
	left   []simulate.Job
	earned float64 // by jobs that pay
	rented int
}

func (r *rentedRun) Next(j *simulate.Job) (bool, error) {
	if len(r.left) == 0 {
		return false, nil
	}
	*j, r.left = r.left[0], r.left[1:]
	return true, nil
}

func (r *rentedRun) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed {
		r.earned += math.Max(0, e.Job.Revenue)
		r.rented += count(e.Job.Rented)
	}
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}
