package exec_test

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
	"revopt/simulate/policy/policytest"
)

// peer is a program that knows only what it is sent. It orders all jobs anew at every message.
type peer struct {
	cost float64 // s of a suspension
	jobs map[int64]*peerJob
}

type peerJob struct {
	ID                 int64
	Width              int
	Estimate           float64
	runs               bool
	since, given, lost float64
}

func (j *peerJob) served(now float64) float64 {
	if j.runs {
		return j.given + (now - j.since)
	}
	return j.given
}

// message is what revopt sends.
type message struct {
	Hello, Bye   int
	Preempt      bool
	PreemptCost  float64 `json:"preempt_cost"`
	Now          float64
	Free         int
	Arrive       []peerJob
	Finish, Stop []int64
	Leave        []int64
}

// reply is what the program sends.
type reply struct {
	Suspend []int64 `json:"suspend,omitempty"`
	Start   []int64 `json:"start,omitempty"`
}

// speak talks to revopt until it says goodbye.
func (p *peer) speak(in io.Reader, out io.Writer) error {
	input := bufio.NewReader(in)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return err
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil || m.Bye > 0 {
			return err
		}
		if m.Hello > 0 {
			if !m.Preempt {
				return fmt.Errorf("hello is %s", line)
			}
			p.cost, p.jobs = m.PreemptCost, map[int64]*peerJob{}
			fmt.Fprintln(out, `{"hello":2,"fields":["estimate","width"]}`)
			continue
		}
		data, _ := json.Marshal(p.decide(&m))
		out.Write(append(data, '\n'))
	}
}

func (p *peer) decide(m *message) (r reply) {
	for _, id := range m.Finish {
		delete(p.jobs, id)
	}
	for _, id := range m.Stop { // by an outage: the work is lost
		j := p.jobs[id]
		j.given += m.Now - j.since
		j.runs, j.lost = false, j.given
	}
	for i := range m.Arrive {
		p.jobs[m.Arrive[i].ID] = &m.Arrive[i]
	}
	for _, id := range m.Leave {
		delete(p.jobs, id)
	}
	key := func(j *peerJob) float64 { return float64(j.Width) * max(j.Estimate+j.lost-j.served(m.Now), 0) }
	all := slices.SortedFunc(maps.Values(p.jobs), func(a, b *peerJob) int {
		return cmp.Or(cmp.Compare(key(a), key(b)), cmp.Compare(a.ID, b.ID))
	})
	up := m.Free
	for _, j := range all {
		if j.runs {
			up += j.Width
		}
	}
	sum, n := 0, 0
	for ; n < len(all) && sum < up; n++ {
		sum += all[n].Width
	}
	slices.SortStableFunc(all[:n], func(a, b *peerJob) int { return b.Width - a.Width })
	chosen := map[int64]bool{}
	for _, j := range all[:n] {
		if j.Width <= up {
			up, chosen[j.ID] = up-j.Width, true
		}
	}
	for _, id := range slices.Sorted(maps.Keys(p.jobs)) {
		switch j := p.jobs[id]; {
		case j.runs && !chosen[id]:
			r.Suspend = append(r.Suspend, id)
			j.given, j.lost, j.runs = j.given+(m.Now-j.since), j.lost+p.cost, false
		case !j.runs && chosen[id]:
			r.Start = append(r.Start, id)
			j.since, j.runs = m.Now, true
		}
	}
	return r
}

// steps is an observer of all starts, ends and interruptions.
type steps []string

func (s *steps) Observe(e simulate.Event) {
	switch e.Kind {
	case simulate.Started, simulate.Preempted, simulate.Resumed, simulate.Completed, simulate.Rejected, simulate.Expired:
		*s = append(*s, fmt.Sprintf("%b %d %d %b", e.Time, e.Kind, e.Job.ID, e.Job.Revenue))
	}
}

