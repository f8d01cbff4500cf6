package steer

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	rules "revopt/simulate/policy/slurm"
	"revopt/simulate/slurm/queued"
)

// sort returns the jobs in the order in which they should start. The policy decides which places belong to which
// customer. Within them the jobs of the customer stand in the order that Slurm itself gives them, without site factors;
// with OrderAll they stand as the policy wants them, first come, first served within a width. Overdue jobs come first,
// by submission. Jobs that Slurm's preemption tells apart keep their places to themselves, see groups, also from jobs
// that are left alone.
func (s *Steerer) sort(ctx context.Context, list, alone []*waiting, now float64) ([]*waiting, error) {
	wanted, err := s.wanted(ctx, list, now)
	if err != nil {
		return nil, err
	}
	aging := s.Site.aging()
	for _, w := range wanted {
		w.own = aging.now(w, now)
	}
	for _, w := range alone {
		w.own = float64(w.priority)
		if !w.fixed {
			w.own += aging.now(w, now) - float64(w.base)
		}
	}
	own := slices.Concat(wanted, alone)
	slices.SortFunc(own, slurmOrder)
	group := s.Relations.groups(own)
	s.Relations.bound(own)
	own = slices.DeleteFunc(own, func(w *waiting) bool { return w.alone })
	if !s.Settings.OrderAll {
		type family struct {
			group, class int
			overdue      int64 // the number of an overdue job, whose place is its own
		}
		exchange(wanted, func(w *waiting) family {
			if w.overdue {
				return family{overdue: w.number}
			}
			return family{group: group[w], class: w.Class}
		}, slurmOrder)
	}
	at := map[*waiting]int{}
	for i, w := range wanted {
		at[w] = i
	}
	queue := own
	exchange(queue, func(w *waiting) int { return group[w] }, func(a, b *waiting) int { return cmp.Compare(at[a], at[b]) })
	return queue, nil
}

// wanted returns the jobs as the policy wants them: overdue ones by submission, then those that it orders, then those
// that it gives up or that are worth nothing.
func (s *Steerer) wanted(ctx context.Context, list []*waiting, now float64) ([]*waiting, error) {
	var late, rest, lost []*waiting
	for _, w := range list {
		w.overdue = s.Settings.LongestWait > 0 && now-w.Queued.Submit >= s.Settings.LongestWait
		switch {
		case w.overdue:
			late = append(late, w)
		case s.worthless(w, now):
			lost = append(lost, w)
		default:
			rest = append(rest, w)
		}
	}
	slices.SortFunc(late, older)
	slices.SortFunc(rest, older)
	jobs := make([]*queued.Job, len(rest))
	for i, w := range rest {
		jobs[i] = w.Job
	}
	order, given, err := s.Orderer.Order(ctx, jobs, now)
	if err != nil {
		return nil, err
	}
	queue := make([]*waiting, 0, len(list))
	for _, k := range order {
		queue = append(queue, rest[k])
	}
	if s.Settings.OrderAll {
		exchange(queue, func(w *waiting) [2]int { return [2]int{w.Class, w.Width} }, older)
	}
	for _, k := range given {
		lost = append(lost, rest[k])
	}
	slices.SortFunc(lost, older)
	for _, w := range lost {
		w.given = true
	}
	return slices.Concat(late, queue, lost), nil
}

// exchange lets the jobs of each family have the places of the family in a list in their own order.
func exchange[F comparable](list []*waiting, family func(*waiting) F, compare func(a, b *waiting) int) {
	places := map[F][]int{}
	for at, w := range list {
		f := family(w)
		places[f] = append(places[f], at)
	}
	for _, places := range places {
		members := make([]*waiting, len(places))
		for i, at := range places {
			members[i] = list[at]
		}
		slices.SortFunc(members, compare)
		for i, at := range places {
			list[at] = members[i]
		}
	}
}

// older orders jobs by submission, then by number.
func older(a, b *waiting) int {
	return cmp.Or(cmp.Compare(a.Queued.Submit, b.Queued.Submit), cmp.Compare(a.number, b.number))
}

// slurmOrder orders jobs as Slurm does without site factors: by priority, then by number.
func slurmOrder(a, b *waiting) int {
	return cmp.Or(cmp.Compare(b.own, a.own), cmp.Compare(a.number, b.number))
}

// aging is how priorities grow with time on a cluster.
type aging struct {
	weight float64 // of an age of most
	most   float64 // s
	period float64 // s from one computation of all ages to the next
}

// aging returns what the configuration says. The zero value is a cluster on which ages do not count.
func (s Site) aging() (a aging) {
	a.weight, _ = strconv.ParseFloat(s.stated["PriorityWeightAge"], 64)
	most, _ := rules.ParseTime(s.stated["PriorityMaxAge"], 1)
	minutes, _ := strconv.ParseFloat(s.stated["PriorityCalcPeriod"], 64)
	a.most, a.period = float64(most), 60*minutes
	if a.most <= 0 {
		return aging{}
	}
	return a
}

