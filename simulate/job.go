package simulate

import "math"

// Job is one job of a workload. The source fills the upper part, the kernel
// and the policy the lower. A Job lives in a slot that is used again after the
// job has ended: neither policies nor observers may keep a *Job beyond that.
type Job struct {
	Class  int     // index of the job's class, from 0
	Submit float64 // s
	Work   float64 // s at rate 1, on each processor
	Width  int     // processors
	Rank   int     // priority from 0; a higher rank is served first

	Price   float64 // $ for a job that does not wait
	Decay   float64 // $/s lost after the grace
	Grace   float64 // s of delay before the decay starts
	Penalty float64 // $, the largest penalty; +Inf where there is none
	Expire  float64 // time at which a waiting job gives up; +Inf never
	Chance  float64 // uniform on [0, 1), for decisions by lot
	Spec    Spec    // what the user stated; empty in class workloads
	Void    bool    // rejected at once whatever the policy, as NeverRan

	ID       int64   // number of the job in order of submission, from 0
	Start    float64 // time of the start of service
	Finish   float64 // time of the end of service
	Revenue  float64 // $ charged so far
	Measured bool    // submitted while the window was open
	Killed   bool    // ended at its estimate: the policy cut Work short
	Nodes    []int32 // nodes of a job placed with StartOn

	state    state
	admitted bool
	late     bool // submitted after the close of the window
	timed    bool // a timer is pending
	timer    uint32
	slot     int32
	tasks    int     // still running
	pieces   bool    // placed with Place
	given    float64 // work at rate 1 done of pieces that no longer run
	site     *Cluster
	previous *Job
	next     *Job
}

type state uint8

const (
	waiting state = iota
	running
	ended
)

// Waiting reports whether the job has neither started nor left.
func (j *Job) Waiting() bool { return j.state == waiting }

// Value returns what a job that starts after a wait of tau seconds is worth:
//
//	Price - min(Decay (tau - Grace)^+, Price + Penalty)
//
// Marbukh & Mills (2)-(4).
func (j *Job) Value(tau float64) float64 {
	if tau <= j.Grace || j.Decay == 0 {
		return j.Price
	}
	return j.Price - math.Min(j.Decay*(tau-j.Grace), j.Price+j.Penalty)
}
