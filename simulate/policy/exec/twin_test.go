package exec_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/exec"
	"revopt/simulate/workload"
)

// twin is edf-bf, value-bf and first-price as a program, written from docs/policies.md with no thought for speed.
type twin struct {
	name      string
	predicted bool
	free      int
	now       float64
	waiting   []*twinJob // by arrival
	running   []*twinJob
	ratios    []float64         // of all ended jobs
	users     map[int][]float64 // ratios by user
	runs      map[int][]float64 // run times by user
	allowed   float64           // H is allowed / seen
	seen      float64
	since, h  float64
}

type twinJob struct {
	ID       int64
	Width    int
	Estimate float64
	Price    float64
	Decay    float64
	Deadline *float64
	User     int
	Class    string
	Submit   float64

	hard             bool
	limit, due, mean float64 // estimate of the user; s from the submission; s
	outcomes         []float64
	lapse            float64
	start, end       float64
	raised           int
	index            float64
	planned, started bool
}

type twinMessage struct {
	Hello  int       `json:"hello"`
	Bye    int       `json:"bye"`
	Units  int       `json:"units"`
	Now    float64   `json:"now"`
	Free   int       `json:"free"`
	Arrive []twinJob `json:"arrive"`
	Finish []int64   `json:"finish"`
	Leave  []int64   `json:"leave"`
}

// serve answers messages until the end.
func (w *twin) serve(in io.Reader, out io.Writer) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 16<<20)
	w.users, w.runs = map[int][]float64{}, map[int][]float64{}
	for lines.Scan() {
		var m twinMessage
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		switch {
		case m.Bye != 0:
			return
		case m.Hello != 0:
			fmt.Fprintln(out, `{"hello":2,"fields":["width","estimate","price","decay","deadline","user","class","submit"]}`)
		default:
			fmt.Fprintln(out, w.reply(&m))
		}
	}
}

func (w *twin) reply(m *twinMessage) string {
	w.now, w.free = m.Now, m.Free
	for _, id := range m.Finish {
		w.finish(id)
	}
	for i := range m.Arrive {
		w.arrive(&m.Arrive[i])
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(j *twinJob) bool { return slices.Contains(m.Leave, j.ID) })
	var reply struct {
		Start  []int64          `json:"start"`
		Reject []map[string]any `json:"reject"`
		Wake   *float64         `json:"wake,omitempty"`
	}
	for _, j := range w.waiting {
		if w.now >= j.lapse {
			reply.Reject = append(reply.Reject, map[string]any{"id": j.ID, "why": "lapsed"})
		}
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(j *twinJob) bool { return w.now >= j.lapse })
	wake := false
	if w.edf() {
		w.backfill()
		wake = true
	} else {
		wake = w.byValue()
	}
	next := math.Inf(1)
	for _, j := range w.waiting {
		if j.started {
			reply.Start = append(reply.Start, j.ID)
			w.running = append(w.running, j)
		} else if wake {
			next = min(next, j.lapse)
		}
	}
	w.waiting = slices.DeleteFunc(w.waiting, func(j *twinJob) bool { return j.started })
	if next < math.Inf(1) {
		reply.Wake = &next
	}
	text, _ := json.Marshal(reply)
	return string(text)
}

func (w *twin) finish(id int64) {
	i := slices.IndexFunc(w.running, func(j *twinJob) bool { return j.ID == id })
	j := w.running[i]
	w.running = slices.Delete(w.running, i, i+1)
	run := w.now - j.start
	ratio := min(run/j.limit, 1)
	w.ratios = append(w.ratios, ratio)
	w.users[j.User] = append(w.users[j.User], ratio)
	w.runs[j.User] = append(w.runs[j.User], run)
}