// stepsOf runs jobs under a policy and returns what happens, in a fixed order within an instant.
func stepsOf(t *testing.T, units int, p simulate.Policy, jobs []simulate.Job) []string {
	t.Helper()
	var seen steps
	cfg := simulate.Config{Observers: []simulate.Observer{&seen}, Charging: simulate.ByPolicy,
		Sites: []simulate.Site{{Processors: units, Policy: p}}}
	policytest.Audited(t, cfg, jobs)
	slices.Sort(seen)
	return seen
}

// connected returns the policy of a program in this process.
func connected(t *testing.T, units int, s policy.Settings, p *peer) (simulate.Policy, func()) {
	t.Helper()
	requests, toPeer := io.Pipe()
	fromPeer, replies := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- p.speak(requests, replies) }()
	parent := func() (io.Reader, io.Writer) { return fromPeer, toPeer }
	spec := exec.Spec(exec.Options{Timeout: time.Minute, Parent: parent})
	c := policy.Sites(units)
	list, _, err := spec.Build(s, c)
	if err != nil {
		t.Fatal(err)
	}
	return list[0], func() {
		t.Helper()
		list[0].(io.Closer).Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// filling is the policy of the peer in this process: ServerFilling-SRPT (Grosof et al. 2022). At every decision the jobs
// with the least work left, by their estimates, that together fill the machine are served, the widest first, and all others
// are suspended.
type filling struct {
	policy.Terms
	cost    float64
	present []*simulate.Job // in order of arrival
	running map[*simulate.Job]bool
}

// left returns the processor-seconds that a job still needs by its estimate.
func (p *filling) left(j *simulate.Job, now float64) float64 {
	return float64(j.Width) * max(p.RunTime(j)+j.Lost-j.Served(now), 0)
}

// Arrive implements simulate.Policy.
func (p *filling) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, ok := p.Take(c, j); ok {
		c.Admit(j)
		p.present = append(p.present, j)
	}
}

// Leave implements simulate.Leaver.
func (p *filling) Leave(_ *simulate.Cluster, j *simulate.Job) {
	p.present = slices.DeleteFunc(p.present, func(x *simulate.Job) bool { return x == j })
}

// Finish implements simulate.Finisher.
func (p *filling) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.Leave(c, j)
	delete(p.running, j)
	p.Charge(c, j)
}

// Stop implements simulate.Stopper.
func (p *filling) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	delete(p.running, j)
	if !again {
		p.Leave(c, j)
	}
}

// Unlimited implements simulate.Unlimited.
func (p *filling) Unlimited() {}

// Schedule implements simulate.Policy.
func (p *filling) Schedule(c *simulate.Cluster) {
	up := c.Free()
	for j := range p.running {
		up += j.Width
	}
	all := slices.SortedFunc(slices.Values(p.present), func(a, b *simulate.Job) int {
		return cmp.Or(cmp.Compare(p.left(a, c.Now()), p.left(b, c.Now())), cmp.Compare(a.ID, b.ID))
	})
	sum, n := 0, 0
	for ; n < len(all) && sum < up; n++ {
		sum += all[n].Width
	}
	slices.SortStableFunc(all[:n], func(a, b *simulate.Job) int { return b.Width - a.Width })
	chosen := map[*simulate.Job]bool{}
	for _, j := range all[:n] {
		if j.Width <= up {
			up, chosen[j] = up-j.Width, true
		}
	}
	for _, j := range p.present {
		if p.running[j] && !chosen[j] {
			c.Suspend(j, p.cost)
		}
	}
	for _, j := range p.present {
		if chosen[j] && !p.running[j] {
			c.Start(j)
		}
	}
	p.running = chosen
}

