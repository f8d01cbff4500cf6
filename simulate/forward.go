package simulate

import "math"

// Forward makes the sites of a run providers, in the order in which users know
// them: a job that a provider refuses when it is submitted goes to the next one
// at once, and is Rejected by the last. It is refused by the rule of the site, or
// by its policy at the instant of submission; a policy that takes a job on, or
// lets it wait, keeps it. (Marbukh and Mills, figures 1 and 4.)
type Forward struct {
	Rules []Admission // by site; nil lets every job in. A rule is shown its own site alone
	Lots  [][]float64 // by site and class, the probability by which the rule draws Job.Chance; nil is 1
}

// redraw gives a job that a site refused a lot for the next: given what the
// refusal tells of it, the old one is uniform on a part of [0, 1), which is
// stretched over all of it.
func (f *Forward) redraw(j *Job, site int) {
	if f.Lots[site] == nil {
		return
	}
	if q := f.Lots[site][j.Class]; j.Chance < q {
		j.Chance /= q
	} else {
		j.Chance = (j.Chance - q) / (1 - q)
	}
	j.Chance = min(j.Chance, math.Nextafter(1, 0))
}

// offer lets the provider at a site decide on a job that was just submitted.
func (k *kernel) offer(j *Job, c *Cluster) {
	if rule := k.forward.Rules[c.index]; rule != nil && !rule.Admit(j, k.sites[c.index:c.index+1]) {
		k.pass(j, c, Refused)
		return
	}
	k.place(j, c)
}

// pass hands a job that a site refused to the next, or ends it.
func (k *kernel) pass(j *Job, c *Cluster, why Reason) {
	next := int(c.index) + 1
	if next == len(k.sites) {
		k.notify(Event{Kind: Rejected, Reason: why, Site: c, Job: j})
		k.end(j)
		return
	}
	j.site = nil
	k.forward.redraw(j, int(c.index))
	k.notify(Event{Kind: Forwarded, Reason: why, Site: c, Job: j})
	k.offer(j, k.sites[next])
}

// passes reports whether a rejection by the policy of c lets the job go on.
func (k *kernel) passes(j *Job, c *Cluster, e Event) bool {
	return k.forward != nil && e.Kind == Rejected && j.Submit == k.now && !j.admitted && int(c.index)+1 < len(k.sites)
}
