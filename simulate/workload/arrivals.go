package workload

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/model"
)

// Lengths of time, s.
const (
	hour = 3600
	day  = 24 * hour
	week = 7 * day
)

// arrivals is an arrival process of one replication.
type arrivals interface {
	// Next returns the time of the first job after the given time, or after the
	// start at time 0; +Inf if no job comes. Calls go forward in time.
	Next(now float64) float64
}

// newArrivals returns a process of the given mean rate, jobs per second. Hours are the
// weights of a profile, see hoursOf: renewals and bursts with a profile happen in a
// time that passes at its pace.
func newArrivals(a model.Arrivals, hours []float64, rate float64, r *rand.Rand) (arrivals, error) {
	var process arrivals
	var err error
	switch a.Kind {
	case model.ArriveRenewal:
		process, err = newRenewal(a.CV, rate, r)
	case model.ArriveBursts:
		process, err = newBursts(a.On, a.Off, a.Ratio, rate, r)
	case model.ArriveProfile:
		return newProfile(hours, rate, r)
	default:
		process = &poisson{gap: 1 / rate, r: r}
	}
	if err != nil || len(hours) == 0 {
		return process, err
	}
	pace, err := newProfile(hours, 1, nil)
	return &paced{profile: pace, process: process}, err
}

// paced is a process in a time that passes at the pace of a profile.
type paced struct {
	*profile
	process arrivals
	at      float64 // of the last job, in that time
}

// Next implements Arrivals.
func (p *paced) Next(now float64) float64 {
	last := p.at
	p.at = p.process.Next(last)
	if math.IsInf(p.at, 1) {
		return p.at
	}
	return p.after(now, p.at-last)
}

// poisson is a Poisson process: gaps are independent and exponential.
type poisson struct {
	gap float64 // mean, s
	r   *rand.Rand
}

// Next implements Arrivals.
func (p *poisson) Next(now float64) float64 { return now + p.r.ExpFloat64()*p.gap }

// renewal has independent gaps of one distribution with a given coefficient of
// variation: gamma below 1, exponential at 1, hyperexponential with balanced means
// above. Time 0 is within a gap, so that the first job comes after the rest of it,
// whose distribution is
//
//	P(rest > x) = E[(gap - x)^+] / E[gap]
//
// and the expected number of jobs in any time is the rate times it (Cox 1962).
type renewal struct {
	gap   model.Distribution // nil if no job arrives
	r     *rand.Rand
	begun bool
}

func newRenewal(cv, rate float64, r *rand.Rand) (arrivals, error) {
	if !(cv >= 0) || math.IsInf(cv, 1) {
		return nil, fmt.Errorf("renewal arrivals with variation %g", cv)
	}
	if rate == 0 {
		return &renewal{}, nil
	}
	kind := model.Gamma
	switch {
	case cv == 1:
		kind = model.Exponential
	case cv > 1:
		kind = model.HyperExponential
	}
	gap, err := model.New(kind, 1/rate, cv/rate, 0)
	return &renewal{gap: gap, r: r}, err
}

// Next implements Arrivals.
func (p *renewal) Next(now float64) float64 {
	switch {
	case p.gap == nil:
		return math.Inf(1)
	case !p.begun:
		p.begun = true
		return now + p.remainder()
	}
	return now + p.gap.Rand(p.r)
}