// arrive works out what is expected of a job. All that it pays and is allowed is a multiple of its length.
func (w *twin) arrive(j *twinJob) {
	j.hard = j.Class == "hard"
	j.limit, j.mean = j.Estimate, j.Estimate
	j.outcomes = []float64{j.limit}
	if w.predicted && w.edf() {
		if runs := w.runs[j.User]; len(runs) >= 2 {
			n := len(runs)
			j.mean = min(max((runs[n-1]+runs[n-2])/2, 1e-3), j.limit)
		}
	} else if w.predicted {
		j.outcomes = w.outcomes(j)
		j.mean = 0
		for _, run := range j.outcomes {
			j.mean += run / float64(len(j.outcomes))
		}
	}
	scale := j.mean / j.limit
	j.Price, j.Decay = j.Price*scale, j.Decay*scale
	j.due = (*j.Deadline - j.Submit) * scale
	w.allowed += j.due
	w.seen++
	j.lapse = math.Inf(1)
	switch {
	case w.edf():
		j.lapse = j.Submit + j.due
	case w.predicted || j.Estimate != w.exact(j):
		j.lapse = j.worthless(0)
	default:
		j.lapse = j.worthless(j.mean)
	}
	at := len(w.waiting)
	for at > 0 && w.waiting[at-1].ID > j.ID {
		at-- // it was submitted before, and held
	}
	w.waiting = slices.Insert(w.waiting, at, j)
}

// edf reports whether the twin is edf-bf.
func (w *twin) edf() bool { return w.name[:3] == "edf" }

// exact returns the run time of a job if the program is told of it; it is told so by its name.
func (w *twin) exact(j *twinJob) float64 {
	if w.name[len(w.name)-1] == '!' {
		return j.Estimate
	}
	return -1
}

// worthless returns the start from which a job is worth nothing if it runs for so long.
func (j *twinJob) worthless(run float64) float64 {
	late := j.Submit + j.due - run + 1e-8*j.due
	if j.hard {
		return late
	}
	return max(late, j.Submit+j.due-run+j.Price/j.Decay)
}

// outcomes are the possible run times of a job.
func (w *twin) outcomes(j *twinJob) (list []float64) {
	own := w.users[j.User]
	for _, ratio := range own[max(0, len(own)-4):] {
		list = append(list, ratio*j.limit)
	}
	if len(w.ratios) > 0 {
		sorted := slices.Sorted(slices.Values(w.ratios))
		for k := 1; k < 10; k += 2 {
			at := (k*len(sorted)+9)/10 - 1
			bin := min(math.Floor(sorted[max(at, 0)]*128), 127)
			list = append(list, j.limit*(bin+0.5)/128)
		}
	}
	return append(list, j.limit)
}

// room reports whether so many units are free, beside running jobs and reservations, from a time on.
func (w *twin) room(from, length float64, width int, plans []*twinJob) bool {
	for _, at := range w.moments(plans) {
		at = max(at, from)
		if at < from+length-1e-9 && w.freeAt(at, plans) < width {
			return false
		}
	}
	return true
}

func (w *twin) moments(plans []*twinJob) []float64 {
	list := []float64{w.now}
	for _, p := range plans {
		list = append(list, p.start)
	}
	return list
}

// freeAt returns the units that are free at a time.
func (w *twin) freeAt(at float64, plans []*twinJob) int {
	free := w.free
	for _, r := range w.running {
		if r.end <= at+1e-9 {
			free += r.Width
		}
	}
	for _, p := range plans {
		if p.started && p.end <= at+1e-9 {
			free += p.Width // it was taken from free
		}
		if p.planned && p.start <= at+1e-9 && at < p.end-1e-9 {
			free -= p.Width
		}
	}
	return free
}

func (w *twin) begin(j *twinJob, length float64) {
	j.started, j.start, j.end = true, w.now, w.now+length
	w.free -= j.Width
}

// reserve gives a job the earliest place.
func (w *twin) reserve(j *twinJob, length float64, plans []*twinJob) {
	ends := []float64{w.now}
	for _, r := range w.running {
		ends = append(ends, r.end)
	}
	for _, p := range plans {
		ends = append(ends, p.end)
	}
	slices.Sort(ends)
	for _, at := range ends {
		if at >= w.now && w.room(at, length, j.Width, plans) && w.freeAt(at, plans) >= j.Width {
			j.planned, j.start, j.end = true, at, at+length
			return
		}
	}
}

