package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/plots"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	"revopt/simulate/bench"
	lab "revopt/simulate/run"
)

func (p *program) benchCommand() *cli.Command {
	traces := stringFlag("traces", "`DIR` directory of the public traces that some instances need")
	common := func(csv string) []cli.Flag {
		return append(answerFlags(csv), traces, workersFlag("policies"), quietFlag("progress"))
	}
	return &cli.Command{Name: "bench", Subcommands: []*cli.Command{
		{Name: "list", Action: p.benchList, Flags: append(answerFlags("the families"), quietFlag("progress"))},
		{Name: "jobs", Action: p.benchJobs, Flags: []cli.Flag{traces,
			outFlag("`FILE` write to a file, not to standard output")}},
		{Name: "run", Action: p.benchRun, Flags: append(
			slices.Concat(common("the scores"), journalFlags("instances"), engineFlags()),
			listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable"), execFlags()[1], saveFlag(),
			stringFlag("schedule",
				"`DIR` write schedules for bench check: DIR/INSTANCE.csv, by policy if there are several"))},
		{Name: "check", Action: p.benchCheck, Flags: append(answerFlags("the faults"), traces,
			stringFlag("instance", "`NAME` instance (default the name of the file, without .csv or .csv.gz)"),
			boolFlag("causal", "test whether the policies of --policy know the future, in place of a schedule"),
			listFlag("policy", "`LIST` policies by commas; with --causal"), execFlags()[1],
			seedFlag("the random jobs"))},
		{Name: "found", Action: p.benchFound, Flags: append(answerFlags("the schedules"), traces,
			presetFlag("found", "100000", "`N|60s` moves or time of the search for each instance"),
			outFlag("`FILE` write the schedule of one instance, for bench check"))},
		{Name: "verify", Action: p.benchVerify, Flags: common("the proofs")},
		{Name: "table", Action: p.benchTable, Flags: append(answerFlags("the ranks"),
			presetFlag("against", "easy", "`P` policy that differences are to"),
			outFlag("`FILE` document to write the tables to, between <!-- bench --> and <!-- end -->"))},
	}}
}

// benchInstances returns the named instances and those of the named families, all where none is named.
func benchInstances(names []string) ([]*bench.Instance, error) {
	all := bench.Instances()
	var known []string
	for _, in := range all {
		if in == in.Instances[0] {
			known = append(known, in.Family.Name)
		}
		known = append(known, in.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, usagef("unknown instance %q%s", name, suggest(name, known, "revopt bench list"))
		}
	}
	wanted := func(in *bench.Instance) bool {
		return len(names) == 0 || slices.Contains(names, in.Name) || slices.Contains(names, in.Family.Name)
	}
	return text.Where(all, wanted), nil
}

func (p *program) openInstance(c *cli.Context, name string) (*bench.Instance, error) {
	list, err := benchInstances([]string{name})
	if err != nil {
		return nil, err
	}
	if len(list) > 1 {
		return nil, usagef("%s is a family; expected an instance, such as %s", name, list[0].Name)
	}
	in := list[0]
	err = in.Open(c.Context, p.specs, c.String("traces"))
	return in, traceUsage(err)
}

func (p *program) benchList(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	return p.tell(c, p.sign(ask.BenchList(bench.Families(), bench.BestKnown())))
}

// traceUsage makes a trace that is missing, or another one, an error of use.
func traceUsage(err error) error {
	var trace *bench.TraceError
	if errors.As(err, &trace) {
		return usagef("%s", err)
	}
	return err
}

func (p *program) benchJobs(c *cli.Context) error {
	if err := exactly(c, "NAME"); err != nil {
		return err
	}
	in, err := p.openInstance(c, c.Args().First())
	if err != nil {
		return err
	}
	write := func(w io.Writer) error {
		return text.WriteCSV(w, p.provenance(in.Name, nil), func(add func(cells ...any)) {
			for _, row := range in.Table() {
				add(row)
			}
		})
	}
	if c.IsSet("out") {
		return flagFile(c, "out", write)()
	}
	return write(p.stdout)
}

// benchWork returns what of the benchmark the command line names.
func (p *program) benchWork(c *cli.Context) (*bench.Run, error) {
	instances, err := benchInstances(c.Args().Slice())
	if err != nil {
		return nil, err
	}
	return &bench.Run{Instances: instances, Specs: p.specs, Traces: c.String("traces"),
		Options: lab.Options{Workers: c.Int("workers")}}, nil
}

// benchScores runs what is asked for.
func (p *program) benchScores(c *cli.Context, work *bench.Run) ([]bench.Score, error) {
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	work.Progress = show.Show
	list, err := work.Run(c.Context)
	show.Clear()
	if list == nil {
		return nil, p.stopped(c, traceUsage(err))
	}
	return list, err
}

