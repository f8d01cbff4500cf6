package preempt

import (
	"cmp"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// serverFilling is server filling, in the order of the key of preemptive: "WCFS: a new framework for analyzing
// multiserver systems" and "Optimal scheduling in the multiserver-job model under heavy traffic".
//
// # Policies server-filling, server-filling-srpt
//
// Preemptive packing: ServerFilling of Grosof, Harchol-Balter and Scheller-Wolf (2022). Every decision takes the
// shortest beginning of the jobs present, in order of arrival, whose widths sum to at least the machine, and serves
// these jobs by width, the widest first, as far as they fit. The others wait, or are suspended. If the widths and the
// machine are powers of two, no processor is idle while enough work is present. It uses no estimates.
//
// server-filling-srpt, of Grosof, Scully, Harchol-Balter and Scheller-Wolf (2022), takes jobs in order of the
// processor-seconds left, by the estimates.
type serverFilling struct{ preemptive }

func fillingSpec(name, title, summary string, smallest bool) policy.Spec {
	options := []policy.Option{policy.NumberOption("preempt-cost", "0")}
	if smallest {
		options = append(policy.TermOptions(), options...)
	}
	return policy.Spec{
		Name: name, Title: title, Summary: summary, Options: options,
		Needs: policy.Needs{Alike: true, Preempts: true}, Cost: 5e-6,
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
			p := new(serverFilling)
			p.Terms, p.cost = s.Terms(), s.Number("preempt-cost")
			p.set(func(j *simulate.Job, now float64) float64 {
				if !smallest {
					return 0
				}
				return float64(j.Width) * max(p.RunTime(j)+j.Lost-j.Served(now), 0)
			})
			return p
		}),
	}
}

// Schedule implements simulate.Policy.
func (p *serverFilling) Schedule(c *simulate.Cluster) {
	up, sum := p.review(c), 0
	for x := range p.present {
		if sum >= up {
			break
		}
		p.first, sum = append(p.first, x), sum+x.job.Width
	}
	slices.SortStableFunc(p.first, func(a, b contender) int { return cmp.Compare(b.job.Width, a.job.Width) })
	p.serve(c, up)
}