// expect raises the expected ends of jobs that have outlived them.
func (w *twin) expect() {
	steps := []float64{1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000}
	for _, r := range w.running {
		if r.end > w.now+1e-9 {
			continue
		}
		if limit := r.start + r.limit; w.predicted && w.edf() && limit > w.now+1e-9 {
			r.end = min(w.now+60*steps[min(r.raised, len(steps)-1)], limit)
			r.raised++
		}
	}
}

// backfill is EASY by deadline.
func (w *twin) backfill() {
	w.expect()
	order := slices.Clone(w.waiting)
	slices.SortStableFunc(order, func(a, b *twinJob) int { return cmp.Compare(a.Submit+a.due, b.Submit+b.due) })
	var plans []*twinJob
	for _, j := range order {
		switch {
		case j.Width <= w.free && w.room(w.now, j.mean, j.Width, plans):
			w.begin(j, j.mean)
			plans = append(plans, j)
		case !slices.ContainsFunc(plans, func(p *twinJob) bool { return p.planned }):
			w.reserve(j, j.mean, plans)
			plans = append(plans, j)
		}
	}
	for _, j := range order {
		j.planned = false
	}
}

// byValue is value-bf and first-price. It reports whether the next lapse is to be awaited.
func (w *twin) byValue() bool {
	if len(w.waiting) == 0 {
		return false
	}
	if 16*w.seen > 17*w.since {
		w.since, w.h = w.seen, w.allowed/w.seen
	}
	future, most := 0.98, 8
	if w.name[:5] == "first" {
		future, most = 0, 1
	}
	only := true
	for _, j := range w.waiting {
		j.index = w.indexOf(j, future)
		only = only && j.index <= 0
	}
	var turns []turn
	for _, j := range w.waiting {
		if j.index > 0 || only && j.index == 0 {
			turns = append(turns, turn{j.index, j})
		}
	}
	reserved := w.take(turns, most)
	for _, j := range w.waiting {
		j.planned = false
	}
	return (reserved || only || len(turns) < len(w.waiting)) && w.free > 0
}

// turn is a place in the order.
type turn struct {
	index float64
	job   *twinJob
}

// take gives the jobs their turns, and reports whether any got a reservation.
func (w *twin) take(turns []turn, most int) bool {
	var plans []*twinJob
	fits := func(j *twinJob) bool {
		return j.Width <= w.free && w.room(w.now, j.limit, j.Width, plans)
	}
	reserved := 0
	slices.SortStableFunc(turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(b.index, a.index), cmp.Compare(a.job.ID, b.job.ID))
	})
	for len(turns) > 0 && slices.ContainsFunc(turns, func(t turn) bool { return fits(t.job) }) {
		j := turns[0].job
		turns = turns[1:]
		switch {
		case fits(j):
			w.begin(j, j.limit)
			plans = append(plans, j)
		case reserved < most:
			reserved++
			w.reserve(j, j.limit, plans)
			plans = append(plans, j)
		}
	}
	return reserved > 0
}

// indexOf returns the rounded index of a job.
func (w *twin) indexOf(j *twinJob, future float64) float64 {
	sum := 0.0
	for _, run := range j.outcomes {
		end := w.now - j.Submit + run
		late := end > j.due*(1+1e-8)+1e-14*w.now
		v, next := 0.0, 0.0 // the value, and that after the delay
		switch {
		case !late && j.hard:
			v = j.Price
			next = v * (1 - math.Exp((end-j.due)/w.h))
		case !late:
			v = j.Price
			next = v - j.Decay*w.h*(math.Exp((end-j.due)/w.h)-math.Exp((end-j.due-j.Price/j.Decay)/w.h))
		case !j.hard && end < j.due+j.Price/j.Decay:
			v = j.Price - j.Decay*(end-j.due)
			next = v - j.Decay*w.h*(1-math.Exp((end-j.due-j.Price/j.Decay)/w.h))
		}
		sum += v - future*next
	}
	x := sum / float64(len(j.outcomes)) / (float64(j.Width) * max(j.mean, 1e-3))
	return math.Float64frombits((math.Float64bits(x) + 1<<19) &^ (1<<20 - 1))
}

