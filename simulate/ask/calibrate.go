package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	waiting "revopt/simulate/waits"
)

// calibration is what a log shows of its present without being told.
type calibration struct {
	outages []waiting.Outage
	limits  []confirmed
	nearest []candidate // policies, the one whose waits are nearest to those of the log first
	sample  int         // the last jobs of the log that are simulated; 0: all

	log         *waiting.Log   // with what was found
	inOutage    []float64      // share of the waiting in each outage
	unexplained float64        // share of the waiting
	waiting     []answer.Table // where it came from
}

// confirmed is a limit with which a simulation comes nearer to its log, on both halves.
type confirmed struct {
	waiting.Limit
	share         float64    // of the waiting that was at it
	without, with [2]float64 // distances of the halves
}

// candidate is a policy with how it waits.
type candidate struct {
	subject.Policy
	held     Likeness // of all jobs, as the scenario runs them
	distance float64  // without inferred holds
}

// sampledJobs bounds the jobs of a log that are simulated to calibrate its present, or to try other guesses of prices.
// On fewer the orders of a part, and not what is tried, would often decide.
const sampledJobs = 20_000

// sampled reports whether the last jobs of a log can stand for all of its jobs. Outages without dates count from the
// first job, which a sample lacks. They are those of the scenario, and those that were found unless the log has dates.
func sampled(s *subject.Subject, jobs float64, found bool) bool {
	_, _, dated := s.Trace.Date()
	undated := func(o scenario.Outage) bool { return !o.Dated && o.Files() == nil }
	return jobs > sampledJobs && (dated || !found) && !slices.ContainsFunc(s.Scenario.Down, undated)
}

// nearer is how much nearer to a log a simulation must come for a limit to be kept.
const nearer = 0.05

// calibrate finds outages of a log, limits that simulations confirm, and the policy that waits most as the log did. The
// policies are those to choose from.
func calibrate(ctx context.Context, l *run.Lab, policies []subject.Policy, held string) (*calibration, error) {
	s := l.Subject()
	found, err := s.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	log := &found.Log
	c := &calibration{outages: log.FindOutages()}
	log.Outages = append(log.Outages, c.outages...)
	var set []string
	if c.outages != nil {
		set = append(set, "machine.down=["+strings.Join(text.Each(c.outages, func(o waiting.Outage) string {
			return outageYAML(s, log, o)
		}), ", ")+"]")
	}
	if sampled(s, float64(len(log.Jobs)), c.outages != nil) {
		c.sample = sampledJobs
		set = append(set, fmt.Sprintf("trace.jobs=last:%d", c.sample))
	}
	t := &trialPresent{lab: l, set: set, stated: log.Limits, policies: policies, held: held}
	if err := t.choose(ctx, c); err != nil {
		return nil, err
	}
	if err := t.confirm(ctx, c, log); err != nil {
		return nil, err
	}
	c.explain(s, found)
	if c.limits != nil {
		if err := t.choose(ctx, c); err != nil {
			return nil, err
		}
	}
	return c, t.run(ctx, c)
}

// explain says how much of the waiting each outage and limit explains, and how much nothing does.
func (c *calibration) explain(s *subject.Subject, found *subject.Waiting) {
	log := &found.Log
	stated, before := len(log.Limits), len(log.Outages)-len(c.outages)
	log.Limits = append(slices.Clip(log.Limits), text.Each(c.limits, func(l confirmed) waiting.Limit { return l.Limit })...)
	c.log = log
	parts := log.Decompose(1)
	c.waiting = (&Waited{s, found, parts}).fold()
	all := 0.0
	for _, p := range parts.Jobs {
		all += p.Sum()
		c.unexplained += p[waiting.Unexplained]
	}
	all = cmp.Or(all, 1)
	c.unexplained /= all
	for i := range c.limits {
		c.limits[i].share = parts.AtLimit[stated+i] / all
	}
	for i := range c.outages {
		c.inOutage = append(c.inOutage, parts.InOutage[before+i]/all)
	}
}

// trialPresent simulates presents that may be those of a log.
type trialPresent struct {
	lab      *run.Lab
	set      []string // overrides of all
	stated   []waiting.Limit
	policies []subject.Policy
	held     string // whether the scenario takes unexplained waiting as given
}

