package policy

import (
	"slices"

	"revopt/simulate"
)

// Pricer returns the marginal value of a processor-second in a past span, $: the price at
// which the given jobs, all that arrived in it, just fill the processors for that time;
// 0 if they do not fill them. Work is the expected run time, s.
type Pricer func(jobs []simulate.Job, processors int, span float64) float64

// BidPrice makes ValueBF ask a price. The caller passes it, because policies do not import bounds. It is updated after
// every 32 jobs, and after H seconds without an update.
//
// # Policy bid-price
//
// value-bf with a price: a job waits while it earns less than its processors would earn from jobs still to come (bid
// prices of revenue management, Talluri and van Ryzin (1998)). The price pi of a processor-second is the dual price of
// the fluid bound on the jobs of the last window · H seconds, with the H of value-bf: the value density at which the
// most valuable of them just fill the machine.
//
// Free processors are useless until jobs come that are worth the price. Such jobs of the window claimed a processors
// per second, so that F free processors stay useless for F/a seconds. A job of run time R that would be worth v on w
// processors is therefore held while
//
//	v < pi w (R - F/a).
//
// It starts when the price has fallen or more processors are free, or it lapses.
type BidPrice struct {
	Price  Pricer
	Window float64 // in H; 0 is 4

	past  []simulate.Job
	fresh int     // jobs since the last update of the price
	next  float64 // time of the next update
	price float64
	delay float64 // 1/a, s
}

// renewal is the number of jobs after which the price is updated.
const renewal = 32

// BidPriceSpec returns bid-price, with a source of prices.
func BidPriceSpec(price Pricer) Spec {
	return Spec{
		Name: "bid-price", Title: "BidPrice",
		Summary: "value-bf that holds jobs worth less than the jobs still to come",
		Options: append(valueOptions(), NumberOption("window", "4")),
		Needs:   Needs{Alike: true, Prices: true}, Cost: 1e-5, Limited: true, Agree: withoutPreemption("bid-price"),
		Make: PerSite(func(s Settings) simulate.Policy {
			p := s.value()
			p.BidPrice = &BidPrice{Price: price, Window: s.Number("window")}
			return p
		}),
	}
}

func (b *BidPrice) note(q *candidate) {
	j := simulate.Job{Submit: q.job.Submit, Width: q.job.Width, Work: q.mean, Value: q.value}
	b.past = append(b.past, j)
	b.fresh++
}

func (b *BidPrice) renew(now, h float64, processors int) {
	if b.fresh < renewal && now < b.next || len(b.past) == 0 || !(h > 0) {
		return
	}
	window := b.Window
	if window == 0 {
		window = 4
	}
	first := slices.IndexFunc(b.past, func(j simulate.Job) bool { return j.Submit >= now-window*h })
	if first < 0 {
		first = len(b.past)
	}
	start := b.past[0].Submit
	b.past = b.past[:copy(b.past, b.past[first:])]
	b.fresh = 0
	b.next = now + h
	b.price = 0
	span := now - max(start, now-window*h)
	if len(b.past) == 0 || !(span > 0) {
		return
	}
	b.price = b.Price(b.past, processors, span)
	var claimed float64
	for i := range b.past {
		if j := &b.past[i]; j.Value.Price >= b.price*float64(j.Width)*j.Work {
			claimed += float64(j.Width)
		}
	}
	b.delay = span / max(claimed, 1)
}

// holds reports whether a job that has not started yet has to wait for a better
// price.
func (b *BidPrice) holds(q *candidate, now float64, free int) bool {
	r := q.mean - b.delay*float64(free)
	return b.price > 0 && r > 0 && q.job.Waiting() && q.worth(now+q.mean) < b.price*float64(q.job.Width)*r
}

// holdsAll reports whether it certainly holds all entries of a branch.
func (b *BidPrice) holdsAll(s *branchSummary, free int) bool {
	return s.density*s.mean*(1+1e-9) < b.price*(s.mean-b.delay*float64(free))
}
