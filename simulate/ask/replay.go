package ask

import (
	"cmp"
	"encoding/csv"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate"
	"revopt/simulate/quote"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Replay compares the starts of a log with those that policies would make, or quotes with the starts.
type Replay struct {
	File     string
	Subset   workload.Subset
	Since    string // from which waits count: submit or eligible
	Nodes    int
	Within   float64 // s by which a start may differ
	Warnings []answer.Fact

	header   workload.Header
	rows     []replayed
	starts   int
	recorded float64 // mean wait of the log, s
	quotes   *quote.QuoteScore
}

// replayed is the starts of a log under a policy.
type replayed struct {
	label string
	slurm.LogDecisions
	slurm.LogWaits
	moments, pairs, same int // the order of priorities against those of sprio
}

// NewReplay returns the comparison of a subset of a log with no policy yet. Jobs that have not ended are a warning. A
// trace has no other waits than those since submission.
func NewReplay(log *slurm.Imported, file, since string, jobs workload.Subset, nodes int, within float64) *Replay {
	if log.Format == workload.SWF {
		since = "submit"
	}
	r := &Replay{File: file, Subset: jobs, Since: since, Nodes: nodes, Within: within, header: log.Header,
		Warnings: stated("LOG", log.Warnings)}
	open := int64(0)
	for _, n := range log.Counts {
		if n.Name == "running" || n.Name == "waiting" {
			open += n.N
		}
	}
	if open > 0 {
		r.Warnings = append(r.Warnings, answer.New("OPEN_JOBS", count(open).As("jobs")))
	}
	return r
}

// Add adds the decisions of a policy, and the waits of the log and a simulation.
func (r *Replay) Add(p subject.Policy, d *slurm.LogDecisions, waits slurm.LogWaits) {
	r.starts, r.recorded = d.Starts, waits.Logged
	r.rows = append(r.rows, replayed{label: p.Label(), LogDecisions: *d, LogWaits: waits})
	if waits.Never > 0 {
		r.Warnings = append(r.Warnings,
			answer.New("NEVER_START", answer.Word(p.Label()).As("policy"), count(waits.Never).As("jobs")))
	}
}

// Order adds to the policy that was added last how many pairs of jobs it has in the order of sprio at some moments.
func (r *Replay) Order(moments, pairs, same int) {
	last := &r.rows[len(r.rows)-1]
	last.moments, last.pairs, last.same = moments, pairs, same
}

// Score sets the score of quotes, and the waits of the jobs that they are of.
func (r *Replay) Score(jobs []simulate.Job, q *quote.QuoteScore) {
	sum := 0.0
	for _, j := range jobs {
		if j.Spec.Recorded.Ran {
			sum += j.Spec.Recorded.At - j.Submit
			r.starts++
		}
	}
	r.quotes = q
	r.recorded = sum / float64(r.starts)
}

// Answer says how many starts the policies allow, or how good quotes are.
func (r *Replay) Answer(seed uint64) answer.Answer {
	a := answer.Answer{Command: "trace replay", Scenario: filepath.Base(r.File), Seed: seed, Warnings: r.Warnings,
		Values: []answer.Named{count(r.Nodes).As("units"), answer.Word(text.Unit(r.header.Unit())).As("unit"),
			count(r.starts).As("starts"), seconds(r.recorded).As("recorded_wait"),
			answer.Word(r.Since).As("wait_since"), seconds(r.Within).As("within")}}
	if hosts := r.header.Hosts(r.Nodes); hosts > 0 {
		a.Values = append(a.Values, count(hosts).As("nodes"))
	}
	file := subject.NewTraceFile(r.File, r.header.Unit(), r.Nodes)
	a.Values = append(a.Values, fileValues(file, r.Subset.String())...)
	if r.quotes != nil {
		r.quoted(&a)
		return a
	}
	closest := r.closest()
	facts := []answer.Named{answer.Word(closest.label).As("policy"),
		share(float64(closest.Allowed) / float64(r.starts)).As("share"), count(r.starts).As("starts"),
		seconds(closest.Simulated).As("wait"), seconds(r.recorded).As("recorded")}
	if len(r.rows) > 1 {
		facts = append(facts, count(len(r.rows)).As("policies"))
	}
	a.Headline = answer.New("ALLOWS", facts...)
	a.Tables = []answer.Table{r.policies()}
	return a
}

// closest is the policy that allows most of the starts, of several the one whose mean wait is closest to the log's.
func (r *Replay) closest() replayed {
	off := func(p replayed) float64 { return math.Abs(p.Simulated - r.recorded) }
	return slices.MinFunc(r.rows, func(a, b replayed) int {
		return cmp.Or(cmp.Compare(b.Allowed, a.Allowed), cmp.Compare(off(a), off(b)))
	})
}

// policies is the table of the starts that policies allow.
func (r *Replay) policies() answer.Table {
	t := answer.Table{Name: "policies", Columns: []answer.Column{
		{Name: "policy", Unit: answer.Text, Means: "label of the policy"},
		{Name: "starts", Unit: answer.Count, Means: "in the log"},
		{Name: "allowed", Unit: answer.Count, Means: "starts that the policy would make"},
		{Name: "mean_wait", Unit: answer.Time, Means: "simulated"},
		{Name: "overfull", Unit: answer.Count, Means: "not compared: more ran than there are units, or it needs more",
			Quiet: true},
		{Name: "never_start", Unit: answer.Count, Means: "jobs that never start, as nodes stay down", Quiet: true},
		{Name: "moments", Unit: answer.Count, Means: "outputs of sprio", Quiet: true},
		{Name: "pairs", Unit: answer.Count, Means: "of jobs that wait at a moment"},
		{Name: "same_order", Unit: answer.Count, Means: "of them, in the order of sprio"},
	}}
	for _, p := range r.rows {
		row := []answer.Value{answer.Word(p.label), count(p.Starts), count(p.Allowed), seconds(p.Simulated), count(p.Overfull),
			count(p.Never), {}, {}, {}}
		if p.moments > 0 {
			row = append(row[:6], count(p.moments), count(p.pairs), count(p.same))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// quoted says how good quotes are.
func (r *Replay) quoted(a *answer.Answer) {
	q := r.quotes
	a.Values = append(a.Values, count(q.N).As("quotes"), share(float64(q.Level)).As("level"),
		share(float64(q.Inside)).As("inside"), seconds(float64(q.Pinball)).As("pinball"),
		seconds(float64(q.ReservationPinball)).As("reservation_pinball"),
		seconds(float64(q.NaivePinball)).As("naive_pinball"))
	a.Headline = answer.New("QUOTES", share(float64(q.Inside)).As("inside"), count(q.N).As("quotes"),
		share(float64(q.Level)).As("level"), seconds(float64(q.Width)).As("width"))
	a.Tables = []answer.Table{r.losses(), r.ofQOS()}
}

// losses compares quotes with other forecasts.
func (r *Replay) losses() answer.Table {
	q := r.quotes
	t := answer.Table{Name: "losses", Columns: []answer.Column{
		{Name: "forecast", Unit: answer.Text, Means: "of the start of a job at its submission"},
		{Name: "pinball", Unit: answer.Time, Means: "mean loss of the quantiles 10, 50 and 90 %"},
	}}
	for _, row := range []struct {
		name string
		loss float64
	}{
		{"quotes", float64(q.Pinball)},
		{"reservation of EASY", float64(q.ReservationPinball)}, {"last 300 known waits", float64(q.NaivePinball)},
	} {
		t.Rows = append(t.Rows, []answer.Value{answer.Word(row.name), seconds(row.loss)})
	}
	return t
}

// ofQOS says how good quotes are for the jobs of each QOS. It is empty for a log without QOS.
func (r *Replay) ofQOS() answer.Table {
	names := workload.NamesByNumber(r.header.Names())["queue"]
	var queues []int
	for number := range r.quotes.Queues {
		if names[int32(number)] != "" {
			queues = append(queues, number)
		}
	}
	slices.Sort(queues)
	number := func(name string, unit answer.Unit, means string, of func(*quote.QuoteScore) float64) answer.Field[int] {
		return answer.Numbered(name, unit, means, func(number int) float64 { return of(r.quotes.Queues[number]) })
	}
	return answer.TableOf("qos", queues,
		answer.Texts("qos", "name of the QOS", func(number int) string { return names[int32(number)] }),
		number("quotes", answer.Count, "jobs that were quoted", func(q *quote.QuoteScore) float64 { return float64(q.N) }),
		number("inside", answer.Share, "of the starts, inside their ranges of 80 %",
			func(q *quote.QuoteScore) float64 { return float64(q.Inside) }),
		number("width", answer.Time, "mean of the ranges", func(q *quote.QuoteScore) float64 { return float64(q.Width) }),
		number("pinball", answer.Time, "mean loss of the quotes",
			func(q *quote.QuoteScore) float64 { return float64(q.Pinball) })).Visible()
}

// WriteQuotes writes a line of CSV for every quoted job.
func (r *Replay) WriteQuotes(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"id", "submit", "start", "low", "median", "high", "reservation", "naive"})
	for _, q := range r.quotes.Records {
		line := []string{strconv.FormatInt(q.ID, 10)}
		for _, x := range []float64{q.Submit, q.Start, q.Quantiles[0], q.Quantiles[1], q.Quantiles[2], q.Reservation,
			q.Naive} {
			line = append(line, text.Field(x))
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}