// suspends compares a program that suspends jobs with the same policy in this process, on random workloads: half
// of them have estimates, and half of them a cost of preemption.
func suspends(t *testing.T, workloads, jobs int) {
	count := 0
	for seed := range uint64(workloads) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		list := policytest.Assorted(rnd, jobs, 3+12*rnd.Float64())
		for i := range list {
			list[i].Width = min(list[i].Width, 8) // the program is not asked about a job that is too wide
			if seed%2 == 1 {
				list[i].Spec.Details.Estimate = 0
			}
		}
		if seed%3 == 1 {
			policytest.Patient(rnd, list)
		}
		cost := []float64{0, 1.5}[seed/2%2]
		want := stepsOf(t, 8, &filling{cost: cost}, list)
		settings := policy.Settings{"preempt-cost": fmt.Sprint(cost), "command": "-"}
		program, end := connected(t, 8, settings, &peer{})
		got := stepsOf(t, 8, program, list)
		end()
		if !slices.Equal(got, want) {
			t.Fatalf("workload %d: the policy over exec differs from the same policy in this process", seed)
		}
		for _, s := range want {
			if strings.Contains(s, fmt.Sprintf(" %d ", simulate.Preempted)) {
				count++
			}
		}
	}
	if count < workloads {
		t.Errorf("%d suspensions on %d workloads", count, workloads)
	}
}

// TestSuspend: a program may suspend, and then does what the policies of revopt do.
func TestSuspend(t *testing.T) { suspends(t, 16, 40) }

// lines is a reader of one line at a time.
type lines []string

func (l *lines) Read(b []byte) (n int, err error) {
	if len(*l) == 0 {
		return 0, io.EOF
	}
	n = copy(b, (*l)[0])
	*l = (*l)[1:]
	return n, nil
}

// TestNoSuspension: errors of a program that may not suspend, or speaks another version of the protocol. The only job is the
// last one as well, which hides no error.
func TestNoSuspension(t *testing.T) {
	for _, test := range []struct{ preempt, hello, greeting, want string }{
		{"none", `{"hello":2}`, `"preempt":false`, "message 1 at 1 s: suspension of job 7, but preempt is false"},
		{"suspend", `{"hello":1}`, `"preempt":true`, "hello at 1 s: version 1 of the protocol was removed in 0.6: expected version 2, see docs/exec.md"},
		{"suspend", `{"hello":9}`, `"preempt":true`, "hello at 1 s: expected version 2, got 9"},
	} {
		replies := []string{test.hello + "\n", `{"suspend":[7]}` + "\n"}
		var sent strings.Builder
		parent := func() (io.Reader, io.Writer) { return (*lines)(&replies), &sent }
		spec := exec.Spec(exec.Options{Parent: parent})
		list, _, err := spec.Build(policy.Settings{"command": "-", "preempt": test.preempt}, policy.Sites(4))
		if err != nil {
			t.Fatal(err)
		}
		jobs := policytest.Given{{Submit: 1, Work: 1, Width: 1}}
		_, err = simulate.Run(t.Context(), simulate.Config{
			Source: &jobs, Sites: []simulate.Site{{Processors: 4, Policy: list[0]}},
		})
		list[0].(io.Closer).Close()
		if err == nil || !strings.HasSuffix(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "exec: -: ") {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if !strings.Contains(sent.String(), test.greeting) {
			t.Errorf("got %s, want %s in it", sent.String(), test.greeting)
		}
	}
}

// TestOptions: an option is the program's, unless it looks like one of revopt's.
func TestOptions(t *testing.T) {
	spec := exec.Spec(exec.Options{})
	for _, name := range []string{"estimate", "Estimates", "estimats", "overun", "preempt_cost", "longest-wait"} {
		if _, err := spec.Resolve(policy.Settings{name: "exact"}); err == nil {
			t.Errorf("%s is an option of a program", name)
		}
	}
	for _, name := range []string{"k", "estimator", "hours", "queue", "cost", "quantum", "bursts.per.day"} {
		if _, err := spec.Resolve(policy.Settings{name: "exact"}); err != nil {
			t.Error(err)
		}
	}
}
