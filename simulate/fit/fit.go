package fit

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate"
)

// By says which jobs make a class.
type By string

// The ways to make classes.
const (
	ByCustomer By = "customer" // Job.Class: the customers of the workload
	ByQueue    By = "queue"    // the queues of the trace that ask for most work, the others together
	ByUser     By = "user"     // the same with users
	ByGroup    By = "group"    // the same with groups
	ByAccount  By = "account"  // and with accounts
)

// Ways returns the ways to make classes.
func Ways() []By { return []By{ByCustomer, ByAccount, ByGroup, ByQueue, ByUser} }

// ParseBy reads a way to make classes.
func ParseBy(word string) (By, error) {
	if slices.Contains(Ways(), By(word)) {
		return By(word), nil
	}
	return "", errorf("expected classes by customer, account, group, queue or user, got %q", word)
}

// Error is jobs to which no classes can be fitted.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

func errorf(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// Options say how classes are made of jobs. The zero value is by customer.
type Options struct {
	Name      string         // of the scenario; "" is fit
	By        By             // "" is ByCustomer
	Classes   int            // at most, before hard and soft deadlines part; 0: 8
	Customers []model.Class  // in the order of Job.Class: their names and promises
	OwnWidths bool           // every class has the widths of its jobs; else all have those of the trace
	Day       float64        // s of a day of the trace: 86400 times the arrival delay factor; 0 is 86400
	Arrivals  bool           // fit an arrival process to every class; else all are Poisson
	Clock     float64        // s of the week, from Monday at midnight, at time 0 of the jobs
	Seed      uint64         // of the jobs
	Span      func() float64 // s in which jobs arrive, known after the last; nil: from the first to the last

	Names map[string]map[int32]string // of parties by kind and number; others are called queue3
}

// Result is job classes with the load of a trace, and how well they fit it.
type Result struct {
	Name     string
	By       By
	Nodes    int
	Unit     string // the word for one of Nodes; "" is node
	Residual model.Residual

	Jobs     int64   // fitted
	Void     int64   // left out: rejected at once, or without work
	Wide     int64   // left out: wider than the machine
	Span     float64 // s from the first submission to the last
	Rate     float64 // jobs/s
	Load     float64 // sum of work / (nodes span), which the classes offer too
	Arrivals Arrivals

	Parallel    float64 // jobs at a time: nodes over the mean width of the classes' work
	Correlation float64 // of the ranks of width and length
	LengthSCV   float64 // squared coefficient of variation of all lengths
	WorkSCV     float64 // and of all work, length times width
	Half        float64 // share of the work in jobs wider than half the machine
	TopWork     float64 // share of the work in the hundredth of the jobs with most
	Overrun     float64 // share of jobs that run longer than their estimate
	Accuracy    float64 // mean of length over estimate, NaN without estimates
	Split       bool    // jobs have mandatory and optional parts, fitted as one

	Classes  []Class
	Warnings []Warning // the most important first

	Pools []scenario.Pool // of the machine; nil: it is one
	Parts []*Result       // by pool; nil: no jobs
}

// Class is one class, as fitted and as the trace has it.
type Class struct {
	Model      model.Class // as the scenario has it
	Customer   int         // Job.Class of its jobs, -1 if they differ
	Kind       model.Kind  // of its length
	Equivalent Moments     // of its length as drawn, s
	Correction float64     // its mean length over that of the trace
	Second     bool        // the second moment of the work is preserved
	Tried      []Try       // the families with the two moments, by distance; the class has the first
	WorkKS     float64     // Kolmogorov-Smirnov distance of its work to the trace's
	Processes  []Process   // the arrival processes tried; the class has the first

	Jobs        int64   // of the trace
	Share       float64 // of the jobs
	Load        float64 // its part of Result.Load
	Gaps        Moments // between arrivals, s
	Length      Moments // run time, s
	Width       Moments // nodes
	Work        Moments // node-seconds
	Correlation float64 // of the ranks of width and length
	Budget      Moments // $
	Slack       Moments // deadline less run time, s
	Hard        bool    // deadlines are hard
}

// LengthKS returns the Kolmogorov-Smirnov distance of the length to the corrected run times.
func (c *Class) LengthKS() float64 { return c.Tried[0].KS }

// Try is a family of distributions, and its distance to the lengths of the trace.
type Try struct {
	Kind model.Kind
	KS   float64
}

// Moments is a mean and a standard deviation.
type Moments struct{ Mean, SD float64 }

// SCV returns the squared coefficient of variation.
func (m Moments) SCV() float64 { return m.SD / m.Mean * (m.SD / m.Mean) }

// System returns the classes for the formulas.
func (f *Result) System() model.System { return f.SystemBy(f.Residual) }

// SystemBy returns the classes for the formulas by a convention for delays.
func (f *Result) SystemBy(r model.Residual) model.System {
	s := model.System{Parallel: f.Parallel}
	for _, c := range f.Classes {
		s.Classes = append(s.Classes, c.Model)
	}
	return s.By(r)
}

// Jobs makes job classes of the jobs of a trace, as they are submitted to a
// machine of the given nodes, for the model of Marbukh & Mills: Poisson
// arrivals, lengths independent of widths, a value that falls linearly with
// the wait after a grace.
//
// Every class preserves (to the twelve digits that are written) the rate of its
// jobs, jobs/span; their mean work E[L W]; their mean budget; and their mean
// slack, deadline less run time. In a class, widths and lengths are independent; in
// a trace, wide jobs run longer or shorter. So widths are weighted by the time that
// jobs run, with mean E[L W] / E[L], and
//
//	E[length] = E[L W] / E[width],   E[length^2] = E[(L W)^2] / E[width^2],
//
// which preserves the second moment of the work as well, if that leaves a variance
// of at least 0. All classes draw from the widths of the whole trace: the formulas
// count every job as a job of the mean width, so that only a width common to all
// makes rate E[length] / n the utilization by each class. The lengths of a class
// with wide jobs are longer than its run times; on average over all jobs they are
// the same. With OwnWidths the lengths are the run times, and only the sum of the
// utilizations is right.
//
// Jobs that no policy can run (void, or wider than the machine) are left out
// and counted. Classes in which some deadlines are hard and others are not
// become two. A promise on the wait goes over to the classes of its customer.
func Jobs(ctx context.Context, jobs simulate.Source, nodes int, o Options) (*Result, error) {
	o.By, o.Name = cmp.Or(o.By, ByCustomer), cmp.Or(o.Name, "fit")
	o.Day = cmp.Or(o.Day, 86400)
	if nodes < 1 || !(o.Day > 0) || o.Classes < 0 || math.IsInf(o.Day, 0) {
		return nil, fmt.Errorf("fit: cannot fit classes on %d nodes with %+v", nodes, o)
	}
	f := &Result{Name: o.Name, By: o.By, Nodes: nodes, Residual: model.Pooled}
	all, err := f.collect(ctx, jobs, o.Span)
	if err != nil {
		return nil, err
	}
	groups, err := f.group(ctx, all, o)
	if err != nil {
		return nil, err
	}
	f.describe(all, o)
	if err := f.fitClasses(ctx, all, groups, o); err != nil {
		return nil, err
	}
	f.Warnings = f.warnings()
	return f, nil
}

// job is the part of a job that a fit uses.
type job struct {
	submit, length float64
	estimate       float64 // 0 if there is none
	price          float64 // $ if in time
	decay          float64 // $/s after the slack; 0 if the deadline is hard
	slack          float64 // s of wait that cost nothing
	floor          float64 // $, the largest penalty
	expire         model.Expiry
	width          int32
	class, user    int32
	group, queue   int32
	account        int32
	hard           bool
}

func (j *job) work() float64 { return j.length * float64(j.width) }

// newJob reads a job and its value. A job that waits w ends w + length after its
// submission, so that its lateness is w less the slack.
func newJob(j *simulate.Job) job {
	d, v := &j.Spec.Details, &j.Value
	f := job{
		submit: j.Submit, length: j.Work, width: int32(j.Width), estimate: d.Estimate, class: int32(j.Class),
		user: int32(d.User), group: int32(d.Group), queue: int32(d.Queue), account: int32(d.Account),
		price: v.Price, slack: max(v.Due-j.Work, 0),
	}
	if v.Hard {
		f.hard, f.floor = true, v.Floor
		if math.IsInf(v.Floor, 1) {
			f.floor = 0
		}
		return f
	}
	f.decay, f.floor = v.Decay, v.Floor
	u := model.Utility{Base: v.Price, Decay: v.Decay, Grace: v.Due - j.Work, Penalty: v.Floor}
	switch patience := j.Expire - j.Submit; {
	case j.Expire <= 0 || j.Impatient() || math.IsInf(patience, 1) || math.IsInf(v.Floor, 1):
	case math.Abs(patience-u.Zero()) < math.Abs(patience-u.Corner()):
		f.expire = model.ExpireZero
	default:
		f.expire = model.ExpireFloor
	}
	return f
}

// bytesPerJob is the memory of a job in a fit, about.
const bytesPerJob = 400

func (f *Result) collect(ctx context.Context, jobs simulate.Source, span func() float64) ([]job, error) {
	var all []job
	var first, last, work float64
	for n := 0; ; n++ {
		var j simulate.Job
		ok, err := jobs.Next(&j)
		if n&0xfff == 0 && err == nil {
			err = ctx.Err()
		}
		if n&0xfff == 0 && err == nil {
			err = budget.Memory(ctx, float64(n)*bytesPerJob, "classes fitted to %d jobs or more ask for", n)
		}
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
			return nil, errorf("job %d is submitted at %g, after one at %g", n, j.Submit, last)
		}
		last = j.Submit
		f.Split = f.Split || j.Spec.Imprecise != nil
		switch {
		case j.Void || !(j.Work > 0) || math.IsInf(j.Work, 0) || j.Width < 1:
			f.Void++
		case j.Width > f.Nodes:
			f.Wide++
		default:
			all = append(all, newJob(&j))
			work += all[len(all)-1].work()
		}
	}
	f.Jobs, f.Span = int64(len(all)), last-first
	if span != nil {
		f.Span = span()
	}
	f.Rate, f.Load = float64(f.Jobs)/f.Span, work/(float64(f.Nodes)*f.Span)
	switch left := f.Void + f.Wide; {
	case f.Jobs == 0 && left == 0:
		return nil, errorf("no jobs to fit classes to")
	case f.Jobs == 0:
		return nil, errorf("no job can run: of %d, %d never ran and %d are wider than the %d nodes",
			left, f.Void, f.Wide, f.Nodes)
	case f.Jobs+left == 1 && span == nil:
		return nil, errorf("one job alone has no rate of arrivals")
	case !(f.Span > 0):
		return nil, errorf("all jobs (%d) are submitted at the same time, so that there is no rate of arrivals",
			f.Jobs+left)
	case math.IsInf(f.Rate, 0) || math.IsInf(f.Load, 0) || math.IsInf(work, 0):
		return nil, errorf("%d jobs within %g s are beyond the range of numbers", f.Jobs, f.Span)
	}
	return all, nil
}

