package waits

import (
	"cmp"
	"math"
	"slices"
)

// Job is a job of a log with its recorded times in seconds.
type Job struct {
	ID       int64
	Submit   float64
	Eligible float64 // at submission if it is not later than that, or NaN
	Start    float64 // NaN: it left the queue without a start
	End      float64 // of the run, or the time at which it left the queue
	Width    int     // units that it holds
	Pool     int     // of Log.Pools
	Queue    string

	Account, User, Group, QOS string // "" is nobody

	After int     // place in Log.Jobs of the job that it depends on, -1 if there is none
	Think float64 // s between the end of that job and the time at which this one is eligible
}

// leaves returns the time at which the job leaves the queue.
func (j *Job) leaves() float64 {
	if math.IsNaN(j.Start) {
		return max(j.End, j.Submit)
	}
	return max(j.Start, j.Submit)
}

// runs reports whether the job started.
func (j *Job) runs() bool { return j.End >= j.Start }

// owner returns the owner of a kind that the job has.
func (j *Job) owner(of string) string {
	switch of {
	case "account":
		return j.Account
	case "user":
		return j.User
	case "group":
		return j.Group
	}
	return j.QOS
}

// Pool is a part of the machine.
type Pool struct {
	Name  string
	Units int
	Unit  string // limits count the units of the pool with most work
}

// Outage is a span in which units of a pool are down.
type Outage struct {
	Pool     int
	From, To float64
	Units    int // 0: all of the pool
	Stated   bool
}

// Limit is what an owner may hold at one time.
type Limit struct {
	Of     string // account, user, group or qos
	Name   string
	Units  int  // 0: no limit of units
	Jobs   int  // 0: no limit of jobs
	Never  bool // a job wider than Units never starts; otherwise it may if its owner holds nothing else
	Stated bool
}

// Log is the jobs of a log, and what is known of its machine.
type Log struct {
	Jobs    []Job
	Pools   []Pool
	Outages []Outage
	Limits  []Limit
}

// eligible returns the time from which a job may start, at least its submission.
func (l *Log) eligible(i int) float64 {
	j := &l.Jobs[i]
	at := j.Submit
	if j.Eligible > at {
		at = j.Eligible
	}
	if j.After >= 0 {
		at = max(at, l.Jobs[j.After].End+j.Think)
	}
	return min(at, j.leaves())
}

// knownShare is the quantile of run times after which the jobs that ran before the log have ended.
const knownShare = 0.95

// KnownFrom returns the time from which the log shows what runs: the 95 % quantile of run times after its first
// submission. The quantile is the smallest run time that 95 % of the runs do not exceed.
func (l *Log) KnownFrom() float64 {
	var lengths []float64
	first := math.Inf(1)
	for i := range l.Jobs {
		j := &l.Jobs[i]
		first = min(first, j.Submit)
		if !math.IsNaN(j.Start) {
			lengths = append(lengths, j.End-j.Start)
		}
	}
	if len(lengths) == 0 {
		return first
	}
	slices.Sort(lengths)
	return first + lengths[int(math.Ceil(knownShare*float64(len(lengths))))-1]
}

// Unit returns the unit of the pool that has most work, which limits count.
func (l *Log) Unit() string {
	work := make([]float64, len(l.Pools))
	for i := range l.Jobs {
		if j := &l.Jobs[i]; j.runs() {
			work[j.Pool] += float64(j.Width) * (j.End - j.Start)
		}
	}
	most := 0
	for p := range work {
		if work[p] > work[most] {
			most = p
		}
	}
	return l.Pools[most].Unit
}

// byAge returns the places of the jobs by submission.
func (l *Log) byAge() []int {
	order := make([]int, len(l.Jobs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.Jobs[a].Submit, l.Jobs[b].Submit) })
	return order
}
