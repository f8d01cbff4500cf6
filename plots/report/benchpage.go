//go:build !js

package report

import (
	"io"

	"revopt/plots"
	"revopt/plots/report/scores"
	"revopt/plots/wording"
)

// BenchPage is the page of a ranking of the benchmark.
type BenchPage struct{ scores.BenchTable }

// Figures draws the shares of all policies on each instance, a figure for each table.
func (t BenchPage) Figures() (list []picture) {
	for _, table := range t.Standings.Tables {
		fig := plots.Figure{ID: "bench-" + table.Table, Title: "Share of the possible, table " + table.Table,
			X: plots.Axis{Categories: table.Instances},
			Y: plots.Axis{Label: "Share of the possible", Percent: true, Max: 1}}
		for _, p := range table.Policies {
			s := plots.Series{Name: scores.PolicyName(p.Policy), Kind: plots.Points}
			for k, share := range p.Shares {
				wording.AddPoint(&s, float64(k), float64(share))
			}
			fig.Series = append(fig.Series, s)
		}
		list = append(list, picture{fig, "Each mark is the share of one policy on one instance."})
	}
	return list
}

func (t BenchPage) Page(w io.Writer) error { return writePage(w, "bench", ForPage(FewestShown, 0), t) }
