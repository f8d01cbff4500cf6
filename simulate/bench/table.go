package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Table ranks policies by their shares of the possible.
type Table struct {
	Against   string      `json:"against"`   // the policy that differences are to
	Instances []string    `json:"instances"` // on which some policy has a share
	Policies  []*Standing `json:"policies"`  // best mean rank first
}

// Standing is a policy among others.
type Standing struct {
	Policy     string         `json:"policy"`
	Scored     int            `json:"scored"`     // instances with a share
	Rank       study.Number   `json:"mean_rank"`  // from 1; without a share a policy shares the last places
	Share      study.Number   `json:"share"`      // mean over the instances with a share
	Difference study.Estimate `json:"difference"` // of shares, paired by instance
	Shares     []study.Number `json:"shares"`     // by instance
}

// ReadScores reads the JSON of a Result.
func ReadScores(r io.Reader) ([]Score, error) {
	var result Result
	if err := json.NewDecoder(r).Decode(&result); err != nil || len(result.Instances) == 0 {
		return nil, errors.New("expected scores, a file of revopt bench run -o")
	}
	return result.Instances, nil
}

// NewTable compares scores. Differences are to a policy, or to the best where that has no scores.
func NewTable(scores []Score, against string) (*Table, error) {
	t, found := &Table{}, map[string]map[string]float64{}
	if len(scores) == 0 {
		return nil, errors.New("expected files of revopt bench run -o")
	}
	for _, s := range scores {
		if !slices.ContainsFunc(Instances(), func(in *Instance) bool {
			return in.Name == s.Name && slices.Contains([]float64{in.limit(true), in.limit(false)}, float64(s.Bound))
		}) {
			return nil, fmt.Errorf("%s on %s: expected a score against a bound of this program", s.Policy, s.Name)
		}
		if found[s.Policy] == nil {
			found[s.Policy] = map[string]float64{}
			t.Policies = append(t.Policies, &Standing{Policy: s.Policy})
		}
		if math.IsNaN(float64(s.Share)) {
			continue
		}
		if _, twice := found[s.Policy][s.Name]; twice {
			return nil, fmt.Errorf("%s on %s: expected one score, got two", s.Policy, s.Name)
		}
		found[s.Policy][s.Name] = float64(s.Share)
		if !slices.Contains(t.Instances, s.Name) {
			t.Instances = append(t.Instances, s.Name)
		}
	}
	slices.Sort(t.Instances)
	for _, p := range t.Policies {
		ranks, shares := 0.0, found[p.Policy]
		for _, name := range t.Instances {
			own, ok := shares[name]
			better, equal := 0, 0
			for _, other := range found {
				switch x, known := other[name]; {
				case known && (!ok || x > own):
					better++
				case known == ok && (!ok || x == own):
					equal++
				}
			}
			ranks += float64(better) + float64(equal+1)/2
			if !ok {
				own = math.NaN()
			}
			p.Shares = append(p.Shares, study.Number(own))
			p.Share += study.Number(shares[name])
		}
		p.Scored, p.Rank = len(shares), study.Number(ranks/float64(len(t.Instances)))
		p.Share /= study.Number(len(shares))
	}
	slices.SortStableFunc(t.Policies, func(a, b *Standing) int { return cmp.Compare(a.Rank, b.Rank) })
	base := t.Policies[max(0, slices.IndexFunc(t.Policies, func(p *Standing) bool { return p.Policy == against }))]
	t.Against = base.Policy
	for _, p := range t.Policies {
		var paired []float64
		for k, x := range p.Shares {
			if d := float64(x - base.Shares[k]); !math.IsNaN(d) {
				paired = append(paired, d)
			}
		}
		p.Difference = study.NewEstimate(metric.Estimate(paired, metric.DefaultLevel))
	}
	return t, nil
}
