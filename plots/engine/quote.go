package engine

import (
	"cmp"
	"fmt"
	"strconv"

	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
	"revopt/simulate/workload"
)

// QuotedJob is a job to quote.
type QuotedJob struct {
	Width    int     `json:"width"`
	Estimate float64 `json:"estimate"` // s
	Class    string  `json:"class"`
	Pool     string  `json:"pool"`
	At       float64 `json:"at"` // s, the moment at which it comes
}

// quote quotes one more job at a moment of the first replication.
func (c *call) quote() *Reply {
	j := c.Job
	if j.Width < 1 || j.Width > workload.MaxNodes || !(j.Estimate > 0) || !(j.At >= 0) {
		end(fmt.Errorf("job: expected a width of at least 1 and an estimate above 0, got %d and %g s at %g s",
			j.Width, j.Estimate, j.At))
	}
	q := quote.Quote{Subject: need(c.open(c.doc)), Seed: c.Seed, Replications: cmp.Or(c.Replications, 100),
		At: j.At, Width: j.Width, Estimate: j.Estimate, Class: j.Class, Pool: j.Pool}
	policies := need(q.Subject.Policies())
	if len(c.Request.Policies) > 0 {
		policies = need(study.ParsePolicies(c.Engine.Policies, c.Request.Policies...))
		c.flag("policy", c.Request.Policies[0])
	}
	q.Policy = policies[0]
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	c.flag("at", number(j.At)+"s")
	in := ""
	if j.Pool != "" {
		in = ",pool=" + j.Pool
	}
	c.flag("job", "width="+strconv.Itoa(j.Width)+",estimate="+number(j.Estimate)+"s,class="+j.Class+in)
	view := report.Quote{Result: need(q.Run(c.ctx)), Unit: q.Subject.Unit()}
	return &Reply{Facts: view.Result, Rows: view.Rows(), Words: view.Words(), Command: c.line()}
}