// remainder draws the rest of a gap, by bisection.
func (p *renewal) remainder() float64 {
	left := p.gap.Mean() * (1 - p.r.Float64()) // E[(gap - x)^+] at the x to find
	low, high := 0.0, p.gap.Mean()
	for p.gap.Excess(high) > left {
		low, high = high, 2*high
	}
	for range 60 {
		if middle := (low + high) / 2; p.gap.Excess(middle) > left {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// bursts is a Poisson process whose rate switches between two levels, for
// exponential times: a Markov-modulated Poisson process of two states. With on
// and off the mean times of the two and q the ratio of their rates, the rate
// between bursts is
//
//	rate (on + off) / (q on + off)
//
// so that the mean rate is as stated. The first state is drawn by its share of the
// time.
type bursts struct {
	gap   [2]float64 // mean time between jobs between bursts, and in one
	hold  [2]float64 // mean time of a state
	state int        // 1 in a burst
	until float64    // its end
	r     *rand.Rand
}

func newBursts(on, off, ratio, rate float64, r *rand.Rand) (arrivals, error) {
	if !(on > 0) || !(off > 0) || !(ratio >= 0) || math.IsInf(on+off+ratio, 1) {
		return nil, fmt.Errorf("bursts of %g s every %g s with %g times the rate", on, off, ratio)
	}
	low := rate * (on + off) / (ratio*on + off)
	b := &bursts{gap: [2]float64{1 / low, 1 / (ratio * low)}, hold: [2]float64{off, on}, r: r}
	if r.Float64()*(on+off) < on {
		b.state = 1
	}
	b.until = r.ExpFloat64() * b.hold[b.state]
	return b, nil
}

// Next implements Arrivals. A gap beyond the end of the state is drawn anew from
// there: an exponential gap has no memory.
func (b *bursts) Next(now float64) float64 {
	if math.IsInf(b.gap[0], 1) && math.IsInf(b.gap[1], 1) {
		return math.Inf(1)
	}
	for {
		if at := now + b.r.ExpFloat64()*b.gap[b.state]; at <= b.until {
			return at
		}
		now = b.until
		b.state = 1 - b.state
		b.until += b.r.ExpFloat64() * b.hold[b.state]
	}
}

// profile is a Poisson process whose rate follows the hours of a day or of a week.
// Time 0 is midnight, on a Monday for 168 hours. The next job comes when the integral
// of the rate reaches an exponential number.
type profile struct {
	rate []float64 // jobs/s by hour
	all  float64   // jobs in a day or week
	r    *rand.Rand
}

func newProfile(hours []float64, rate float64, r *rand.Rand) (*profile, error) {
	var sum float64
	for _, h := range hours {
		if !(h >= 0) || math.IsInf(h, 1) {
			return nil, fmt.Errorf("a profile with weight %g", h)
		}
		sum += h
	}
	if len(hours) != 24 && len(hours) != 168 || !(sum > 0) || math.IsInf(sum, 1) {
		return nil, fmt.Errorf("a profile of %d hours whose weights sum to %g, expected 24 or 168 hours",
			len(hours), sum)
	}
	p := &profile{rate: make([]float64, len(hours)), all: rate * 3600 * float64(len(hours)), r: r}
	for i, h := range hours {
		p.rate[i] = rate * h * float64(len(hours)) / sum
	}
	return p, nil
}

// Next implements Arrivals.
func (p *profile) Next(now float64) float64 {
	left := p.r.ExpFloat64()
	if p.all == 0 {
		return math.Inf(1)
	}
	return p.after(now, left)
}

// after returns the time at which the integral of the rate since now reaches a
// number.
func (p *profile) after(now, left float64) float64 {
	if left > p.all { // days or weeks without a job
		whole := math.Floor(left / p.all)
		now += whole * hour * float64(len(p.rate))
		left -= whole * p.all
	}
	for n := math.Floor(now / hour); ; n++ {
		rate, end := p.rate[int(math.Mod(n, float64(len(p.rate))))], (n+1)*hour
		if use := rate * (end - now); use < left || rate == 0 {
			left -= use
			now = end
			continue
		}
		return now + left/rate
	}
}

// hoursOf returns the weights of a profile, read from its file or measured from a
// trace; nil for other arrivals.
func hoursOf(a model.Arrivals) ([]float64, error) {
	if a.File == "" {
		return a.Hours, nil
	}
	if err := Regular(a.File); err != nil {
		return nil, err
	}
	f, err := os.Open(a.File)
	if err != nil {
		return nil, &Error{File: a.File, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return nil, &Error{File: a.File, Message: text.Cause(err), Cause: err}
	}
	if bytes.HasPrefix(content, []byte{0x1f, 0x8b}) || bytes.HasPrefix(bytes.TrimSpace(content), []byte(";")) {
		return measureProfile(context.Background(), Selection{File: a.File})
	}
	var hours []float64
	for line := 1; len(content) > 0; line++ {
		row, after, _ := bytes.Cut(content, []byte("\n"))
		content = after
		for _, word := range strings.Fields(strings.ReplaceAll(string(row), ",", " ")) {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil || !(x >= 0) || len(hours) == 168 {
				return nil, &Error{File: a.File, Line: line, Message: "expected 24 or 168 weights of hours, " +
					"or a trace in the Standard Workload Format, got " + text.Quote([]byte(word))}
			}
			hours = append(hours, x)
		}
	}
	if len(hours) != 24 && len(hours) != 168 {
		message := fmt.Sprintf("expected 24 or 168 weights of hours, got %d", len(hours))
		return nil, &Error{File: a.File, Message: message}
	}
	return hours, nil
}

// measureProfile returns the number of jobs of a trace that were submitted in each of
// the 168 hours of the week, from Monday at midnight, by the clock of the trace. Without
// a date in the header, time 0 is that midnight.
func measureProfile(ctx context.Context, sel Selection) ([]float64, error) {
	st, err := sel.Open(ctx, 1, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	offset := st.Header.weekClock()
	hours := make([]float64, 168)
	return hours, each(ctx, st, func(r *Record) error {
		hours[int(math.Mod(math.Mod(r[SubmitTime]+offset, week)+week, week)/hour)]++
		return nil
	})
}
