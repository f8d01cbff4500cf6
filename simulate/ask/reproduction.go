package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"

	"revopt/simulate/subject"
)

// Reproduction is how well a policy reproduces a log.
type Reproduction struct {
	Policy subject.Policy
	LogSample
}

// Reproductions compares policies with the log of a subject, the one that reproduces it best first: the one that allows
// the largest share of its starts, in whole per cent, then the one whose mean wait is closest to that of the log. There
// are none if the subject has no log.
func Reproductions(ctx context.Context, s *subject.Subject, policies []subject.Policy) ([]Reproduction, error) {
	replay, err := LogOf(ctx, s)
	if err != nil || replay == nil || len(replay.Jobs) == 0 {
		return nil, err
	}
	var list []Reproduction
	for _, p := range policies {
		replay.Policy, replay.Settings = p.Spec, p.Settings
		sample, err := Sample(ctx, *replay)
		if err != nil {
			return nil, err
		}
		list = append(list, Reproduction{p, sample})
	}
	off := func(r Reproduction) float64 { return math.Abs(r.Waits.Simulated - r.Waits.Logged) }
	slices.SortStableFunc(list, func(a, b Reproduction) int {
		percent := func(r Reproduction) float64 { return math.Round(100 * r.Share()) }
		return cmp.Or(cmp.Compare(percent(b), percent(a)), cmp.Compare(off(a), off(b)))
	})
	return list, nil
}

// mostQueues bounds the queues that may have priorities of their own.
const mostQueues = 12

// QueuePriority returns the policy slurm with a priority for each queue, without one of age or size: the shorter the mean
// wait of a queue is in the log, the higher its priority. It returns false if the log does not name 2 to 12 queues.
func QueuePriority(ctx context.Context, s *subject.Subject) (p subject.Policy, ok bool, err error) {
	replay, err := LogOf(ctx, s)
	if err != nil || replay == nil {
		return p, false, err
	}
	type queue struct {
		name       string
		wait, jobs float64
	}
	byNumber := map[int]*queue{}
	for _, j := range replay.Jobs {
		q := byNumber[j.Details.Queue]
		if q == nil {
			q = &queue{name: replay.Names["queue"][int32(j.Details.Queue)]}
			byNumber[j.Details.Queue] = q
		}
		if !math.IsNaN(j.Start) {
			q.wait += j.Start - j.Submit
			q.jobs++
		}
	}
	var list []*queue
	for _, q := range byNumber {
		if !regexp.MustCompile(`^[\w-]+$`).MatchString(q.name) {
			return p, false, nil
		}
		list = append(list, q)
	}
	if len(list) < 2 || len(list) > mostQueues {
		return p, false, nil
	}
	slices.SortFunc(list, func(a, b *queue) int { // the longest wait first
		return cmp.Or(cmp.Compare(b.wait/max(b.jobs, 1), a.wait/max(a.jobs, 1)), cmp.Compare(a.name, b.name))
	})
	settings := map[string]string{"bf_interval": "0", "PriorityWeightQOS": "1000"}
	for i, q := range list {
		settings["qos."+q.name+".Priority"] = fmt.Sprint(i + 1)
	}
	p, err = subject.NewPolicy(s.Specs, "slurm", settings)
	return p, err == nil, err
}
