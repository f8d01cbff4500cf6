package ask

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/quote"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Replaying asks whether policies would have started the jobs of a log at the same times, or how well quotes foretell
// the starts.
type Replaying struct {
	Specs    []policy.Spec
	Policies []string // lists, on dedicated nodes
	Subset   workload.Subset
	Since    string  // from which waits count: submit or eligible
	Within   float64 // s by which a start may differ
	Nodes    int     // in place of those of the header; 0: these
	Zone     *time.Location

	Pools      []string // partitions as NAME=N:NODES; nil: one machine
	Down       []string // files of times at which nodes were down
	Calculated string   // a time at which priorities were calculated
	Priorities string   // file of outputs of sprio

	Quotes bool // scores quotes under the first policy
	Seed   uint64

	policies []subject.Policy
}

// mostQuoted is how many jobs are quoted at most, evenly over the log.
const mostQuoted = 5000

// Check refuses what cannot be replayed, before a log is read.
func (x *Replaying) Check() error {
	var err error
	x.policies, err = ParsePolicies(x.Specs, x.Policies...)
	if err != nil {
		return err
	}
	for _, p := range x.policies {
		if n := p.Spec.Needs; n.Shared || n.Deadlines || n.Optional || n.Preempts || n.Recorded || p.Spec.Program {
			return Usagef("--policy: expected policies on dedicated nodes that need neither deadlines nor preemption"+
				" and are simulated, got %s", p.Label())
		}
	}
	if x.Quotes && (len(x.Pools) > 0 || len(x.policies) > 1) {
		return Usagef("--quotes: expected one policy and no --pool")
	}
	return nil
}

// Replay replays a log of a name, after Check. Where a policy fails after others, it returns what is finished beside the
// error.
func (x *Replaying) Replay(ctx context.Context, log *slurm.Imported, name string) (*Replay, error) {
	nodes := log.Header.Nodes()
	if x.Nodes > 0 {
		nodes = x.Nodes
	}
	jobs, err := slurm.LoggedJobs(workload.Take(log, x.Subset))
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(jobs, func(j slurm.LoggedJob) bool { return !math.IsNaN(j.Start) }) {
		return nil, &workload.Error{File: name, Message: "expected jobs that have started, got none"}
	}
	base, _ := log.Header.Int("UnixStartTime")
	replay := slurm.LogReplay{Nodes: nodes, Tolerance: x.Within, Names: workload.NamesByNumber(log.Header.Names())}
	moments, err := x.past(&replay, jobs, base)
	if err != nil {
		return nil, err
	}
	r := NewReplay(log, name, x.Since, x.Subset, replay.Nodes, x.Within)
	if !x.Quotes {
		return x.compare(ctx, r, replay, moments, float64(base))
	}
	recorded := replay.Recorded()
	score, err := quote.ScoreQuotes(ctx, recorded, replay.Nodes, x.policies[0], replay.Names,
		mostQuoted, x.Seed)
	if err != nil {
		return nil, err
	}
	r.Score(recorded, score)
	return r, nil
}

// compare compares the starts of the log with the decisions of policies, and the priorities at some moments with theirs.
// The base is the Unix time of time 0.
func (x *Replaying) compare(
	ctx context.Context, r *Replay, replay slurm.LogReplay, moments []slurm.Moment, base float64,
) (*Replay, error) {
	for i, p := range x.policies {
		replay.Policy, replay.Settings = p.Spec, p.Settings
		r.Warnings = append(r.Warnings, answer.WarnAll(p.Unread())...)
		decisions, err := replay.Run(ctx)
		var waits slurm.LogWaits
		if err == nil {
			waits, err = replay.Waits(ctx)
		}
		if err != nil && i > 0 {
			return r, fmt.Errorf("trace replay: stopped after %d of %d policies: %w", i, len(x.policies), err)
		}
		if err != nil {
			return nil, err
		}
		r.Add(p, decisions, waits)
		if len(moments) > 0 && p.Spec.Joint {
			pairs, same, err := replay.SameOrder(ctx, moments, base)
			if err != nil {
				return nil, err
			}
			r.Order(len(moments), pairs, same)
		}
	}
	return r, nil
}

// past completes the replay by the jobs, the pools, their outages and the time of a calculation, and returns the known
// priorities. The base is the Unix time of time 0.
func (x *Replaying) past(r *slurm.LogReplay, jobs []slurm.LoggedJob, base int) ([]slurm.Moment, error) {
	down, err := slurm.ReadOutages(x.Zone, x.Down...)
	if err != nil {
		return nil, err
	}
	if x.Down != nil && x.Pools == nil {
		return nil, Usagef("--down: expected --pool NAME=N:NODES with it, which says whose nodes they are")
	}
	numbers := map[string]int{}
	for i, pool := range x.Pools {
		p, err := slurm.ParsePool(pool, down, int64(base))
		if err != nil {
			return nil, Usagef("--pool: %v", err)
		}
		if i == 0 {
			r.Nodes = 0 // the pools are all of the machine
		}
		r.Pools = append(r.Pools, p)
		r.Nodes += p.Nodes
		numbers[p.Name] = i + 1
	}
	for _, j := range jobs {
		j.Pool = numbers[r.Names["partition"][int32(j.Details.Partition)]] - 1
		if len(r.Pools) == 0 {
			j.Pool = 0
		}
		if j.Pool >= 0 {
			r.Jobs = append(r.Jobs, j)
		}
	}
	if x.Calculated != "" {
		t, ok := slurm.ParseTime(x.Calculated, x.Zone)
		if !ok {
			return nil, Usagef("--calculated: expected a time such as 2026-11-15T08:46:57, got %q", x.Calculated)
		}
		r.Calculated = t - float64(base)
	}
	if x.Priorities != "" {
		return slurm.ReadMoments(x.Priorities)
	}
	return nil, nil
}
