package paper

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/study"
)

// input returns a number that a paper states, by the scenario and words on the number.
func (e *Evidence) input(name string) value {
	words, field, _ := strings.Cut(name, " ")
	var numbers map[string]float64
	switch {
	case words == "pricing":
		// The example of section V of Yeo and Buyya (2007): 90 of 100 units an hour are taken and 10
		// asked for, with deadlines of 2 and 5 h.
		p := policy.Pricing{Beta: 1}
		numbers = map[string]float64{"2 h": p.Rate(1, 200, 100), "5 h": p.Rate(1, 500, 400)}
	case strings.HasPrefix(words, "nist-"):
		numbers = classNumbers(words)
	default:
		numbers = e.jobNumbers(words)
	}
	x, ok := numbers[field]
	if !ok {
		lacking("no input %q", name)
	}
	v := exact(x)
	if words == "sp2-sla" && e.o.Trace == "" {
		v.low, v.high = math.Inf(-1), math.Inf(1) // the jobs are generated: the trace may have other ones
	}
	return v
}

// classNumbers returns the numbers of a scenario of job classes.
func classNumbers(name string) map[string]float64 {
	f := open(name)
	s, sys := must(f.scenario()), must(f.system())
	numbers := map[string]float64{"servers": sys.Parallel, "nodes": float64(s.Nodes)}
	rate := text.Sum(sys.Classes, func(c model.Class) float64 { return c.Rate })
	for i, c := range sys.Classes {
		mean, square := c.Length.Mean(), c.Length.Moment(2)
		numbers["price"] += c.Rate / rate * c.MeanPrice()
		for what, x := range map[string]float64{
			"share": c.Rate / rate, "price": c.MeanPrice(), "decay": c.Decay, "grace": c.MeanGrace(),
			"grace in lengths": c.MeanGrace() / mean, "penalty": s.Classes[i].Floor.OfPrice, "width": s.Classes[i].Width.Mean(),
			"length": mean, "square": square, "deviation": math.Sqrt(square - mean*mean), "least": c.Length.Quantile(0),
		} {
			numbers[c.Name+" "+what] = x
		}
	}
	return numbers
}

// jobNumbers returns the sites of a scenario, and statistics of the jobs of its first
// replication, without a delay factor where the jobs are of a trace.
func (e *Evidence) jobNumbers(name string) map[string]float64 {
	f := e.o.open(name)
	numbers := make(map[string]float64)
	if grid := must(f.scenario()).Grid; grid != nil {
		for i, s := range grid.Sites {
			numbers["processors"] += float64(s.Processors)
			numbers["processors of "+strconv.Itoa(i+1)], numbers["MIPS of "+strconv.Itoa(i+1)] = float64(s.Processors), s.MIPS
		}
	} else {
		f = f.with(append(traced(e.o.Trace), scenario.Set(delayFactor, 1))...)
	}
	jobs := e.jobs(f)
	var work, width, gaps, squares, last float64
	for _, j := range jobs {
		gap := j.Submit - last
		work, width, gaps, squares, last = work+j.Work, width+float64(j.Width), gaps+gap, squares+gap*gap, j.Submit
	}
	n := float64(len(jobs))
	numbers["runtime"], numbers["width"], numbers["interval"] = work/n, width/n, gaps/n
	numbers["interval within"] = (last - jobs[0].Submit) / (n - 1)
	numbers["variation"] = math.Sqrt(squares/n-gaps*gaps/n/n) / (gaps / n)
	return numbers
}

// jobs returns the jobs of the first replication of a scenario.
func (e *Evidence) jobs(f builtin) (jobs []simulate.Job) {
	subject := must(study.Open(e.ctx, must(f.doc.With(f.overrides...)), e.o.Seed, nil))
	source, err := subject.Workload.Jobs(e.o.Seed, 0)
	for more := err == nil; more; {
		var j simulate.Job
		if more, err = source.Next(&j); more {
			jobs = append(jobs, j)
		}
	}
	if closer, ok := source.(io.Closer); ok {
		err = errors.Join(err, closer.Close())
	}
	return must(jobs, err)
}
