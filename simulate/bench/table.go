package bench

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

// Table ranks policies by their shares of the possible.
type Table struct {
	Against   string      `json:"against"`           // the policy that differences are to
	Missing   string      `json:"missing,omitempty"` // the wanted one, if it has no scores
	Instances []string    `json:"instances"`         // on which some policy has a share
	Policies  []*Standing `json:"policies"`          // best mean rank first
}

// Standing is a policy among others.
type Standing struct {
	Policy     string          `json:"policy"`
	Scored     int             `json:"scored"`     // instances with a share
	Rank       metric.Number   `json:"mean_rank"`  // from 1; without a share a policy shares the last places
	Share      metric.Number   `json:"share"`      // mean over the instances with a share
	Difference study.Estimate  `json:"difference"` // of shares, paired by instance
	Shares     []metric.Number `json:"shares"`     // by instance
}

// ReadScores reads the JSON of a Result. It believes values and no shares.
func ReadScores(r io.Reader) ([]Score, error) {
	var result Result
	if err := json.NewDecoder(r).Decode(&result); err != nil || len(result.Instances) == 0 {
		return nil, errors.New("expected scores, a file of revopt bench run -o")
	}
	for i := range result.Instances {
		s := &result.Instances[i]
		if err := s.rate(); err != nil {
			return nil, fmt.Errorf("%.60q on %.60q: %w", s.Policy, s.Name, err)
		}
	}
	return result.Instances, nil
}

// rate computes the share from the value. It refuses a score that no run can have.
func (s *Score) rate() error {
	all := Instances()
	k := slices.IndexFunc(all, func(in *Instance) bool { return in.Name == s.Name })
	if k < 0 {
		return errors.New("expected an instance of revopt bench list")
	}
	in, value, limit := all[k], float64(s.Value), float64(s.Bound)
	share := in.share(value, limit)
	switch {
	case strings.TrimSpace(s.Policy) == "" || text.OneLine(s.Policy) != s.Policy:
		return errors.New("expected the name of a policy, on one line")
	case s.Objective != in.Objective:
		return fmt.Errorf("expected the objective %s, got %.60q", in.Objective, s.Objective)
	case limit != in.Limit(true) && limit != in.Limit(false):
		return fmt.Errorf("expected a score against a bound of this program, got %g", limit)
	case s.Why != "" || in.Objective != plan.ObjectiveValue && s.NotRun > 0 ||
		!in.public() && strings.Contains(s.Policy, "estimates=exact"):
		share = metric.Number(math.NaN())
	case !(value >= 0 && share <= 1+1e-6):
		return fmt.Errorf("expected a value within the bound of %g, got %g", limit, value)
	}
	s.Share = share
	return nil
}

// NewTable compares scores by their shares. Differences are to a policy, or to the best where that has no scores.
func NewTable(scores []Score, against string) (*Table, error) {
	t, byPolicy := &Table{}, map[string]map[string]float64{}
	if len(scores) == 0 {
		return nil, errors.New("expected files of revopt bench run -o")
	}
	for _, s := range scores {
		if byPolicy[s.Policy] == nil {
			byPolicy[s.Policy] = map[string]float64{}
			t.Policies = append(t.Policies, &Standing{Policy: s.Policy})
		}
		if math.IsNaN(float64(s.Share)) {
			continue
		}
		if _, twice := byPolicy[s.Policy][s.Name]; twice {
			return nil, fmt.Errorf("%s on %s: expected one score, got two", s.Policy, s.Name)
		}
		byPolicy[s.Policy][s.Name] = float64(s.Share)
		if !slices.Contains(t.Instances, s.Name) {
			t.Instances = append(t.Instances, s.Name)
		}
	}
	slices.Sort(t.Instances)
	for _, p := range t.Policies {
		ranks, shares := 0.0, byPolicy[p.Policy]
		for _, name := range t.Instances {
			share, ok := shares[name]
			better, equal := 0, 0
			for _, other := range byPolicy {
				switch x, known := other[name]; {
				case known && (!ok || x > share):
					better++
				case known == ok && (!ok || x == share):
					equal++
				}
			}
			ranks += float64(better) + float64(equal+1)/2
			if !ok {
				share = math.NaN()
			}
			p.Shares = append(p.Shares, metric.Number(share))
			p.Share += metric.Number(shares[name])
		}
		p.Scored, p.Rank = len(shares), metric.Number(ranks/float64(len(t.Instances)))
		p.Share /= metric.Number(len(shares))
	}
	slices.SortStableFunc(t.Policies, func(a, b *Standing) int { return cmp.Compare(a.Rank, b.Rank) })
	base := t.Policies[max(0, slices.IndexFunc(t.Policies, func(p *Standing) bool { return p.Policy == against }))]
	t.Against = base.Policy
	if t.Against != against {
		t.Missing = against
	}
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