// now returns the priority of a job without its factor, with the age that it has now. Slurm computes all ages once in a
// period, and that of a job whose factor changes at once: so jobs whose factors were changed would pass older ones until
// the next period. An age that is not explained by the time since the job may start stays as Slurm has it.
func (a aging) now(w *waiting, now float64) float64 {
	const clocks = 5 // s by which clocks may differ
	priority := float64(w.base)
	if a.weight <= 0 {
		return priority
	}
	since := max(w.Queued.Submit, w.Queued.Eligible)
	age := a.weight * min(max(now-since, 0)/a.most, 1)
	behind := age - float64(w.age)
	slack := 1 + a.weight*clocks/a.most
	if behind < -slack || behind > slack+a.weight*a.period/a.most {
		return priority
	}
	return priority + behind
}

// worthless reports whether a job has lost all that it pays, however long it runs, under a policy by value. Such a
// policy gives it up only when it would be worth nothing if it ended at once, as time limits are no run times; until then it
// would start before younger jobs of its customer and width, which are worth something.
func (s *Steerer) worthless(w *waiting, now float64) bool {
	if !s.Orderer.Policy.Spec.Needs.Prices {
		return false
	}
	for _, run := range []float64{1, max(w.Work, 1)} {
		v := w.Stated(run)
		if v.Price <= 0 || v.At(now-w.Queued.Submit+run) > 0 {
			return false
		}
	}
	return true
}

// swap gives jobs the priorities that belong to their places: those of the jobs that Slurm itself has there. So no job is
// lifted above what its place is worth, and a job that comes between two passes stands where it would stand without
// steer. If it preempts others, no lifted job takes the units that it frees. Jobs that are in order already, not above
// their places, and on their sides of jobs that are left alone, stay as they are.
func swap(list []*waiting) (beyond int) {
	own := slices.Clone(list)
	slices.SortFunc(own, slurmOrder)
	stays := true
	step := int64(1) // from one place to the next: more than ages grow when Slurm computes them
	for _, w := range list {
		step = max(step, w.behind()+1)
	}
	for i, w := range list {
		stays = stays && (i == 0 || inOrder(list[i-1], w)) && w.priority <= max(own[i].base, 1) && w.priority >= w.floor &&
			w.priority <= w.ceiling
	}
	for i, w := range list {
		w.target = max(min(own[i].base, w.ceiling-w.behind()), 1)
		switch {
		case stays:
			w.target = w.priority
		case i > 0 && (step > 1 && w.target > list[i-1].target-step ||
			before(list[i-1].number, w.number, list[i-1].target, w.target) > 0):
			w.target = max(list[i-1].target-step, 1)
			if step == 1 && list[i-1].number < w.number {
				w.target = list[i-1].target
			}
		}
		if !stays {
			w.target = max(w.target, w.floor)
		}
		beyond += raise(list[:i+1])
	}
	return beyond
}

// raise lifts the jobs before the last of a list until they stand before it, and returns how many that are. It has
// something to do where the last one cannot be lower, as a job that is left alone stands just below it.
func raise(list []*waiting) (lifted int) {
	for k := len(list) - 1; k > 0; k-- {
		w, next := list[k-1], list[k]
		if before(w.number, next.number, w.target, next.target) < 0 {
			break
		}
		w.target = next.target
		if w.number > next.number {
			w.target++
		}
		lifted++
	}
	return lifted
}

// target sets the priorities that jobs should have. With a limit on waiting and a threshold of reservations, overdue
// jobs are above the threshold and all others below it. Without a limit, jobs that are all below it stay there. Where QOS
// preempt others, jobs exchange their priorities, see swap.
func (s *Steerer) target(p *Pass) {
	const lowest = 1 // to which Slurm lifts all that is below it
	span := int64(s.Settings.Span)
	split := s.Site.Threshold
	if s.Settings.LongestWait == 0 {
		split = 0
	}
	late := slices.IndexFunc(p.queue, func(w *waiting) bool { return !w.overdue || w.ceiling < split })
	if late < 0 {
		late = len(p.queue)
	}
	if split == 0 {
		late = 0
	}
	put := func(list []*waiting, low, high, span int64) {
		slots := make([]slot, len(list))
		for i, w := range list {
			slots[i] = slot{number: w.number, priority: w.priority, base: w.base,
				low: max(low, w.base-span, w.floor), high: min(high, w.base+span, w.ceiling)}
			if low == split && split > 0 {
				slots[i].base = split + usualGap*int64(len(list)) // just above the threshold
			}
		}
		for i, priority := range place(slots, low, high) {
			list[i].target = priority
			if priority < slots[i].low || priority > slots[i].high || i > 0 &&
				before(list[i-1].number, list[i].number, list[i-1].target, priority) > 0 {
				p.Beyond++
			}
		}
	}
	high := int64(largestPriority)
	above := func(w *waiting) bool { return w.base >= s.Site.Threshold }
	switch {
	case split > 0:
		put(p.queue[:late], split, high, farthest)
		high = split - 1
	case s.Site.Threshold > 1 && !slices.ContainsFunc(p.queue, above):
		high = s.Site.Threshold - 1
	}
	if s.Relations.ByQOS {
		p.Beyond += swap(p.queue[late:])
		return
	}
	put(p.queue[late:], lowest, high, span)
}