// twinClasses are customers of whom all that they state is a multiple of the length.
const twinClasses = `
classes:
  - {name: hard, of: {share: 40%%}, price: {per_unit_hour: 3}, deadline: {lengths: 3}, hard: 100%%}
  - {name: soft, price: {per_unit_hour: 1}, deadline: {lengths: 2}, decay: {per_hour: 20%%}, max_penalty: 0}
`

// startsOf runs a policy on a workload.
func startsOf(t *testing.T, w workload.Workload, p simulate.Policy, units int) map[int64]float64 {
	t.Helper()
	jobs, err := w.Jobs(1, 0)
	if err != nil {
		t.Fatal(err)
	}
	starts := make(startTimes)
	_, err = simulate.Run(context.Background(), simulate.Config{
		Source: jobs, Sites: []simulate.Site{{Processors: units, Policy: p}}, Charging: simulate.ByValue,
		Observers: []simulate.Observer{starts},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c, ok := p.(io.Closer); ok {
		c.Close()
	}
	return starts
}

type startTimes map[int64]float64

func (s startTimes) Observe(e simulate.Event) {
	if e.Kind == simulate.Started {
		s[e.Job.ID] = e.Time
	}
}

// TestTwins: a policy and the same rule as a program start the same jobs at the same times, whatever estimates they see.
func TestTwins(t *testing.T) {
	const sp2 = "../../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"
	traces := []string{"sp2-like, jobs: first:600, arrival_delay_factor: 0.4", "sp2-like, jobs: first:400, arrival_delay_factor: 0.25"}
	if _, err := os.Stat(sp2); err == nil {
		traces = append(traces, sp2+", jobs: last:600")
	}
	for _, trace := range traces {
		text := fmt.Sprintf("name: twins\ntrace: {file: %s, cleaning: drop, nodes: 128}\n"+twinClasses, trace)
		w := fixture.Opened(t, text).Workload
		for _, name := range []string{"edf-bf", "value-bf", "first-price"} {
			for _, estimates := range []string{"user", "predicted", "exact"} {
				compareTwin(t, w, trace, name, estimates)
			}
		}
	}
}

func compareTwin(t *testing.T, w workload.Workload, trace, name, estimates string) {
	t.Helper()
	c := policy.Sites(128)
	c.Customers = []string{"hard", "soft"}
	spec, err := policy.Lookup(catalog.Standard(), name)
	if err != nil {
		t.Fatal(err)
	}
	own, _, err := spec.Build(policy.Settings{"estimates": estimates}, c)
	if err != nil {
		t.Fatal(err)
	}
	program := &twin{name: name, predicted: estimates == "predicted"}
	seen := "user"
	if estimates == "exact" {
		seen = "exact"
		program.name += "!"
	}
	fromProgram, toParent := io.Pipe()
	fromParent, toProgram := io.Pipe()
	go func() {
		program.serve(fromParent, toParent)
		toParent.Close()
	}()
	theirs, _, err := exec.Spec(exec.Options{Parent: func() (io.Reader, io.Writer) { return fromProgram, toProgram }}).
		Make(policy.Settings{"command": "-", "estimates": seen}, c)
	if err != nil {
		t.Fatal(err)
	}
	want := startsOf(t, w, own[0], 128)
	got := startsOf(t, w, theirs[0], 128)
	differ := 0
	first := int64(math.MaxInt64)
	for id := range int64(600) {
		a, ok := want[id]
		b, too := got[id]
		if ok != too || ok && math.Abs(a-b) > 1e-6 {
			differ++
			first = min(first, id)
		}
	}
	if differ > 0 {
		t.Errorf("%s, %s:estimates=%s: %d of %d starts differ, the first of job %d: %g as a program, %g", trace, name, estimates, differ, len(want), first, got[first], want[first])
	}
}
