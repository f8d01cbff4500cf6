package ask

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/waits"
)

// Waited is where the waiting of a log comes from.
type Waited struct {
	subject *subject.Subject
	log     *subject.Waiting
	parts   *waits.Decomposition
}

// waitSpans is the number of spans of time in a figure of waiting.
const waitSpans = 300

// WaitingOf tells where the waiting of a log comes from.
func WaitingOf(ctx context.Context, s *subject.Subject) (*Waited, error) {
	log, err := s.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	log.Find()
	return &Waited{s, log, log.Decompose(waitSpans)}, nil
}

// waitParts are the parts of waiting as answers have them, those that explain most in the order of the headline.
var waitParts = []struct {
	part               waits.Part
	name, title, means string
}{
	{waits.Full, "full", "full", "wider than the free units"},
	{waits.Reserved, "reserved", "reserved", "the machine is emptied for an older job of the queue"},
	{waits.AtLimit, "limit", "limit", "what an owner holds is at a limit"},
	{waits.Down, "down", "down", "in an outage"},
	{waits.NotEligible, "not_eligible", "not eligible", "before the job could run"},
	{waits.Unexplained, "unexplained", "unexplained", "nothing in the log explains it"},
	{waits.Unknown, "unknown", "unknown", "before the log shows what ran"},
}

// waitGroup is the waiting of some jobs.
type waitGroup struct {
	Row     run.JobGroup
	jobs    int
	seconds waits.Seconds
	started int
	wait    float64 // s, of those that started
}

func (g *waitGroup) add(j *waits.Job, seconds waits.Seconds) {
	g.jobs++
	g.seconds.Add(seconds)
	if !math.IsNaN(j.Start) {
		g.started++
		g.wait += seconds.Sum()
	}
}

// share returns a part of the waiting; one of nothing does not exist.
func (g *waitGroup) share(part waits.Part) answer.Value {
	return share(g.seconds[part] / g.seconds.Sum())
}

// mean returns the mean wait of the jobs that started.
func (g *waitGroup) mean() answer.Value { return seconds(g.wait / float64(g.started)) }

// Answer says where the waiting comes from. The table of jobs has a row for each job: only a file wants it.
func (w *Waited) Answer(seed uint64, jobs bool) answer.Answer {
	all, _, _ := w.groups()
	a := answer.Answer{
		Command: "trace waits", Scenario: w.subject.Scenario.Name, Seed: seed, Headline: w.headline(&all),
		Values: []answer.Named{count(all.jobs).As("jobs"), count(w.subject.Nodes()).As("units"),
			answer.Word(w.subject.Unit()).As("unit"), all.mean().As("wait")},
	}
	for _, p := range waitParts {
		a.Values = append(a.Values, all.share(p.part).As(p.name))
	}
	a.Tables = w.tables()
	if jobs {
		a.Tables = append(a.Tables, w.jobs())
	}
	if w.parts.Overfull > 0 {
		a.Warnings = append(a.Warnings, answer.New("OVERCOMMITTED", seconds(w.parts.Overfull).As("time")))
	}
	return a
}

// tables have the waiting of customers and of groups of width, limits and outages.
func (w *Waited) tables() []answer.Table {
	all, customers, widths := w.groups()
	customer := answer.Texts("customer", "name", func(g *waitGroup) string { return g.Row.Name })
	return []answer.Table{
		answer.TableOf("customers", customers, append([]answer.Field[*waitGroup]{customer}, waitFields(all)...)...),
		answer.TableOf("widths", widths, append(w.widthKeys(), waitFields(all)...)...).Visible(),
		w.limits(&all), w.outages(&all),
	}
}

