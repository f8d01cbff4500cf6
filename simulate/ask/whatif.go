package ask

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// checkWhatIf finds faults of a request for a what-if that need no scenario.
func (r Request) checkWhatIf() error {
	if len(r.Changes) == 0 {
		return Usagef("whatif: expected --change, such as --change nodes=+16, growth=20%%, policy=value-bf " +
			"or admission=simulated")
	}
	o, err := r.readObjective()
	if err == nil && o.Smaller && (len(r.Costs) > 0 || r.Life != "") {
		return Usagef("--objective %s: expected no --cost and no --life: %s has no price", o.Name, o.Name)
	}
	return err
}

// WhatIf asks what changes bring: it compares a scenario as it is with the same after each change alone, then after all
// together.
//
// Replication k of every row draws the same random numbers, so that the difference of two rows is that of the change
// and not of luck, also where the change is one of the workload. After an interruption the answer is of the replications
// that are whole, and the error says why it ended.
func WhatIf(ctx context.Context, l *run.Lab, r Request) (*Comparison, error) {
	r.Command = "whatif"
	q, err := r.settings()
	if err != nil {
		return nil, err
	}
	w, err := newWhatIf(ctx, l, q)
	if err != nil {
		return nil, err
	}
	if err := w.measure(ctx); err != nil {
		return nil, err
	}
	if err := w.addTogether(ctx); err != nil {
		return nil, err
	}
	w.sort()
	w.Columns = w.columns()
	done := context.WithoutCancel(ctx)
	tables := slices.Concat(w.groupTables(nil), w.admitted(), w.cleaning())
	w.noted = append(w.noted, w.ofChanges()...)
	w.Answer = w.answer(done, tables...)
	w.setHeadline()
	w.Answer.Warnings = append(w.Answer.Warnings, w.named()...)
	return w.Comparison, cmp.Or(w.broken, w.failed())
}

// whatIf is a comparison whose rows are the scenario as it is, the schedule of the log and changes.
type whatIf struct {
	*Comparison
	now        subject.Policy
	admission  run.Admission // before the changes
	costs      costs
	of         map[string]*changed // by the label of a row
	unrecorded string              // why the schedule of a log is left out; "": it is not, or there is none
	excluded   []answer.Fact       // changes that are not made together
}

// changed is a row of a what-if.
type changed struct {
	change
	subject *subject.Subject
	cost    float64 // $/h, of the units that it adds; 0: none, or not known
	costed  bool
}

// asItIs is the label of the scenario without a change.
const asItIs = "as it is"

// newWhatIf reads the changes and opens their rows. It finds whatever is wrong with them before anything runs.
func newWhatIf(ctx context.Context, l *run.Lab, q settings) (*whatIf, error) {
	w := &whatIf{Comparison: &Comparison{settings: q, Table: "changes", Lab: l},
		of: map[string]*changed{}}
	s := l.Subject()
	err := s.OneProvider(w.Command)
	if err != nil {
		return nil, err
	}
	if err := w.setBefore(s); err != nil {
		return nil, err
	}
	w.costs, err = q.costs(s)
	if err != nil {
		return nil, err
	}
	changes, err := w.parse()
	if err != nil {
		return nil, err
	}
	if err := w.add(ctx, change{name: asItIs}); err != nil {
		return nil, err
	}
	if !w.now.RepeatsLog() {
		var log *subject.Policy
		log, w.unrecorded = run.RecordedPolicy(s, q.resampling())
		if log != nil {
			everybody := run.Admission{Name: scenario.AdmitAll}
			err = w.add(ctx, change{name: subject.Recorded, policy: replacing(*log), admission: &everybody})
		}
	}
	for _, c := range changes {
		if err == nil {
			err = w.add(ctx, c)
		}
	}
	w.Subject = w.of[asItIs].subject
	w.Keys = []Column{changeColumn(), policyColumn(), w.admissionColumn().Hidden()}
	return w, err
}

// setBefore sets policy and admission before the changes.
func (w *whatIf) setBefore(s *subject.Subject) error {
	w.admission = run.Admission{Name: scenario.AdmitAll}
	if len(w.Admission) > 0 {
		one, err := OneAdmission(s, strings.Join(w.Admission, ","))
		if err != nil {
			return err
		}
		w.admission = run.Admission{Name: one.Name, Admit: one.Admit}
	}
	policies, err := s.Policies()
	if len(w.Policies) > 0 {
		policies, err = ParsePolicies(w.Lab.Specs(), w.Policies...)
		if err == nil && len(policies) > 1 {
			return Usagef("--policy: expected one policy, got %d: --change policy=A,B tries others",
				len(policies))
		}
	}
	if err != nil {
		return err
	}
	w.now = policies[0]
	return nil
}

