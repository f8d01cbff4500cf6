package workload

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// fitJob is what a fit keeps of a job.
type fitJob struct {
	submit, length float64
	estimate       float64 // 0 where there is none
	price          float64 // $ if in time
	decay          float64 // $/s after the slack; 0 where the deadline is hard
	slack          float64 // s of wait that cost nothing
	floor          float64 // $, the largest penalty
	expire         model.Expiry
	width          int32
	class, user    int32
	group, queue   int32
	hard           bool
}

func (j *fitJob) work() float64 { return j.length * float64(j.width) }

// newFitJob takes what a job is worth from its value. A job that waits w ends
// w + length after its submission, so that its delay is w less the slack.
func newFitJob(j *simulate.Job) fitJob {
	d, v := &j.Spec.Details, &j.Value
	f := fitJob{
		submit: j.Submit, length: j.Work, width: int32(j.Width), estimate: d.Estimate,
		class: int32(j.Class), user: int32(d.User), group: int32(d.Group), queue: int32(d.Queue),
		price: v.Price, decay: v.Decay, slack: max(v.Due-j.Work, 0), floor: v.Floor, hard: v.Hard,
	}
	u := model.Utility{Base: f.price, Decay: f.decay, Grace: f.slack, Penalty: f.floor}
	switch patience := j.Expire - j.Submit; {
	case f.hard:
		f.decay, f.floor, f.expire = 0, 0, model.ExpireZero
	case j.Expire == 0 || math.IsInf(patience, 1) || math.IsInf(f.floor, 1):
	case math.Abs(patience-u.Zero()) < math.Abs(patience-u.Corner()):
		f.expire = model.ExpireZero
	default:
		f.expire = model.ExpireFloor
	}
	return f
}

// collect reads the jobs and keeps those that can run.
func (f *Fitted) collect(jobs simulate.Source) ([]fitJob, error) {
	var all []fitJob
	var first, last, work float64
	for n := 0; ; n++ {
		var j simulate.Job
		ok, err := jobs.Next(&j)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		if n == 0 {
			first = j.Submit
		}
		if !(j.Submit >= last) && n > 0 || math.IsInf(j.Submit, 0) {
			return nil, fmt.Errorf("workload: job %d is submitted at %g, after one at %g", n, j.Submit, last)
		}
		last = j.Submit
		f.Split = f.Split || j.Spec.Imprecise != nil
		switch {
		case j.Void || !(j.Work > 0) || math.IsInf(j.Work, 0) || j.Width < 1:
			f.Void++
		case j.Width > f.Nodes:
			f.Wide++
		default:
			all = append(all, newFitJob(&j))
			work += all[len(all)-1].work()
		}
	}
	f.Jobs, f.Span = int64(len(all)), last-first
	f.Rate, f.Load = float64(f.Jobs)/f.Span, work/(float64(f.Nodes)*f.Span)
	switch left := f.Void + f.Wide; {
	case f.Jobs == 0 && left == 0:
		return nil, errors.New("workload: no jobs to fit classes to")
	case f.Jobs == 0:
		return nil, fmt.Errorf("workload: no job can run: of %d, %d never ran and %d are wider than the %d nodes", left, f.Void, f.Wide, f.Nodes)
	case f.Jobs+left == 1:
		return nil, errors.New("workload: one job alone has no rate of arrivals")
	case !(f.Span > 0):
		return nil, fmt.Errorf("workload: all jobs (%d) are submitted at the same time, so that there is no rate of arrivals", f.Jobs+left)
	case math.IsInf(f.Rate, 0) || math.IsInf(f.Load, 0) || math.IsInf(work, 0):
		return nil, fmt.Errorf("workload: %d jobs within %g s are beyond the range of numbers", f.Jobs, f.Span)
	}
	return all, nil
}

// describe sets what all jobs together are like.
func (f *Fitted) describe(all []fitJob, o FitOptions) {
	f.Arrivals = newArrivalFit(all, o.Day)
	lengths, works := make([]float64, len(all)), make([]float64, len(all))
	var half, total, accuracy float64
	var over, estimated int
	for i := range all {
		j := &all[i]
		lengths[i], works[i] = j.length, j.work()
		total += works[i]
		if j.width > 1 && 2*int(j.width) > f.Nodes {
			half += works[i]
		}
		if j.estimate > 0 {
			estimated++
			accuracy += j.length / j.estimate
			if j.length > j.estimate*(1+1e-9) {
				over++
			}
		}
	}
	f.LengthSCV, f.WorkSCV = momentsOf(lengths).SCV(), momentsOf(works).SCV()
	f.Half, f.Correlation = half/total, rankCorrelation(all)
	f.Overrun, f.Accuracy = float64(over)/float64(len(all)), accuracy/float64(estimated)
	slices.Sort(works)
	for _, w := range works[len(works)-(len(works)+99)/100:] {
		f.TopWork += w / total
	}
}

// momentsOf returns the moments of a sample of numbers of at least 0, NaN of
// none. They are scaled by the largest, as squares of tiny numbers would vanish.
func momentsOf(sample []float64) FitMoments {
	if len(sample) == 0 {
		return FitMoments{math.NaN(), math.NaN()}
	}
	unit := slices.Max(sample)
	switch {
	case unit == 0:
		return FitMoments{}
	case math.IsNaN(unit) || math.IsInf(unit, 0):
		return FitMoments{unit, math.NaN()}
	}
	var m, s float64
	for _, x := range sample {
		m += x / unit
	}
	m /= float64(len(sample))
	for _, x := range sample {
		s += (x/unit - m) * (x/unit - m)
	}
	return FitMoments{m * unit, math.Sqrt(s/float64(len(sample))) * unit}
}

// rankCorrelation returns Spearman's correlation of width and length, with mean
// ranks for ties; 0 where one of them does not vary.
func rankCorrelation(jobs []fitJob) float64 {
	widths := ranks(jobs, func(j *fitJob) float64 { return float64(j.width) })
	lengths := ranks(jobs, func(j *fitJob) float64 { return j.length })
	a, b := momentsOf(widths), momentsOf(lengths)
	if a.SD == 0 || b.SD == 0 {
		return 0
	}
	var sum float64
	for i := range widths {
		sum += (widths[i] - a.Mean) * (lengths[i] - b.Mean)
	}
	return sum / (float64(len(jobs)) * a.SD * b.SD)
}

// ranks returns the rank of every job, the mean of their ranks for equal ones.
func ranks(jobs []fitJob, of func(*fitJob) float64) []float64 {
	order := make([]int, len(jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		x, y := of(&jobs[a]), of(&jobs[b])
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return a - b
	})
	list := make([]float64, len(jobs))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && of(&jobs[order[to]]) == of(&jobs[order[from]]) {
			to++
		}
		for _, i := range order[from:to] {
			list[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return list
}
