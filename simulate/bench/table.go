package bench

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
)

// Standings ranks policies by their shares of the possible, once among whole schedules and once among all.
type Standings struct {
	Best   []Best // what is known of the first instances of families, where they are among the scores
	Tables []*Table
}

// Table ranks the policies whose schedules are in one table.
type Table struct {
	Table      string // Whole or Any
	Against    string // the policy that differences are to
	Missing    string // the wanted one, if it has no scores
	Instances  []string
	Objectives []string    // of these
	Policies   []*Standing // best mean rank first
}

// Standing is a policy among others.
type Standing struct {
	Policy     string
	Scored     int       // instances with a share
	Claimed    int       // scores that are not those of a policy of revopt as the program carries them
	Rank       float64   // mean, from 1; without a share a policy shares the last places
	Objectives []Reached // as in the table: shares of unlike objectives are not comparable

	shares []float64 // by instance
}

// Reached is what a policy reaches of one objective. If it has no share on some instance, there are no means.
type Reached struct {
	Share      float64         // mean
	Difference metric.Interval // of shares, paired by instance; one sample for each seed, the mean over its instances
}

// Rated returns scores with the shares of their values. It believes values and no shares.
func Rated(list []Score) ([]Score, error) {
	all := Instances()
	for i := range list {
		s := &list[i]
		if err := s.rate(all); err != nil {
			return nil, fmt.Errorf("%.60q on %.60q: %w", s.Policy, s.Name, err)
		}
	}
	return list, nil
}

// rate computes the share from the value. It refuses a score that no run can have.
func (s *Score) rate(all []*Instance) error {
	k := slices.IndexFunc(all, func(in *Instance) bool { return in.Name == s.Name })
	if k < 0 {
		return errors.New("expected an instance of revopt bench list")
	}
	in, value := all[k], s.Value
	limit := in.Limit(s.Table)
	share := in.share(value, limit)
	s.Family, s.Objective, s.Bound = in.Family.Name, in.objective(), limit
	switch {
	case strings.TrimSpace(s.Policy) == "" || text.OneLine(s.Policy) != s.Policy:
		return errors.New("expected the name of a policy, on one line")
	case s.Why != "" || !in.public() && strings.Contains(s.Policy, "estimates=exact"):
		share = math.NaN()
	case s.Table != Whole && s.Table != Any:
		return fmt.Errorf("expected the table %s or %s, got %.60q", Whole, Any, s.Table)
	case !(value >= 0 && share <= 1+1e-6):
		return fmt.Errorf("expected a value within the bound of %g, got %g", limit, value)
	}
	s.Share = share
	return nil
}

// NewStandings compares scores by their shares. Differences are to a policy, or to the best where that has no scores.
func NewStandings(scores []Score, against string) (*Standings, error) {
	if len(scores) == 0 {
		return nil, errors.New("expected files of revopt bench run --save")
	}
	for i, s := range scores {
		twice := func(other Score) bool { return other.Policy == s.Policy && other.Name == s.Name && other.Why == "" }
		if s.Why == "" && slices.ContainsFunc(scores[i+1:], twice) {
			return nil, fmt.Errorf("%s on %s: expected one score, got two", s.Policy, s.Name)
		}
	}
	all := Instances()
	scored := func(b Best) bool {
		return find(all, b.Name).first() && slices.ContainsFunc(scores, func(s Score) bool { return s.Name == b.Name })
	}
	result := &Standings{Best: text.Where(BestKnown(), scored)}
	for _, table := range []string{Whole, Any} {
		t := newTable(all, scores, table, against)
		if len(t.Policies) > 0 {
			result.Tables = append(result.Tables, t)
		}
	}
	return result, nil
}