// parse reads the changes, each of which has a name of its own.
func (w *whatIf) parse() (all []change, err error) {
	for _, arg := range w.Changes {
		list, err := parseChange(w.Lab, w.now, arg)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if slices.ContainsFunc(all, func(o change) bool { return o.name == c.name }) {
				return nil, Usagef("--change: %s is given twice", c.name)
			}
			all = append(all, c)
		}
	}
	has := func(what string) bool {
		return slices.ContainsFunc(all, func(o change) bool { return o.choice == what })
	}
	if has("load") && has("growth") {
		return nil, Usagef("--change load: expected no growth beside it, as both say how many jobs come")
	}
	return all, nil
}

// costs returns the costs of added units, nil if none are given.
func (q settings) costs(s *subject.Subject) (costs, error) {
	if q.Costs == nil && q.Life == "" {
		return nil, nil
	}
	list := q.Costs
	if list == nil {
		list = []string{""}
	}
	all, err := parseCosts(s, list)
	if err != nil {
		return nil, Usagef("--cost: %s", err)
	}
	all, err = all.over(q.Life)
	if err != nil {
		return nil, Usagef("--life: %v", err)
	}
	return all, nil
}

// add adds the row of a change.
func (w *whatIf) add(ctx context.Context, c change) error {
	l := w.Lab
	p, admission := w.now, w.admission
	var err error
	if c.policy != nil {
		p, err = c.policy(p)
	}
	if err != nil {
		return err
	}
	if c.admission != nil {
		admission = *c.admission
	}
	do, err := l.Policy(p)
	if err != nil {
		return err
	}
	set := slices.Clone(c.set)
	if c.growth != 0 {
		all := fmt.Sprintf("%.15g", (1+l.Subject().Scenario.Growth)*(1+c.growth)-1)
		set = append(set, scenario.Override{Path: "growth", Value: all, Source: "--change " + c.name})
	}
	if err := checkChange(l.Subject(), set); err != nil {
		return err
	}
	it := l.Base().With(true, text.Each(set, scenario.Override.String)...)
	it.Do, it.Admission = do, admission
	it.Detail = run.Detail{Customers: true, Waits: true}
	it.Jobs = run.Jobs{Weeks: w.Resample, Span: w.settings.span}
	row := &changed{change: c}
	row.subject, err = l.SubjectOf(ctx, it)
	if err != nil {
		return err
	}
	if err := w.priced(row.subject); err != nil {
		return err
	}
	row.cost, row.costed = w.costs.of(l.Subject(), row.subject)
	w.of[c.name] = row
	w.Rows = append(w.Rows, Row{Label: c.name, Policy: p, Case: it})
	return nil
}

// checkChange refuses a change that the scenario cannot have. The error names the change.
func checkChange(s *subject.Subject, set []scenario.Override) error {
	if set == nil {
		return nil
	}
	doc, err := s.Document.Settled().With(set...)
	if err == nil {
		_, err = doc.Scenario(nil)
	}
	return err
}

// measure runs the rows and says which of them are compared with the present.
func (w *whatIf) measure(ctx context.Context) error {
	w.Present = 0
	if err := w.run(ctx); err != nil {
		return err
	}
	if w.Present < 0 {
		return &NoReplicationError{cmp.Or(w.broken, w.failed())}
	}
	now := w.Rows[w.Present].Case
	for i := range w.Rows {
		r := &w.Rows[i]
		gain, known := w.gain(*r).Mean()
		unlike := w.frame.RunsFewer(r.Case, now) && gain >= 0 || w.frame.RunsFewer(now, r.Case) && gain < 0
		r.compared = known && !r.Policy.RepeatsLog() && !(w.objective.Smaller && unlike)
	}
	return nil
}

// worth returns what a change brings after the cost of its units, as far as that is known.
func (w *whatIf) worth(r Row) run.Series {
	return w.gain(r).Less(run.Constant(w.of[r.Label].cost))
}