// waitFields are the columns of a group: its jobs, their mean wait, and the parts of its waiting.
func waitFields(all waitGroup) []answer.Field[*waitGroup] {
	list := []answer.Field[*waitGroup]{
		answer.Numbered("jobs", answer.Count, "that waited or started at once", func(g *waitGroup) int { return g.jobs }),
		answer.Valued("wait", answer.Time, "mean, of jobs that started", (*waitGroup).mean),
		answer.Valued("share", answer.Share, "of the waiting of all jobs",
			func(g *waitGroup) answer.Value { return share(g.seconds.Sum() / all.seconds.Sum()) }),
	}
	for _, p := range waitParts {
		list = append(list, answer.Valued(p.name, answer.Share, p.means,
			func(g *waitGroup) answer.Value { return g.share(p.part) }).Titled(p.title))
		list[len(list)-1].Quiet = all.seconds[p.part] < leastSaid*all.seconds.Sum()
	}
	return list
}

// widthKeys are the columns that tell groups of width apart.
func (w *Waited) widthKeys() []answer.Field[*waitGroup] {
	list := []answer.Field[*waitGroup]{
		answer.Texts("pool", "name", func(g *waitGroup) string { return g.Row.Name }),
		answer.Numbered("from", answer.Count, "units at least", func(g *waitGroup) int { return g.Row.From }),
		answer.Numbered("to", answer.Count, "units at most", func(g *waitGroup) int { return g.Row.To }),
	}
	if len(w.log.Pools) == 1 {
		return list[1:]
	}
	return list
}

// groups returns the waiting of all jobs, of each customer and of each group of width. Wider jobs are among the widest.
func (w *Waited) groups() (all waitGroup, customers, widths []*waitGroup) {
	for _, name := range w.subject.Names() {
		customers = append(customers, &waitGroup{Row: run.JobGroup{Kind: run.ByCustomer, Name: name}})
	}
	first := make([]int, len(w.log.Pools))
	for p, pool := range w.log.Pools {
		first[p] = len(widths)
		for _, g := range (run.Widths{Name: pool.Name, Units: pool.Units, Unit: pool.Unit}).Groups() {
			widths = append(widths, &waitGroup{Row: g})
		}
	}
	for i := range w.log.Jobs {
		j := &w.log.Jobs[i]
		parts := w.parts.Jobs[i]
		all.add(j, parts)
		if c := w.log.Customers[i]; c < len(customers) {
			customers[c].add(j, parts)
		}
		k := first[j.Pool]
		for j.Width > widths[k].Row.To && k+1 < len(widths) && widths[k+1].Row.Name == widths[k].Row.Name {
			k++
		}
		widths[k].add(j, parts)
	}
	some := func(g *waitGroup) bool { return g.jobs > 0 }
	return all, text.Where(customers, some), text.Where(widths, some)
}

// leastSaid is the smallest share of the waiting that a headline mentions.
const leastSaid = 0.005

// headline says in one sentence what most of the waiting was for.
func (w *Waited) headline(all *waitGroup) answer.Fact {
	if all.seconds.Sum() == 0 {
		return answer.New("NO_WAITING", count(all.jobs).As("jobs"))
	}
	var facts []answer.Named
	for _, p := range waitParts {
		if v := all.share(p.part); v.Number >= leastSaid || p.part == waits.Unexplained || p.part == waits.Full {
			facts = append(facts, v.As(p.name))
		}
	}
	if i := largest(w.parts.AtLimit); i >= 0 {
		facts = append(facts, answer.Word(w.limitWords(i)).As("at"))
	}
	if i := largest(w.parts.InOutage); i >= 0 {
		facts = append(facts, answer.Word(w.outageWords(i)).As("when"))
	}
	return answer.New("WAITED", facts...)
}

// largest returns the place of the largest number, -1 if none is above 0.
func largest(list []float64) int {
	if len(list) == 0 || slices.Max(list) <= 0 {
		return -1
	}
	return slices.Index(list, slices.Max(list))
}

// limitWords names a limit, and says how many others there are.
func (w *Waited) limitWords(i int) string {
	l := w.log.Limits[i]
	words := fmt.Sprintf("the limit of %s %s (%s)", l.Of, l.Name, text.Plural(l.Units, w.unitOfLimits()))
	if l.Units == 0 {
		words = fmt.Sprintf("the limit of %s %s (%s)", l.Of, l.Name, text.Plural(l.Jobs, "job"))
	}
	return words + others(w.parts.AtLimit)
}

