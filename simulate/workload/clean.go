package workload

import (
	"fmt"
	"slices"
)

// Rule is the treatment of jobs that never ran by the trace: their run time is 0 or
// unknown, or the processors or the submit time are not recorded.
type Rule string

// The cleaning rules. "" in a Selection is Keep.
const (
	Keep   Rule = "keep"   // run for 1 s, by default on 1 processor, and by default arrive with the job before
	Reject Rule = "reject" // submitted, and rejected at once as simulate.NeverRan
	Drop   Rule = "drop"   // left out
)

// ParseRule reads keep, reject or drop.
func ParseRule(text string) (Rule, error) {
	if !slices.Contains([]Rule{Keep, Reject, Drop}, Rule(text)) {
		return Keep, fmt.Errorf("expected keep, reject or drop, got %q", text)
	}
	return Rule(text), nil
}

// WidthRule says which of the two processor counts of a record is the width of its job. If a
// record lacks that one, the other counts.
type WidthRule string

// The rules. "" in a Selection is ByAsked.
const (
	ByAsked     WidthRule = "asked"     // field 8: what the user asked for, as in the literature
	ByAllocated WidthRule = "allocated" // field 5: what the job held, which the log billed
)

// Cleaning is a rule and counts of its use on a trace. The counts after NoProcessors
// are of the jobs that the rule leaves.
type Cleaning struct {
	Rule         Rule  `json:"rule"`
	Read         int64 `json:"read"`                 // jobs of the subset
	Left         int64 `json:"left"`                 // jobs after the rule
	NoSubmit     int64 `json:"no_submit_time"`       // submit time unknown
	NoRunTime    int64 `json:"no_run_time"`          // run time <= 0, of the others
	NoProcessors int64 `json:"no_processors"`        // neither requested nor allocated ones known, of those that ran
	Allocated    int64 `json:"allocated_processors"` // processors are the allocated ones, as the request is unknown
	NoEstimate   int64 `json:"no_estimate"`          // the estimate is the run time, as none is recorded
	Overrun      int64 `json:"overrun"`              // ran longer than their estimate
	Wide         int64 `json:"too_wide"`             // wider than the machine: rejected for want of resources

	// Jobs that ran and have no start in the log. They are left out if they are few, see few.
	NoStart int64 `json:"no_start,omitempty"`

	Held      int64 `json:"held,omitempty"`      // eligible after their submission, or after another job
	Unrelated int64 `json:"unrelated,omitempty"` // of which the preceding job is not among the jobs left before

	chain   *chain // nil: no job is held
	width   WidthRule
	started bool // leave out the jobs of NoStart
}

// few reports whether so few of the jobs that ran lack a start that the log is used without them.
func few(lacking, ran int64) bool { return lacking > 0 && 100*lacking <= ran }

// entry is a job of a trace after cleaning.
type entry struct {
	submit    float64 // s
	runtime   float64 // R, s
	estimate  float64 // s, of the user
	memory    float64 // kB per processor, 0 if unknown
	width     int32
	busy      int32 // units that it held, 0 if unknown
	user      int32 // 0 if unknown, as the next fields
	group     int32
	queue     int32
	partition int32
	account   int32   // the number of the executable: the format has no field for accounts
	void      bool    // never ran, under Reject
	ran       bool    // by the log it started
	exact     bool    // the estimate is the run time, as none is recorded
	after     int32   // the job depends on the one that is so many before; 0: on none
	think     float64 // s after its end
	hold      float64 // s after its submission until the job is eligible
	wait      float64 // s until it started or, if it never did, left; -1 if unknown
}

// apply cleans a record for a machine of the given size (0: unknown) and
// reports whether the job is left.
func (c *Cleaning) apply(r *Record, nodes int, e *entry) bool {
	c.Read++
	width, other := r[Requested], r[Allocated]
	if c.width == ByAllocated {
		width, other = other, width
	}
	fallback := width <= 0 && other > 0
	if fallback {
		width = other
	}
	noTime, noSubmit := r[RunTime] <= 0, r[Undated] != 0
	idle := noTime || width <= 0 || noSubmit
	switch {
	case noSubmit:
		c.NoSubmit++
	case noTime:
		c.NoRunTime++
	case idle:
		c.NoProcessors++
	}
	if idle && c.Rule == Drop {
		return false
	}
	*e = entry{
		submit: r[SubmitTime], runtime: r[RunTime], width: int32(max(width, 1)), void: idle && c.Rule == Reject,
		memory: max(r[RequestedMemory], 0), user: known(r[User]), group: known(r[Group]), queue: known(r[Queue]),
		partition: known(r[Partition]), account: known(r[Executable]), busy: known(r[Allocated]), wait: r[WaitTime],
	}
	if noTime {
		e.runtime = 1
	}
	const canceled = 5 // such a job without a run time is taken not to have run
	started := r[WaitTime] >= 0 || r[Allocated] > 0
	e.ran = !e.void && (!noTime || r[RunTime] == 0 && started && r[Status] != canceled)
	if noSubmit {
		e.wait = -1
	}
	if c.started && e.ran && e.wait < 0 {
		c.NoStart++
		return false
	}
	c.estimate(r, e)
	c.Left++
	if fallback && c.width != ByAllocated {
		c.Allocated++
	}
	if nodes > 0 && int(e.width) > nodes {
		c.Wide++
	}
	if c.chain != nil {
		c.hold(r, e)
	}
	return true
}

// Repair cleans a record in place, and reports whether it is left: run time, requested
// processors, requested time and submit time become those of a simulation. Under
// Reject, a record that never ran stays as it is.
func (c *Cleaning) Repair(r *Record, nodes int) bool {
	var e entry
	if !c.apply(r, nodes, &e) {
		return false
	}
	if !e.void {
		r[RunTime] = e.runtime
		r[Requested] = float64(e.width)
		r[RequestedTime] = e.estimate
		r[Undated] = 0
	}
	return true
}

func (c *Cleaning) estimate(r *Record, e *entry) {
	e.estimate, e.exact = r[RequestedTime], false
	switch {
	case e.estimate <= 0:
		e.estimate, e.exact = e.runtime, true
		c.NoEstimate++
	case r[RunTime] > e.estimate:
		c.Overrun++
	}
}

// known returns a number of the trace, 0 if it is unknown.
func known(x float64) int32 { return int32(max(x, 0)) }