// betterThan reports whether a change brings more than another without harm, or is the one that harms nobody.
func (w *whatIf) betterThan(a, b Row) bool {
	if safe := len(a.harmed) == 0; safe != (len(b.harmed) == 0) {
		return safe
	}
	x, known := w.worth(a).Mean()
	y, other := w.worth(b).Mean()
	if !known || !other {
		return known
	}
	return x > y
}

// byMerit compares by what changes bring, the best first.
func (w *whatIf) byMerit(a, b Row) int {
	switch {
	case w.betterThan(a, b):
		return -1
	case w.betterThan(b, a):
		return 1
	}
	return 0
}

// changes returns the rows of changes alone, in the order in which they were asked for.
func (w *whatIf) changes() []Row {
	return text.Where(w.Rows, func(r Row) bool { return w.of[r.Label].choice != "" })
}

// together returns the change that is all of them but those that others exclude, and whether it is another than each
// alone.
func (w *whatIf) together() (change, bool) {
	all := change{name: "all together"}
	made, groups := w.chosen()
	for _, group := range groups {
		all.name += ", " + group[0].Label
		w.exclude(group, len(made) > 1)
	}
	growth := 1.0
	for _, r := range made {
		c := w.of[r.Label].change
		all.set = append(all.set, c.set...)
		growth *= 1 + c.growth
		all.admission = cmp.Or(c.admission, all.admission)
	}
	all.growth = growth - 1
	all.policy = func(p subject.Policy) (subject.Policy, error) { return w.inTurn(p, made...) }
	return all, len(made) > 1
}

// chosen returns the changes that are made together, in the order in which they were asked for. The change that brings
// most without harm comes first. It excludes changes of the same choice and policies that cannot have it: these are
// groups, whose first change is made.
func (w *whatIf) chosen() (made []Row, groups [][]Row) {
	list := slices.Clone(w.changes())
	slices.SortStableFunc(list, w.byMerit)
	excluded := map[string][]Row{}
	for _, r := range list {
		if by := w.excluder(made, r); by != "" {
			excluded[by] = append(excluded[by], r)
		} else {
			made = append(made, r)
		}
	}
	for _, r := range made {
		if excluded[r.Label] != nil {
			groups = append(groups, append([]Row{r}, excluded[r.Label]...))
		}
	}
	asked := func(r Row) int {
		return slices.IndexFunc(w.Rows, func(other Row) bool { return other.Label == r.Label })
	}
	slices.SortFunc(made, func(a, b Row) int { return cmp.Compare(asked(a), asked(b)) })
	return made, groups
}

// excluder returns which of some changes excludes another one, "" if none does.
func (w *whatIf) excluder(made []Row, r Row) string {
	cannot := func(rows ...Row) bool {
		_, err := w.inTurn(w.now, rows...)
		return err != nil
	}
	for _, k := range made {
		if w.of[k.Label].choice == w.of[r.Label].choice || cannot(k, r) {
			return k.Label
		}
	}
	if cannot(append(slices.Clone(made), r)...) {
		return made[0].Label
	}
	return ""
}

// inTurn returns a policy after the changes of rows.
func (w *whatIf) inTurn(p subject.Policy, rows ...Row) (subject.Policy, error) {
	return inTurn(p, text.Each(rows, func(r Row) change { return w.of[r.Label].change }))
}

// exclude notes that changes exclude each other. Where none are made together, that goes without saying for policies
// and for admissions.
func (w *whatIf) exclude(group []Row, together bool) {
	obvious := func(r Row) bool {
		choice := w.of[r.Label].choice
		return choice == w.of[group[0].Label].choice && (choice == changePolicy || choice == changeAdmission)
	}
	if !together && obvious(group[len(group)-1]) {
		return
	}
	names := text.Each(group, func(r Row) string { return r.Label })
	f := answer.New("EXCLUDED", answer.Word(strings.Join(names, ", ")).As("changes"))
	if together {
		f.Values = append(f.Values, answer.Word(names[0]).As("made"))
	}
	w.excluded = append(w.excluded, f)
}

// addTogether runs all changes together, if they are several. If that is interrupted, what is known stays.
func (w *whatIf) addTogether(ctx context.Context) error {
	all, several := w.together()
	if !several || w.broken != nil {
		return nil
	}
	before := *w.Comparison
	err := w.add(ctx, all)
	if err == nil {
		err = w.measure(ctx)
	}
	if ctx.Err() == nil {
		return err
	}
	*w.Comparison = before
	w.broken = ctx.Err()
	return nil
}