// outageWords says on which day the middle of an outage was, and how many others there are.
func (w *Waited) outageWords(i int) string {
	middle := (w.log.Outages[i].From + w.log.Outages[i].To) / 2
	when := fmt.Sprintf("on day %.0f", math.Floor(middle/86400)+1)
	if origin, _, dated := w.subject.Trace.Date(); dated {
		when = "on " + time.Unix(int64(origin+middle), 0).UTC().Format("2 January")
	}
	return when + others(w.parts.InOutage)
}

// others says how many numbers but the largest are above 0.
func others(list []float64) string {
	n := len(text.Where(list, func(x float64) bool { return x > 0 })) - 1
	if n <= 0 {
		return ""
	}
	return " and " + text.Plural(n, "other")
}

// unitOfLimits is the word for one unit of a limit.
func (w *Waited) unitOfLimits() string { return cmp.Or(w.log.Unit(), "unit") }

// limits is the table of limits, stated or found.
func (w *Waited) limits(all *waitGroup) answer.Table {
	return answer.TableOf("limits", text.Numbers(len(w.log.Limits)),
		answer.Texts("of", "whose limit: account, user, group or qos", func(i int) string { return w.log.Limits[i].Of }),
		answer.Texts("name", "of the owner", func(i int) string { return w.log.Limits[i].Name }),
		answer.Valued("units", answer.Count, "held at most", func(i int) answer.Value { return positive(w.log.Limits[i].Units) }),
		answer.Valued("jobs", answer.Count, "held at most", func(i int) answer.Value { return positive(w.log.Limits[i].Jobs) }),
		answer.Truths("stated", "by the scenario; else found in the log", func(i int) bool { return w.log.Limits[i].Stated }),
		answer.Valued("share", answer.Share, "of the waiting",
			func(i int) answer.Value { return share(w.parts.AtLimit[i] / all.seconds.Sum()) }))
}

// positive returns a count; 0 does not exist.
func positive(n int) answer.Value {
	if n == 0 {
		return answer.Value{}
	}
	return count(n)
}

// outages is the table of outages, stated or found.
func (w *Waited) outages(all *waitGroup) answer.Table {
	return answer.TableOf("outages", text.Numbers(len(w.log.Outages)),
		answer.Texts("pool", "name; none: the machine is one",
			func(i int) string { return w.log.Pools[w.log.Outages[i].Pool].Name }),
		answer.Numbered("from", answer.Time, "since the first submission", func(i int) float64 { return w.log.Outages[i].From }),
		answer.Numbered("to", answer.Time, "likewise", func(i int) float64 { return w.log.Outages[i].To }),
		answer.Numbered("units", answer.Count, "that were down", func(i int) int {
			return cmp.Or(w.log.Outages[i].Units, w.log.Pools[w.log.Outages[i].Pool].Units)
		}),
		answer.Truths("stated", "by the scenario; else found in the log", func(i int) bool { return w.log.Outages[i].Stated }),
		answer.Valued("share", answer.Share, "of the waiting",
			func(i int) answer.Value { return share(w.parts.InOutage[i] / all.seconds.Sum()) }))
}

// jobs is the table of the seconds of each job.
func (w *Waited) jobs() answer.Table {
	job := func(i int) *waits.Job { return &w.log.Jobs[i] }
	fields := []answer.Field[int]{
		answer.Texts("job", "number in the log", func(i int) string { return fmt.Sprint(job(i).ID) }),
		answer.Numbered("submit", answer.Time, "since the first submission", func(i int) float64 { return job(i).Submit }),
		answer.Numbered("width", answer.Count, "units", func(i int) int { return job(i).Width }),
		answer.Numbered("wait", answer.Time, "until it started or left", func(i int) float64 { return w.parts.Jobs[i].Sum() }),
	}
	for _, p := range waitParts {
		fields = append(fields, answer.Numbered(p.name, answer.Time, p.means,
			func(i int) float64 { return w.parts.Jobs[i][p.part] }).Titled(p.title))
	}
	return answer.TableOf("jobs", text.Numbers(len(w.log.Jobs)), fields...)
}
