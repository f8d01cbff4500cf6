package steer

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/policy"
	"revopt/simulate/slurm/weight"
	"revopt/simulate/subject"
)

// Thresholds above the priorities of a queue: no job gets a reservation. No factor lifts a job above the first one. An
// overdue job is lifted above the second one, so that it gets a reservation.
const (
	aboveAll     = weight.NoReservation
	aboveWaiting = 1000000000
)

// prioReserve is the word of SchedulerParameters from which priority on a job gets a reservation.
const prioReserve = "bf_min_prio_reserve"

// Reservations says whether the cluster keeps units for jobs that do not fit yet, and whether the policy does so where
// it is simulated. If they differ, a simulated value is not what the cluster delivers.
type Reservations struct {
	Cluster   bool   `json:"cluster"`   // the cluster has reservations for the jobs that are steered
	Policy    string `json:"policy"`    // yes, no, or unknown for a program
	Met       bool   `json:"met"`       // a simulation of the policy can have those of the cluster
	Threshold int64  `json:"threshold"` // bf_min_prio_reserve; 0: there is none
	Highest   int64  `json:"highest"`   // priority of a waiting job without its site factor
	Now       string `json:"now"`       // SchedulerParameters
	Other     string `json:"other"`     // SchedulerParameters with which the cluster does the opposite
}

// Values of Reservations.Policy.
const (
	ReservesYes     = "yes"
	ReservesNo      = "no"
	ReservesUnknown = "unknown"
)

// reserves says whether a policy keeps units for jobs that do not fit. One without backfilling keeps all for the first.
func reserves(p subject.Policy) string {
	keeps := !p.Settings.Is("backfill")
	switch {
	case p.Spec.Name == "exec":
		return ReservesUnknown
	case p.Spec.Has("reservations"):
		keeps = p.Settings.Number("reservations") > 0
	case p.Spec.Has(prioReserve):
		keeps = p.Settings.Number(prioReserve) == 0
	}
	if keeps {
		return ReservesYes
	}
	return ReservesNo
}

// with returns the policy as a cluster with or without reservations runs it. False: it has no such form.
func with(p subject.Policy, reservations bool) (subject.Policy, bool) {
	own := reserves(p)
	same := own == ReservesUnknown || (own == ReservesYes) == reservations
	i := slices.IndexFunc(p.Spec.Options, func(o policy.Option) bool { return o.Name == "reservations" })
	if same || i < 0 {
		return p, same
	}
	p.Settings = maps.Clone(p.Settings)
	p.Settings["reservations"] = "0"
	if reservations {
		p.Settings["reservations"] = p.Spec.Options[i].Values[0]
	}
	return p, true
}

// readReservations reads the priorities of the queue and sets the reservations. With a limit on waiting and a
// threshold, steer keeps all jobs that are not overdue below the threshold.
func (s *Steerer) readReservations(ctx context.Context) error {
	priorities, err := readPriorities(ctx, s.Slurm)
	if err != nil {
		return err
	}
	r := &Reservations{Policy: reserves(s.Orderer.Policy), Threshold: s.Site.Threshold, Now: s.Site.Parameters}
	for _, x := range priorities {
		if !x.fixed {
			r.Highest = max(r.Highest, x.base)
		}
	}
	r.Cluster = r.Threshold == 0 || r.Highest >= r.Threshold && s.Settings.LongestWait == 0
	threshold := aboveAll
	if s.Settings.LongestWait > 0 {
		threshold = aboveWaiting
	}
	words := slices.DeleteFunc(strings.Split(r.Now, ","), func(word string) bool {
		name, _, _ := strings.Cut(word, "=")
		name = strings.TrimSpace(name)
		return name == "" || strings.EqualFold(name, prioReserve)
	})
	if r.Cluster {
		words = append(words, prioReserve+"="+strconv.Itoa(threshold))
	}
	r.Other = strings.Join(words, ",")
	_, r.Met = with(s.Orderer.Policy, r.Cluster)
	s.Reservations = r
	return nil
}

// same reports whether reservations are as those that an advice was computed with.
func (r *Reservations) same(o *Reservations) bool {
	return r != nil && o != nil && r.Cluster == o.Cluster && r.Policy == o.Policy && r.Now == o.Now
}

// flipped returns settings of Slurm with the other SchedulerParameters.
func (r *Reservations) flipped(p subject.Policy) subject.Policy {
	if !p.Spec.Has(prioReserve) {
		return p
	}
	p.Settings = maps.Clone(p.Settings)
	p.Settings[prioReserve] = "0"
	if r.Cluster {
		p.Settings[prioReserve] = strconv.Itoa(aboveAll)
	}
	return p
}
