package switchback

import (
	"fmt"
	"math"

	"revopt/internal/text"
	"revopt/simulate"
)

// Plan cuts time into pairs of spans. In one span of each pair the rule is on, in the other it is off, and a coin that
// nobody throws again says which: it depends on the seed and the number of the pair alone.
type Plan struct {
	Begin  float64 `json:"begin"`            // of the first pair, Unix seconds
	Span   float64 `json:"span"`             // length of a span, s
	Seed   uint64  `json:"seed"`             // of the coins
	Margin float64 `json:"margin,omitempty"` // s, on both sides of a switch; 0: see Trial.Margin
}

// Pair is two spans, one after the other.
type Pair struct {
	Number  int     `json:"number"` // from 0
	From    float64 `json:"from"`   // Unix seconds
	Switch  float64 `json:"switch"` // end of the first span, begin of the second
	To      float64 `json:"to"`
	OnFirst bool    `json:"on_first"` // the rule is on in the first span
}

// Check returns an error if the plan leaves too little of its spans, see MarginError.
func (p Plan) Check() error { return checkMargin(p.Margin, p.Span) }

// clockError is how far a time of a pair may be from that of the plan, s: a processor may round otherwise.
const clockError = 1e-3

// Has reports whether a pair is one of the plan.
func (p Plan) Has(pair Pair) bool {
	near := func(a, b float64) bool { return math.Abs(a-b) <= clockError }
	want := p.Pair(pair.Number)
	return pair.Number >= 0 && p.Span > 0 && p.Margin >= 0 && pair.OnFirst == want.OnFirst && near(pair.From, want.From) &&
		near(pair.Switch, want.Switch) && near(pair.To, want.To)
}

// NumberAt returns the number of the pair that a time belongs to, negative before the first.
func (p Plan) NumberAt(time float64) int { return int(math.Floor((time - p.Begin) / (2 * p.Span))) }

// Pair returns a pair by its number.
func (p Plan) Pair(number int) Pair {
	at := func(spans int) float64 { return p.Begin + float64(spans)*p.Span }
	coin := simulate.Stream(p.Seed, 0, "trial", number)
	return Pair{Number: number, From: at(2 * number), Switch: at(2*number + 1), To: at(2*number + 2),
		OnFirst: coin.Uint64()>>63 == 1}
}

// On reports whether the rule is on at a time. It is off before the first pair.
func (p Plan) On(time float64) bool {
	n := p.NumberAt(time)
	return n >= 0 && p.Pair(n).on(time)
}

// on reports whether the rule is on at a time of the pair.
func (p Pair) on(time float64) bool { return p.OnFirst == (time < p.Switch) }

// mostMargin is the largest share of a span that a margin may have: half of the span or more is then left.
const mostMargin = 0.25

// MarginError says that a span is too short for its margins.
type MarginError struct {
	Margin, Span float64 // s
	Needs        float64 // the span that would do, s
}

func (e *MarginError) Error() string {
	return fmt.Sprintf("a margin of %s is more than a quarter of a span of %s: expected spans of %s or more",
		text.Duration(e.Margin), text.Duration(e.Span), text.Duration(e.Needs))
}

func checkMargin(margin, span float64) error {
	if margin > mostMargin*span {
		return &MarginError{Margin: margin, Span: span, Needs: margin / mostMargin}
	}
	return nil
}
