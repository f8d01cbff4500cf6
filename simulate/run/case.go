package run

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"slices"

	"revopt/internal/workdir"
	"revopt/model/scenario"
)

// Case is one deterministic computation. It has all that the numbers depend on, so that equal cases have equal records.
type Case struct {
	Inputs      string    `json:"inputs"`            // sum of the scenario's text and its trace
	Set         []string  `json:"set,omitempty"`     // path=value over the scenario, in this order
	Settled     bool      `json:"settled,omitempty"` // overrides beyond the scenario's own leave arrivals alone
	Jobs        Jobs      `json:"jobs,omitzero"`
	Do          Action    `json:"do"`
	Admission   Admission `json:"admission,omitzero"`
	Detail      Detail    `json:"detail,omitzero"`
	Seed        uint64    `json:"seed"`
	Replication int       `json:"replication"` // 0 where nothing is random
}

// Jobs says which jobs of a scenario run. The zero value is those that the scenario states.
type Jobs struct {
	Drained bool    `json:"drained,omitempty"` // no warm-up, and every job is followed to its end
	Count   int     `json:"count,omitempty"`   // of a stream, on average; 0 is the usual number
	Weeks   bool    `json:"weeks,omitempty"`   // drawn from the spans of a log
	Span    float64 `json:"span,omitempty"`    // of these, s; 0 is a week
}

// Action is what a case computes: a policy, a bound, a model or a search.
type Action struct {
	Policy string `json:"policy,omitempty"` // simulates the policy of this label
	Files  string `json:"files,omitempty"`  // sums of the files that the policy reads
	Bound  *Bound `json:"bound,omitempty"`
	Model  string `json:"model,omitempty"` // the best static admission by the model with delays of this residual
	Find   *Find  `json:"find,omitempty"`
}

// Find is the search for the admission that a case names.
type Find struct {
	Policy string `json:"policy,omitempty"` // label of the policy behind it; "": the admission depends on none
}

// Admission names who is let in. The zero value is all jobs.
type Admission struct {
	Name  string    `json:"name,omitempty"`  // analytic, simulated, prices; "" and all: all jobs
	Admit []float64 `json:"admit,omitempty"` // stated probabilities, by customer
	// Parties says that Admit is by what an admission tells apart, which may be customers in pools: see subject.Parties.
	Parties bool                   `json:"parties,omitempty"`
	Search  *scenario.SearchEffort `json:"search,omitempty"` // of an admission that is searched; nil: the usual one
}

// all reports whether an admission lets every job in.
func (a Admission) all() bool {
	return (a.Name == "" || a.Name == scenario.AdmitAll) && a.Admit == nil
}

// Detail says what a record has beyond the columns of all jobs.
type Detail struct {
	Customers bool `json:"customers,omitempty"` // the same columns of each customer, pool and provider
	Waits     bool `json:"waits,omitempty"`     // how customers and groups of width are served, for Frame.Harm
}

// At returns the case in another replication.
func (c Case) At(replication int) Case {
	c.Replication = replication
	return c
}

// Row is the name of the case in all its replications.
func (c Case) Row() string {
	sum := c.At(0).sum()
	return hex.EncodeToString(sum[:16])
}

// Point is the case reduced to its scenario: cases of one point share jobs and rules to stop.
func (c Case) Point() Case { return Case{Inputs: c.Inputs, Set: c.Set, Settled: c.Settled} }

// With returns the case with more overrides, which leave arrivals alone if it is settled.
func (c Case) With(settled bool, set ...string) Case {
	c.Set = slices.Concat(c.Set, set)
	c.Settled = c.Settled || settled && len(set) > 0
	return c
}

// in reports whether the case belongs to a shard. The point decides.
func (c Case) in(shard workdir.Shard) bool {
	return shard.Whole() || shard.Has(c.unit())
}

// Shard returns the shard of n, from 1, that the case belongs to.
func (c Case) Shard(n int) int { return 1 + c.unit()%n }

// unit is a number of the point of the case, which shards are chosen by.
func (c Case) unit() int {
	sum := c.Point().sum()
	return int(binary.BigEndian.Uint32(sum[:]) >> 1)
}

func (c Case) sum() [sha256.Size]byte {
	text, err := json.Marshal(c)
	if err != nil {
		panic("run: " + err.Error()) // numbers of a case are finite
	}
	return sha256.Sum256(text)
}