func (f *Result) describe(all []job, o Options) {
	f.Arrivals = newArrivals(all, o.Day)
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

// momentsOf returns the moments of a sample of numbers of at least 0, NaN if it is
// empty. Numbers are scaled by the largest, as squares of tiny numbers would vanish.
func momentsOf(sample []float64) Moments {
	if len(sample) == 0 {
		return Moments{math.NaN(), math.NaN()}
	}
	unit := slices.Max(sample)
	switch {
	case unit == 0:
		return Moments{}
	case math.IsNaN(unit) || math.IsInf(unit, 0):
		return Moments{unit, math.NaN()}
	}
	scaled := text.Each(sample, func(x float64) float64 { return x / unit })
	mean, sd := stat.PopMeanStdDev(scaled, nil)
	return Moments{mean * unit, sd * unit}
}

// rankCorrelation returns Spearman's correlation of width and length, with mean
// ranks for ties; 0 if one of them does not vary.
func rankCorrelation(jobs []job) float64 {
	widths := ranks(jobs, func(j *job) float64 { return float64(j.width) })
	lengths := ranks(jobs, func(j *job) float64 { return j.length })
	if r := stat.Correlation(widths, lengths, nil); !math.IsNaN(r) {
		return r
	}
	return 0
}

// ranks returns the rank of every job by a number; equal jobs share their mean rank.
func ranks(jobs []job, number func(*job) float64) []float64 {
	sorted, order := make([]float64, len(jobs)), make([]int, len(jobs))
	for i := range jobs {
		sorted[i] = number(&jobs[i])
	}
	floats.Argsort(sorted, order)
	list := make([]float64, len(jobs))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && sorted[to] == sorted[from] {
			to++
		}
		for _, i := range order[from:to] {
			list[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return list
}

// group is the jobs of one class, by their places.
type group struct {
	name string
	jobs []int32
	hard bool
}

// defaultGroups is the largest number of queues, users or groups by default.
const defaultGroups = 8

func (f *Result) group(ctx context.Context, all []job, o Options) ([]group, error) {
	var groups []group
	switch o.By {
	case ByCustomer:
		groups = byCustomer(all, o.Customers)
	case ByAccount, ByGroup, ByQueue, ByUser:
		groups = byNumber(all, o)
	default:
		_, err := ParseBy(string(o.By))
		return nil, err
	}
	return parted(all, groups), ctx.Err()
}

// byCustomer makes a class of every Job.Class.
func byCustomer(all []job, customers []model.Class) []group {
	places := map[int32][]int32{}
	for i := range all {
		places[all[i].class] = append(places[all[i].class], int32(i))
	}
	var groups []group
	for _, class := range slices.Sorted(maps.Keys(places)) {
		name := fmt.Sprintf("class%d", class)
		if int(class) < len(customers) && class >= 0 {
			name = customers[class].Name
		}
		groups = append(groups, group{name: name, jobs: places[class]})
	}
	return groups
}

// byNumber makes a class of every number with most work, and a class of the others.
func byNumber(all []job, o Options) []group {
	most, seen := cmp.Or(o.Classes, defaultGroups), map[string]bool{}
	number := map[By]func(*job) int32{
		ByAccount: func(j *job) int32 { return j.account }, ByGroup: func(j *job) int32 { return j.group },
		ByQueue: func(j *job) int32 { return j.queue }, ByUser: func(j *job) int32 { return j.user },
	}[o.By]
	places, work := map[int32][]int32{}, map[int32]float64{}
	for i := range all {
		n := number(&all[i])
		places[n] = append(places[n], int32(i))
		work[n] += all[i].work()
	}
	keys := slices.Sorted(maps.Keys(places))
	slices.SortStableFunc(keys, func(a, b int32) int { return cmp.Compare(work[b], work[a]) })
	var groups []group
	for i, n := range keys {
		if i < most-1 || i == most-1 && len(keys) == most {
			name := cmp.Or(o.Names[string(o.By)][n], fmt.Sprintf("%s%d", o.By, n))
			groups = append(groups, group{name: text.Distinct(name, seen), jobs: places[n]})
			continue
		}
		if i == most-1 {
			groups = append(groups, group{name: text.Distinct("others", seen)})
		}
		last := &groups[len(groups)-1]
		last.jobs = append(last.jobs, places[n]...)
	}
	for i := range groups {
		slices.Sort(groups[i].jobs)
	}
	return groups
}

// parted splits the groups in which some deadlines are hard and others are not: no
// line approximates both a step and a slope.
func parted(all []job, groups []group) []group {
	var list []group
	for _, g := range groups {
		var parts [2]group
		for _, i := range g.jobs {
			p := &parts[0]
			if all[i].hard {
				p = &parts[1]
			}
			p.jobs = append(p.jobs, i)
		}
		soft, hard := parts[0], parts[1]
		soft.name, hard.name, hard.hard = g.name, g.name, true
		switch {
		case len(hard.jobs) == 0:
			list = append(list, soft)
		case len(soft.jobs) == 0:
			list = append(list, hard)
		default:
			soft.name, hard.name = g.name+"-soft", g.name+"-hard"
			list = append(list, soft, hard)
		}
	}
	return list
}

func (f *Result) fitClasses(ctx context.Context, all []job, groups []group, o Options) error {
	every := make([]int32, len(all))
	for i := range every {
		every[i] = int32(i)
	}
	widths := weightedWidths(all, every)
	var indices [][]window
	if o.Arrivals {
		indices = workIndices(all, groups, f.Span, o.Day)
	}
	for i, g := range groups {
		if o.OwnWidths {
			widths = weightedWidths(all, g.jobs)
		}
		c, err := f.fitClass(all, g, widths)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		if k := c.Customer; k >= 0 && k < len(o.Customers) {
			c.Model.SLO = o.Customers[k].SLO
		}
		if o.Arrivals {
			c.Processes = fitArrivals(all, g.jobs, c.Model.Rate, indices[i], o)
			c.Model.Arrivals = c.Processes[0].Arrivals
		}
		f.Classes = append(f.Classes, c)
	}
	f.setParallel()
	return nil
}

func (f *Result) setParallel() {
	var nodes, slots float64
	for _, c := range f.Classes {
		if len(c.Model.Width.Values) > 1 {
			f.Residual = model.Multiserver // the default where widths differ
		}
		slots += c.Model.Rate * c.Model.Length.Mean()
		nodes += c.Model.Rate * c.Model.Length.Mean() * c.Model.Width.Mean()
	}
	f.Parallel = float64(f.Nodes) / (nodes / slots)
}

func (f *Result) fitClass(all []job, g group, widths model.Width) (Class, error) {
	s := newSample(all, g.jobs)
	c := Class{
		Jobs: int64(len(g.jobs)), Share: float64(len(g.jobs)) / float64(f.Jobs), Hard: g.hard,
		Length: momentsOf(s.length), Work: momentsOf(s.work), Width: momentsOf(s.width), Gaps: s.gaps,
		Budget: momentsOf(s.price), Slack: momentsOf(s.slack), Correlation: rankCorrelation(s.jobs),
	}
	c.Customer = int(s.jobs[0].class)
	for i := range s.jobs {
		if s.jobs[i].class != s.jobs[0].class {
			c.Customer = -1
		}
	}
	c.Model.Name = g.name
	c.Model.Rate = digits(float64(c.Jobs) / f.Span)
	c.Model.Width = widths
	c.Load = c.Model.Rate * c.Work.Mean / float64(f.Nodes)
	c.Equivalent, c.Second = equivalent(c.Work, widths)
	c.Correction = c.Equivalent.Mean / c.Length.Mean
	slices.Sort(s.work)
	for i := range s.length {
		s.length[i] *= c.Correction
	}
	slices.Sort(s.length)
	var err error
	c.Tried, c.Model.Length, err = tryLengths(c.Equivalent, s.length)
	if err != nil {
		return c, errorf("class %s: %v", c.Model.Name, err)
	}
	c.Kind = c.Tried[0].Kind
	c.WorkKS = distance(s.work, workCDF(c.Model.Length.CDF, widths))
	if second := c.Model.Length.Moment(2); !(second > 0) || math.IsInf(second, 0) {
		return c, errorf("the lengths of class %s are beyond the range of numbers", c.Model.Name)
	}
	c.value(s)
	return c, nil
}

// equivalent returns the moments of the length that, independent of the widths, has
// the mean work and, if second is true, the second moment of the work:
//
//	mean = E[work] / E[W],   mean^2 + sd^2 = E[work^2] / E[W^2].
//
// Work that varies less than the widths leaves no variance: the length is then
// deterministic.
func equivalent(work Moments, widths model.Width) (length Moments, second bool) {
	length.Mean = digits(work.Mean / widths.Mean())
	var squares float64 // E[W^2]
	for i, v := range widths.Values {
		squares += widths.Weights[i] * v * v
	}
	ratio := widths.Mean() * widths.Mean() / squares
	scv := (1+work.SCV())*ratio - 1
	if scv < 1e-9 {
		return length, scv > -1e-9
	}
	length.SD = digits(length.Mean * math.Sqrt(scv))
	return length, true
}

// digits rounds a number to the twelve digits that are written.
func digits(x float64) float64 { return rounded(x, 12) }

func rounded(x float64, digits int) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', digits, 64), 64)
	if err != nil {
		panic("fit: " + err.Error())
	}
	return r
}

// sample is the jobs of a class, quantity by quantity.
type sample struct {
	jobs                              []job
	length, work, width, price, slack []float64
	gaps                              Moments
}

func newSample(all []job, places []int32) *sample {
	s := &sample{}
	var gaps []float64
	for k, i := range places {
		j := all[i]
		s.jobs = append(s.jobs, j)
		s.length = append(s.length, j.length)
		s.work = append(s.work, j.work())
		s.width = append(s.width, float64(j.width))
		s.price = append(s.price, j.price)
		s.slack = append(s.slack, j.slack)
		if k > 0 {
			gaps = append(gaps, j.submit-all[places[k-1]].submit)
		}
	}
	s.gaps = momentsOf(gaps)
	return s
}

// value sets the price, the cost of delay and the expiry of a class, after its
// length and widths.
//
// Prices, graces and floors are fixed or scale with the job, as in the trace: the
// form with the smaller coefficient of variation is taken. Their means are those of
// the trace.
//
// A soft deadline loses its penalty rate for every second after the slack, as in
// the model. A hard deadline loses the whole budget at once, which the model cannot
// express: the value falls in a straight line from the budget at the deadline to
// minus the floor after the mean slack, decay = (E[budget] + E[floor]) / E[slack],
// and then the job leaves at that cost.
func (c *Class) value(s *sample) {
	const hour = 3600
	mean := c.Equivalent.Mean
	work := mean * c.Model.Width.Mean()
	price := c.Budget.Mean
	byLength, byWork := ratioSCV(s.price, s.jobs, (*job).seconds), ratioSCV(s.price, s.jobs, (*job).work)
	switch {
	case price > 0 && byWork < byLength && byWork < c.Budget.SCV():
		c.Model.Price.PerNodeSecond = digits(price/work*hour) / hour
	case price > 0 && byLength < c.Budget.SCV():
		c.Model.Price.PerSecond = digits(price/mean*hour) / hour
	default:
		c.Model.Price.Fixed = digits(price)
	}
	if slack := c.Slack.Mean; slack > 0 && ratioSCV(s.slack, s.jobs, (*job).seconds) < c.Slack.SCV() {
		c.Model.Grace.Lengths = digits(slack / mean)
	} else {
		c.Model.Grace.Fixed = digits(slack)
	}
	c.Model.Dated = c.Model.Grace != model.Grace{}
	if c.Hard {
		c.hardValue(s)
		return
	}
	for i := range s.jobs {
		c.Model.Decay += s.jobs[i].decay / float64(len(s.jobs))
	}
	c.Model.Decay = digits(c.Model.Decay)
	c.floor(s)
	c.expiry(s)
}

func (j *job) seconds() float64 { return j.length }

// hardValue sets the cost of delay for hard deadlines.
func (c *Class) hardValue(s *sample) {
	within := cmp.Or(c.Slack.Mean, c.Length.Mean)
	c.floor(s)
	c.Model.Expire = model.ExpireZero
	if c.Model.Floor != (model.Floor{}) {
		c.Model.Expire = model.ExpireFloor
	}
	penalty := c.Model.Floor.Of(c.Budget.Mean)
	c.Model.Decay = digits((c.Budget.Mean + penalty) / within)
}

// floor sets the largest penalty.
func (c *Class) floor(s *sample) {
	floors := make([]float64, len(s.jobs))
	for i := range s.jobs {
		floors[i] = s.jobs[i].floor
	}
	m := momentsOf(floors)
	switch {
	case math.IsInf(m.Mean, 0) || math.IsNaN(m.Mean):
		c.Model.Floor.None = true
	case m.Mean > 0 && ratioSCV(floors, s.jobs, func(j *job) float64 { return j.price }) < m.SCV():
		c.Model.Floor.OfPrice = digits(m.Mean / c.Budget.Mean)
	default:
		c.Model.Floor.Fixed = digits(m.Mean)
	}
}

// expiry sets the rule by which most jobs give up.
func (c *Class) expiry(s *sample) {
	if c.Model.Floor.None {
		return
	}
	var rules [3]int
	for i := range s.jobs {
		rules[s.jobs[i].expire]++
	}
	for rule, n := range rules {
		if n > rules[c.Model.Expire] {
			c.Model.Expire = model.Expiry(rule)
		}
	}
}

// ratioSCV returns the squared coefficient of variation of a ratio, +Inf without one.
func ratioSCV(values []float64, jobs []job, over func(*job) float64) float64 {
	ratios := make([]float64, len(values))
	for i, x := range values {
		ratios[i] = x / over(&jobs[i])
	}
	if scv := momentsOf(ratios).SCV(); !math.IsNaN(scv) {
		return scv
	}
	return math.Inf(1)
}

// Divide gives a fit to the jobs of all pools the classes that are fitted to the jobs of
// each pool, nil for a pool without jobs. Classes whose name several pools have are called
// after the pool too. The figures of arrivals, lengths and work stay those of all jobs.
func (f *Result) Divide(pools []scenario.Pool, parts []*Result) {
	f.Pools, f.Parts = slices.Clone(pools), parts
	f.Classes, f.Warnings = nil, nil
	f.Jobs, f.Void, f.Wide = 0, 0, 0
	f.Rate, f.Load = 0, 0
	count, seen := map[string]int{}, map[string]bool{}
	for i, part := range parts {
		f.Pools[i].Of = nil
		if part == nil {
			continue
		}
		share := float64(part.Nodes) / float64(f.Nodes)
		f.Jobs, f.Void, f.Wide = f.Jobs+part.Jobs, f.Void+part.Void, f.Wide+part.Wide
		f.Rate, f.Load = f.Rate+part.Rate, f.Load+part.Load*share
		for _, w := range part.Warnings {
			w.Pool = pools[i].Name
			f.Warnings = append(f.Warnings, w)
		}
		for _, c := range part.Classes {
			count[c.Model.Name]++
			c.Model.Pool, c.Load = pools[i].Name, c.Load*share
			f.Classes = append(f.Classes, c)
		}
	}
	f.setParallel()
	for i := range f.Classes {
		c := &f.Classes[i]
		if count[c.Model.Name] > 1 {
			c.Model.Name += "-" + c.Model.Pool
		}
		c.Model.Name, c.Share = text.Distinct(c.Model.Name, seen), float64(c.Jobs)/float64(f.Jobs)
	}
}