// waited simulates the log under a policy with limits, and with or without inferred holds.
func (t *trialPresent) waited(ctx context.Context, p subject.Policy, limits []waiting.Limit, held string) (*judge, []run.Started,
	error) {
	set := append(slices.Clone(t.set), held)
	if len(limits) > 0 {
		set = append(set, limitsOverride(t.lab.Subject(), slices.Concat(t.stated, limits)))
	}
	at, err := t.lab.With(ctx, set...)
	if err != nil {
		return nil, nil, err
	}
	j := newJudge(at, p)
	jobs, err := j.starts(ctx)
	return j, jobs, err
}

// choose sorts the policies by how near to the log they wait without inferred holds.
func (t *trialPresent) choose(ctx context.Context, c *calibration) error {
	limits := text.Each(c.limits, func(l confirmed) waiting.Limit { return l.Limit })
	c.nearest = nil
	for _, p := range t.policies {
		j, jobs, err := t.waited(ctx, p, limits, withoutHolds)
		if err != nil {
			return err
		}
		list := j.groups(jobs, wholeLog)
		if list == nil {
			return nil
		}
		c.nearest = append(c.nearest, candidate{Policy: p, held: list[0], distance: distance(list)})
	}
	slices.SortStableFunc(c.nearest, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	return nil
}

// run simulates the policies as the scenario runs them.
func (t *trialPresent) run(ctx context.Context, c *calibration) error {
	limits := text.Each(c.limits, func(l confirmed) waiting.Limit { return l.Limit })
	for i := range c.nearest {
		j, jobs, err := t.waited(ctx, c.nearest[i].Policy, limits, "present.held="+t.held)
		if err != nil {
			return err
		}
		c.nearest[i].held = j.groups(jobs, wholeLog)[0]
	}
	return nil
}

// nearness is how near to the log a simulation waits on each half: the distance of the group that is furthest, and the
// mean over all groups.
type nearness struct{ furthest, mean [2]float64 }

// improves reports whether the group that is furthest comes nearer on both halves.
func (n nearness) improves(before nearness) bool {
	return n.furthest[0] <= (1-nearer)*before.furthest[0] && n.furthest[1] <= (1-nearer)*before.furthest[1]
}

// nearness simulates the log under the nearest policy with limits.
func (t *trialPresent) nearness(ctx context.Context, c *calibration, limits []waiting.Limit) (n nearness, err error) {
	j, jobs, err := t.waited(ctx, c.nearest[0].Policy, limits, withoutHolds)
	if err != nil {
		return n, err
	}
	for i, part := range []string{firstHalf, secondHalf} {
		list := j.groups(jobs, part)
		n.furthest[i], n.mean[i] = distance(list), meanDistance(list)
	}
	return n, nil
}

// confirm keeps limits with which the group that is furthest from the log comes nearer on both halves, one after the
// other: of several the one with which all groups are nearest on average. Waiting that a kept limit explains counts no
// more for the others.
func (t *trialPresent) confirm(ctx context.Context, c *calibration, log *waiting.Log) error {
	if len(c.nearest) == 0 {
		return nil
	}
	before, err := t.nearness(ctx, c, nil)
	if err != nil {
		return err
	}
	known := *log
	for {
		var best waiting.Limit
		after, found := before, false
		kept := known.Limits[len(log.Limits):]
		for _, l := range known.LimitCandidates() {
			with, err := t.nearness(ctx, c, append(slices.Clip(kept), l))
			if err != nil {
				return err
			}
			if with.improves(before) && (!found || with.mean[0]+with.mean[1] < after.mean[0]+after.mean[1]) {
				best, after, found = l, with, true
			}
		}
		if !found {
			return nil
		}
		c.limits = append(c.limits, confirmed{Limit: best, without: before.furthest, with: after.furthest})
		known.Limits, before = append(slices.Clip(known.Limits), best), after
	}
}

// outageYAML returns an outage as a scenario states it: known before, so that jobs do not run into it.
func outageYAML(s *subject.Subject, log *waiting.Log, o waiting.Outage) string {
	at := func(t float64) string { return text.Field(t) + "s" }
	if date, _, ok := s.Trace.Date(); ok {
		at = func(t float64) string { return time.Unix(int64(date+t), 0).UTC().Format("2006-01-02T15:04:05") }
	}
	pool := ""
	if name := log.Pools[o.Pool].Name; name != "" {
		pool = ", pool: " + quoted(name)
	}
	return fmt.Sprintf("{from: %s, to: %s%s, planned: true, jobs: finish}", at(o.From), at(o.To), pool)
}

// limitYAML returns a limit as a scenario states it. An owner without a name has a number.
func limitYAML(s *subject.Subject, l waiting.Limit) string {
	party := model.Party{Name: l.Name}
	if !s.Named(l.Of, l.Name) {
		n, err := strconv.Atoi(l.Name)
		party = model.Party{Number: n, IsNumber: err == nil, Name: l.Name}
	}
	stated := scenario.Limit{Owner: l.Of, Of: []model.Party{party}, Units: l.Units, Jobs: l.Jobs, Never: l.Never}
	return stated.YAML()
}

// limitsOverride returns the override that states limits.
func limitsOverride(s *subject.Subject, list []waiting.Limit) string {
	return "limits=[" + strings.Join(text.Each(list, func(l waiting.Limit) string { return limitYAML(s, l) }), ", ") + "]"
}

// limitsOfFirstHalf returns the override under which a log is judged on its second half: limits that the whole log shows
// are replaced by those that its first half shows; others stay. It is nil if that changes nothing.
func limitsOfFirstHalf(ctx context.Context, s *subject.Subject) ([]string, error) {
	log, err := s.Waiting(ctx)
	if err != nil || log.Limits == nil {
		return nil, err
	}
	stated, whole, half := log.Limits, log.Log, log.Log
	half.Jobs = half.Jobs[:len(half.Jobs)/2]
	var limits []waiting.Limit
	for i, l := range stated {
		others := slices.Delete(slices.Clone(stated), i, i+1)
		whole.Limits, half.Limits = others, others
		if shown, ok := ofOwner(whole.LimitCandidates(), l); !ok || shown.Units != l.Units || shown.Jobs != l.Jobs {
			limits = append(limits, l)
		} else if shown, ok := ofOwner(half.LimitCandidates(), l); ok {
			limits = append(limits, shown)
		}
	}
	same := func(a, b waiting.Limit) bool {
		a.Stated = b.Stated
		return a == b
	}
	if slices.EqualFunc(limits, stated, same) {
		return nil, nil
	}
	return []string{limitsOverride(s, limits)}, nil
}

// ofOwner returns the limit of a list with the same owner as another one, of units or of jobs as that.
func ofOwner(list []waiting.Limit, l waiting.Limit) (waiting.Limit, bool) {
	i := slices.IndexFunc(list, func(o waiting.Limit) bool {
		return o.Of == l.Of && o.Name == l.Name && (o.Units > 0) == (l.Units > 0)
	})
	if i < 0 {
		return l, false
	}
	return list[i], true
}

// mostQueues bounds the queues that may have priorities of their own.
const mostQueues = 12

// QueuePriority returns the policy slurm with a priority for each queue, without one of age or size: the shorter the mean
// wait of a queue is in the log, the higher its priority. It returns false if the log does not name 2 to 12 queues.
func QueuePriority(ctx context.Context, s *subject.Subject) (p subject.Policy, ok bool, err error) {
	log, err := s.Waiting(ctx)
	if err != nil {
		return p, false, err
	}
	waited, jobs := map[string]float64{}, map[string]float64{}
	for _, j := range log.Jobs {
		waited[j.Queue] += 0
		if !math.IsNaN(j.Start) {
			waited[j.Queue] += j.Start - j.Submit
			jobs[j.Queue]++
		}
	}
	var queues []string
	word := regexp.MustCompile(`^[\w-]+$`)
	for name := range waited {
		if !word.MatchString(name) {
			return p, false, nil
		}
		queues = append(queues, name)
	}
	if len(queues) < 2 || len(queues) > mostQueues {
		return p, false, nil
	}
	mean := func(name string) float64 { return waited[name] / max(jobs[name], 1) }
	slices.SortFunc(queues, func(a, b string) int { // the longest wait first
		return cmp.Or(cmp.Compare(mean(b), mean(a)), cmp.Compare(a, b))
	})
	settings := map[string]string{"bf_interval": "0", "PriorityWeightQOS": "1000"}
	for i, name := range queues {
		settings["qos."+name+".Priority"] = fmt.Sprint(i + 1)
	}
	p, err = subject.NewPolicy(s.Specs, slurmName, settings)
	return p, err == nil, err
}