// benchVerify proves bounds again.
func (p *program) benchVerify(c *cli.Context) error {
	work, err := p.benchWork(c)
	if err != nil {
		return err
	}
	work.Prove = true
	list, err := p.benchScores(c, work)
	if err != nil {
		return err
	}
	err = p.tell(c, p.sign(ask.BenchProofs(list)))
	for _, s := range list {
		if s.Why == bench.Differs {
			err = errors.Join(err, &shortError{s.Name + " " + s.Policy + " differs from what is stored"})
		}
	}
	return err
}

// benchRun scores policies.
func (p *program) benchRun(c *cli.Context) error {
	work, err := p.benchWork(c)
	if err != nil {
		return err
	}
	given, all := ask.WithoutAll(c.StringSlice("policy")...)
	work.All = all
	if len(given) == 0 && !all {
		return usagef("bench run: expected --policy LIST")
	}
	if len(given) > 0 {
		work.Policies, err = ask.ParsePolicies(p.specs, given...)
		if err != nil {
			return err
		}
	}
	at, err := p.placed(c, "")
	if err != nil {
		return err
	}
	done, err := p.benchStore(c, work, at)
	if !done || err != nil {
		return err
	}
	defer work.Options.Store.Close()
	list, err := p.benchScores(c, work)
	if list == nil || !at.shard.Whole() {
		return errors.Join(err, p.benchShard(c, work, at))
	}
	work.Mark(c.Context, list)
	a := p.sign(ask.BenchScores(list))
	save := flagFile(c, "save", a.WriteJSON)
	schedules := func() error { return p.writeSchedules(c, work, list) }
	return errors.Join(p.tell(c, a, save, schedules), err, work.Options.Store.Close())
}

// benchStore opens the store of the work, after array jobs have run it if that is asked for. It reports whether there
// is something to run or print here.
func (p *program) benchStore(c *cli.Context, work *bench.Run, s placement) (done bool, err error) {
	if s.slurm != nil {
		if err := os.MkdirAll(s.dir, 0o777); err != nil {
			return false, err
		}
		done, err := p.submit(c, s, len(work.Instances), func(ctx context.Context) (int, []lab.Case, error) {
			return p.benchMissing(ctx, work, s)
		})
		if !done || err != nil {
			return false, err
		}
	}
	if s.dir == "" {
		work.Options.Store = &lab.Store{}
		return true, nil
	}
	work.Options.Shard, work.Options.Kept = s.shard, false
	work.Options.Store, err = lab.OpenStore(s.dir, lab.StoreOptions{Shard: s.shard, Build: s.build})
	return err == nil, err
}

// benchMissing returns how many records the journal has, and the instances that lack some.
func (p *program) benchMissing(ctx context.Context, work *bench.Run, s placement) (int, []lab.Case, error) {
	store, err := lab.OpenStore(s.dir, lab.StoreOptions{Build: s.build, ReadOnly: true})
	if err != nil {
		return 0, nil, err
	}
	look := *work
	look.Options.Store, look.Options.Kept, look.Options.Shard = store, true, workdir.Shard{}
	missing, err := look.Missing(ctx)
	return store.Len(), missing, traceUsage(err)
}

// benchShard prints how far the work is after a shard.
func (p *program) benchShard(c *cli.Context, work *bench.Run, s placement) error {
	if err := work.Options.Store.Close(); err != nil || s.shard.Whole() {
		return err
	}
	_, missing, err := p.benchMissing(c.Context, work, s)
	if err != nil {
		return err
	}
	n := len(work.Instances)
	return p.shardFinished(s, n-len(missing), text.Plural(n, "instance"))
}

// writeSchedules writes the schedules of scores to the directory of --schedule.
func (p *program) writeSchedules(c *cli.Context, work *bench.Run, list []bench.Score) error {
	dir := c.String("schedule")
	if dir == "" {
		return nil
	}
	folders := map[string]string{} // by label
	return work.Schedules(c.Context, list, func(s bench.Score, pieces []bench.Piece) error {
		folder, known := folders[s.Policy]
		if !known && (work.All || len(work.Policies) > 1) {
			folder = folderName(s.Policy)
			for taken := slices.Collect(maps.Values(folders)); slices.Contains(taken, folder); {
				folder += "-2"
			}
		}
		folders[s.Policy] = folder
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o777); err != nil {
			return err
		}
		extra := plots.Pair{Key: "policy", Value: s.Policy}
		return safefile.Write(filepath.Join(dir, folder, s.Name+".csv"), func(w io.Writer) error {
			return text.WriteCSV(w, p.provenance(s.Name, nil, extra), pieceRows(pieces))
		})
	})
}