// mostInOrder is how many changes stand in the order in which they were asked for. More stand by what they bring.
const mostInOrder = 6

// sort sorts many changes, the best first. Those that harm somebody come last.
func (w *whatIf) sort() {
	if len(w.changes()) <= mostInOrder {
		return
	}
	rank := func(r Row) int {
		switch {
		case w.isPresent(r):
			return 0
		case r.Policy.RepeatsLog():
			return 1
		}
		return 2
	}
	slices.SortStableFunc(w.Rows, func(a, b Row) int {
		if order := cmp.Compare(rank(a), rank(b)); order != 0 || rank(a) < 2 {
			return order
		}
		return w.byMerit(a, b)
	})
	w.Present = 0
}

// best returns the change that brings most without harm, else the present. Policies that the site runs come before
// those that need a plug-in, and no site runs those of research.
func (w *whatIf) best() Row {
	best := w.Rows[w.Present]
	for _, r := range w.Rows {
		x, known := w.worth(r).Mean()
		switch {
		case w.isPresent(r) || !r.compared || !known || !(x > 0) || len(r.harmed) > 0:
		case w.beyond(r):
		case w.isPresent(best) || w.here(r) && !w.here(best) || w.here(r) == w.here(best) && w.betterThan(r, best):
			best = r
		}
	}
	return best
}

// setHeadline names the best change.
func (w *whatIf) setHeadline() {
	best := w.best()
	mean, _ := w.series(best).Mean()
	gains := func(r Row) bool {
		x, known := w.worth(r).Mean()
		return r.compared && known && x > 0
	}
	harmful := slices.ContainsFunc(w.Rows, func(r Row) bool { return gains(r) && len(r.harmed) > 0 })
	research := slices.ContainsFunc(w.Rows, func(r Row) bool { return gains(r) && len(r.harmed) == 0 && w.beyond(r) })
	switch {
	case !w.isPresent(best):
		w.Answer.Headline = w.bestChange(best)
	case harmful && !research:
		w.Answer.Headline = answer.New("NO_WINNER")
	default:
		w.Answer.Headline = answer.New("PRESENT_IS_BEST",
			answer.Named{Name: "policy", Value: answer.Word(best.Policy.Label())},
			answer.Named{Name: "value", Value: answer.Exactly(w.unit(), mean)})
		if research {
			site := answer.Word(policy.Slurm.String())
			w.Answer.Headline.Values = append(w.Answer.Headline.Values, site.As("runs_on"))
		}
	}
	w.Answer.Values = slices.DeleteFunc(w.Answer.Values, func(v answer.Named) bool { return v.Name == "best" })
	w.Answer.Values = append(w.Answer.Values, answer.Named{Name: "best", Value: answer.Word(best.Label)})
}

// beyond reports whether a row needs what no scheduler has, unless the present does, too.
func (w *whatIf) beyond(r Row) bool { return !w.here(r) && r.e.Where() == policy.Research }

// bestChange is the headline on a change.
func (w *whatIf) bestChange(r Row) answer.Fact {
	row := w.of[r.Label]
	gain, _ := w.gain(r).Mean()
	f := answer.New("BEST_CHANGE", answer.Named{Name: "change", Value: answer.Word(r.Label)},
		answer.Named{Name: "gain", Value: answer.Exactly(w.unit(), gain)})
	add := func(name string, v answer.Value) { f.Values = append(f.Values, answer.Named{Name: name, Value: v}) }
	net, _ := w.worth(r).Mean()
	more := func(other Row) bool {
		x, known := w.worth(other).Mean()
		return other.compared && known && x > net && len(other.harmed) == 0 && !w.here(other)
	}
	if w.here(r) && slices.ContainsFunc(w.Rows, more) {
		add("runs_on", answer.Word(w.Rows[w.Present].e.Where().String()))
	}
	switch {
	case row.costed:
		add("net", answer.Exactly(w.unit(), net))
	case len(moreUnits(w.Lab.Subject(), row.subject)) > 0 && !w.objective.Smaller:
		add("before", answer.Word("before costs"))
	}
	if !w.here(r) {
		add("needs", answer.Word(r.Policy.Label()))
	}
	if i := w.frame.Estimate(w.worth(r)); i.N > 1 && i.Contains(0) {
		add("chance", w.estimate(w.unit(), w.worth(r)))
	}
	return f
}
