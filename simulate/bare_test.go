package simulate_test

import (
	"math"
	"slices"
	"testing"

	"revopt/model"
	"revopt/simulate"
)

// bareJob is a job in the hand-written loop.
type bareJob struct {
	submit, length, expire float64
	measured               bool
}

// bareSum is its account of a class.
type bareSum struct {
	submitted, started, expired int64
	wait, revenue               float64
}

// bare is the loop that one would write for the cluster of Table 1 alone: ten
// servers, a queue per class, jobs that give up looked for at the heads of the
// queues. It draws the numbers that the simulator draws, and knows no events,
// policies, widths or observers: what it sums up is an oracle.
func bare(classes []model.Class, servers int, jobs int64, replication int) []bareSum {
	type stream struct {
		next, gap float64
		arrivals  interface{ ExpFloat64() float64 }
		draw      func() float64
		queue     []bareJob
		head      int
	}
	streams := make([]stream, len(classes))
	sums := make([]bareSum, len(classes))
	for i, c := range classes {
		lengths := simulate.Stream(1, replication, "lengths", i)
		streams[i] = stream{gap: 1 / c.Rate, arrivals: simulate.Stream(1, replication, "arrivals", i), draw: func() float64 { return c.Length.Rand(lengths) }}
		streams[i].next = streams[i].arrivals.ExpFloat64() * streams[i].gap
	}
	order := model.ServiceOrder(classes)
	slices.Reverse(order)
	busy := make([]float64, 0, servers) // times of completion, the latest first
	start := func(class int, j bareJob, now float64) {
		end := now + j.length
		i := len(busy)
		busy = append(busy, 0)
		for ; i > 0 && busy[i-1] < end; i-- {
			busy[i] = busy[i-1]
		}
		busy[i] = end
		if !j.measured {
			return
		}
		s, c := &sums[class], &classes[class]
		s.started++
		s.wait += now - j.submit
		price := c.Price.PerNodeSecond * j.length * 500
		if late := now - j.submit - c.Grace.Lengths*j.length; late > 0 {
			price -= min(c.Decay*late, price*(1+c.Floor.OfPrice))
		}
		s.revenue += price
	}
	drop := func(class int, now float64) { // heads that have given up
		s := &streams[class]
		for s.head < len(s.queue) && s.queue[s.head].expire <= now {
			if j := s.queue[s.head]; j.measured {
				sums[class].expired++
				sums[class].revenue -= classes[class].Floor.OfPrice * classes[class].Price.PerNodeSecond * j.length * 500
			}
			s.head++
		}
		if s.head == len(s.queue) {
			s.queue, s.head = s.queue[:0], 0
		} else if s.head > 64 && 2*s.head > len(s.queue) {
			s.queue = s.queue[:copy(s.queue, s.queue[s.head:])]
			s.head = 0
		}
	}
	for submitted := int64(0); submitted < 2*jobs; {
		class := 0
		for i := range streams {
			if streams[i].next < streams[class].next {
				class = i
			}
		}
		s := &streams[class]
		if n := len(busy); n > 0 && busy[n-1] <= s.next {
			now := busy[n-1]
			busy = busy[:n-1]
			for _, i := range order {
				drop(i, now)
				if q := &streams[i]; q.head < len(q.queue) {
					q.head++
					start(i, q.queue[q.head-1], now)
					break
				}
			}
			continue
		}
		now, c := s.next, &classes[class]
		s.next += s.arrivals.ExpFloat64() * s.gap
		j := bareJob{submit: now, length: s.draw(), measured: submitted >= jobs/10 && submitted < jobs}
		submitted++
		if j.measured {
			sums[class].submitted++
		}
		if len(busy) < servers {
			start(class, j, now)
			continue
		}
		j.expire = now + c.Grace.Lengths*j.length + c.Price.PerNodeSecond*j.length*500/c.Decay
		drop(class, now)
		s.queue = append(s.queue, j)
	}
	return sums
}

// TestBare compares the simulator with the hand-written loop.
func TestBare(t *testing.T) {
	for _, load := range []float64{0.5, 0.9, 3} {
		const jobs = 20_000
		tally := runTable2(t, load, jobs, 0)
		for i, want := range bare(table2(load), 10, jobs, 0) {
			got := tally.Class(i)
			if got.Submitted != want.submitted || got.Started != want.started || got.Expired != want.expired ||
				!near(got.Wait, want.wait) || !near(got.Revenue, want.revenue) {
				t.Errorf("load %g, class %d: got %d jobs, %d started, %d expired, waits of %g s, $%g, want %+v",
					load, i, got.Submitted, got.Started, got.Expired, got.Wait, got.Revenue, want)
			}
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) }