// pieceRows are the lines of a schedule that bench check reads.
func pieceRows(pieces []bench.Piece) text.Rows {
	return func(add func(cells ...any)) {
		add("job", "start", "end")
		for _, x := range pieces {
			add(x.Job, x.Start, x.End)
		}
	}
}

// benchFound searches schedules of instances that know the future.
func (p *program) benchFound(c *cli.Context) error {
	effort, err := ask.ParseEffort(c.String("found"))
	if err != nil {
		return err
	}
	instances, err := benchInstances(c.Args().Slice())
	if err != nil {
		return err
	}
	if c.IsSet("out") && len(instances) != 1 {
		return usagef("bench found: expected one instance with --out")
	}
	var list []bench.Found
	for _, in := range instances {
		if err := in.Open(c.Context, p.specs, c.String("traces")); err != nil {
			return traceUsage(err)
		}
		f, err := in.Find(c.Context, effort)
		if err != nil {
			return err
		}
		list = append(list, *f)
	}
	write := func() error { return nil }
	if c.IsSet("out") {
		write = flagFile(c, "out", func(w io.Writer) error {
			policy := plots.Pair{Key: "policy", Value: list[0].Policy}
			return text.WriteCSV(w, p.provenance(list[0].Name, nil, policy), pieceRows(list[0].Pieces))
		})
	}
	return p.tell(c, p.sign(ask.BenchFound(list)), write)
}

// folderName returns a label as the name of a folder.
func folderName(label string) string {
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("+$=.,:-_", r) || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, label)
	return strings.TrimLeft(name[:min(len(name), 100)], ".-")
}

func (p *program) benchCheck(c *cli.Context) error {
	if c.Bool("causal") {
		return p.benchCausal(c)
	}
	if err := exactly(c, "SCHEDULE.csv"); err != nil {
		return err
	}
	file := c.Args().First()
	in, err := p.openInstance(c, cmp.Or(c.String("instance"), strings.TrimSuffix(strings.TrimSuffix(filepath.Base(file), ".gz"), ".csv")))
	if err != nil {
		return err
	}
	result, err := loaded(c.Context, file, in.Check)
	if err != nil {
		return err
	}
	err = p.tell(c, p.sign(ask.BenchCheck(result)))
	if !result.Valid {
		err = errors.Join(err, &shortError{text.OneLine(file) + ": not a valid schedule of " + in.Name})
	}
	return err
}

// benchCausal tests whether policies know the future.
func (p *program) benchCausal(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	policies, err := ask.ParsePolicies(p.specs, c.StringSlice("policy")...)
	if err != nil {
		return err
	}
	if len(policies) == 0 {
		return usagef("bench check --causal: expected --policy LIST")
	}
	const workloads, cuts = 10, 20
	var list []bench.Verdict
	var wrong error
	for _, chosen := range policies {
		v, err := bench.Judge(c.Context, chosen, c.Uint64("seed"), workloads, cuts)
		if err != nil {
			return err
		}
		if v.Found != nil {
			wrong = errors.Join(wrong, &shortError{v.Policy + ": " + v.Word})
		}
		list = append(list, v)
	}
	return errors.Join(p.tell(c, p.sign(ask.BenchCausal(list, workloads, cuts))), wrong)
}

func (p *program) benchTable(c *cli.Context) error {
	var list []bench.Score
	for _, file := range c.Args().Slice() {
		more, err := loaded(c.Context, file, func(r io.Reader) ([]bench.Score, error) {
			a, err := answer.Read(r)
			if err != nil {
				return nil, err
			}
			return ask.ReadScores(a)
		})
		if err != nil {
			return err
		}
		list = append(list, more...)
	}
	facts, err := bench.NewStandings(list, c.String("against"))
	if err != nil {
		return usagef("%s", err)
	}
	a := p.sign(ask.BenchTable(facts))
	return p.tell(c, a, func() error { return writeBetween(c.String("out"), ask.BenchMarkdown(a)) })
}

// writeBetween puts a text between the marks of a document.
func writeBetween(path, words string) error {
	if path == "" {
		return nil
	}
	data, _ := os.ReadFile(path)
	before, rest, marked := strings.Cut(string(data), "<!-- bench -->")
	_, after, ended := strings.Cut(rest, "<!-- end -->")
	if !marked || !ended {
		return usagef("--out: expected a document with <!-- bench --> and <!-- end -->")
	}
	return writeFile(path, []byte(before+"<!-- bench -->\n"+words+"<!-- end -->"+after))
}