// newTable ranks the policies of a table. In that of any schedule are all policies, also those without a share.
func newTable(all []*Instance, scores []Score, table, against string) *Table {
	t := &Table{Table: table}
	byPolicy := map[string]map[string]float64{} // shares by instance
	objectives := map[string]string{}           // by instance
	claimed := claims(scores)
	for _, s := range scores {
		if table == Whole && (s.Table != Whole || math.IsNaN(s.Share)) {
			continue
		}
		if byPolicy[s.Policy] == nil {
			byPolicy[s.Policy] = map[string]float64{}
			t.Policies = append(t.Policies, &Standing{Policy: s.Policy, Claimed: claimed[s.Policy]})
		}
		if math.IsNaN(s.Share) {
			continue
		}
		in := find(all, s.Name)
		byPolicy[s.Policy][s.Name] = in.share(s.Value, in.Limit(table))
		objectives[s.Name] = in.Objective
	}
	t.Instances = slices.Sorted(maps.Keys(objectives))
	for _, name := range scenario.Objectives() {
		if slices.Contains(slices.Collect(maps.Values(objectives)), name) {
			t.Objectives = append(t.Objectives, name)
		}
	}
	for _, p := range t.Policies {
		ranks, shares := 0.0, byPolicy[p.Policy]
		for _, name := range t.Instances {
			ranks += rank(byPolicy, p.Policy, name)
			share, ok := shares[name]
			if !ok {
				share = math.NaN()
			}
			p.shares = append(p.shares, share)
		}
		p.Scored, p.Rank = len(shares), ranks/float64(len(t.Instances))
	}
	slices.SortStableFunc(t.Policies, func(a, b *Standing) int { return cmp.Compare(a.Rank, b.Rank) })
	if len(t.Policies) == 0 {
		return t
	}
	base := t.Policies[max(0, slices.IndexFunc(t.Policies, func(p *Standing) bool { return p.Policy == against }))]
	t.Against = base.Policy
	if t.Against != against {
		t.Missing = against
	}
	for _, p := range t.Policies {
		for _, objective := range t.Objectives {
			var shares, others []float64
			var seeds []uint64
			for k, name := range t.Instances {
				if objectives[name] == objective {
					shares = append(shares, p.shares[k])
					others = append(others, base.shares[k])
					seeds = append(seeds, find(all, name).Seed)
				}
			}
			p.Objectives = append(p.Objectives, newReached(shares, others, seeds))
		}
	}
	return t
}

// newReached returns the mean of the shares on the instances of one objective, and how it differs from that of others.
// Seeds are drawn and families are not, so the samples are the seeds.
func newReached(shares, others []float64, seeds []uint64) Reached {
	mean := stat.Mean(shares, nil)
	if math.IsNaN(mean) {
		return Reached{mean, metric.Estimate(nil, metric.DefaultLevel)}
	}
	bySeed := map[uint64][]float64{}
	for i, less := range metric.Less(shares, others) {
		if !math.IsNaN(less) {
			bySeed[seeds[i]] = append(bySeed[seeds[i]], less)
		}
	}
	var paired []float64
	for _, seed := range slices.Sorted(maps.Keys(bySeed)) {
		paired = append(paired, stat.Mean(bySeed[seed], nil))
	}
	return Reached{mean, metric.Estimate(paired, metric.DefaultLevel)}
}

// find returns the instance of a name.
func find(all []*Instance, name string) *Instance {
	return all[slices.IndexFunc(all, func(in *Instance) bool { return in.Name == name })]
}

// claims counts the scores of policies that are not those of the policies of revopt as the program carries them.
func claims(scores []Score) map[string]int {
	type key struct{ policy, name string }
	stored, claimed := map[key]Score{}, map[string]int{}
	for _, s := range knownScores() {
		stored[key{s.Policy, s.Name}] = s
	}
	for _, s := range scores {
		old, ok := stored[key{s.Policy, s.Name}]
		same := ok && old.Table == s.Table && math.Abs(s.Value-old.Value) <= 1e-9*math.Abs(old.Value)
		if s.Why == "" && !same {
			claimed[s.Policy]++
		}
	}
	return claimed
}

// rank returns the rank of a policy on an instance, from 1; of equals, the mean. Policies without a share are last.
func rank(byPolicy map[string]map[string]float64, policy, instance string) float64 {
	share, ok := byPolicy[policy][instance]
	better, equal := 0, 0
	for _, other := range byPolicy {
		switch x, known := other[instance]; {
		case known && (!ok || x > share):
			better++
		case known == ok && (!ok || x == share):
			equal++
		}
	}
	return float64(better) + float64(equal+1)/2
}
