package bench

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
	files "revopt/testdata/bench"
)

// Version is the version of the benchmark: of its instances and of what a score is. The program has another one.
const Version = 3

// Family is a file of the benchmark: instances that differ by their seed, or by their part of a trace.
type Family struct {
	Name, About, Objective string // the objective is the name of one of run.Objectives
	Trace                  *Trace // nil where jobs are generated
	Scenario               string
	ProvedBy               string      `yaml:"proved_by"` // version of the program
	Instances              []*Instance // in the order of their seeds
}

// Instance is one of a family. The bound holds for every schedule if the objective is the value, which no schedule
// exceeds. The bound on waits or slowdowns holds for every schedule that runs each job once, without a stop, on units
// of its own.
type Instance struct {
	*Family `yaml:"-"`
	Name    string `yaml:"-"` // that of the family and the seed
	Seed    uint64
	Jobs    string // the part of the trace; none where jobs are generated
	Sum     string `yaml:"jobs_sha256"` // of the lines of Table
	Bound   float64
	BuiltIn string  `yaml:"built_in"`       // the best policy of revopt
	Reached float64 `yaml:"built_in_value"` // by this policy

	subject *subject.Subject
	jobs    []simulate.Job // in the order of submission
	sites   []simulate.Site
	pools   *workload.Pools // nil where the machine is one
}

// Families returns the families in the order of their names.
func Families() []*Family {
	names, _ := fs.Glob(files.Files, "*.yaml")
	return text.Each(names, func(name string) *Family {
		data, err := files.Files.ReadFile(name)
		family := &Family{}
		if err == nil {
			err = yaml.UnmarshalWithOptions(data, family, yaml.Strict())
		}
		if err != nil {
			panic("bench: " + name + ": " + err.Error())
		}
		for _, in := range family.Instances {
			in.Family, in.Name = family, fmt.Sprintf("%s-%d", family.Name, in.Seed)
		}
		return family
	})
}

// Instances returns the instances, family by family.
func Instances() []*Instance {
	return text.Join(Families(), func(f *Family) []*Instance { return f.Instances })
}

// public reports whether policies may know run times. They may where jobs have no estimates of users.
func (f *Family) public() bool {
	return f.Trace == nil && !strings.Contains(f.Scenario, "estimates: users")
}

// Goal returns the objective of a family.
func (f *Family) Goal() run.Objective {
	list := run.Objectives()
	return list[slices.IndexFunc(list, func(o run.Objective) bool { return o.Name == f.Objective })]
}

// share returns the share of the possible, at most 1.
func (in *Instance) share(value float64) float64 {
	switch {
	case !in.Goal().Smaller:
		return value / in.Bound
	case value == 0 && in.Bound == 0: // nothing waits
		return 1
	}
	return in.Bound / value
}

// Open makes the jobs of an instance. Its public trace is in the directory traces; without a directory the error is a
// *TraceError with Missing.
func (in *Instance) Open(ctx context.Context, specs []policy.Spec, traces string) error {
	doc, err := scenario.Parse(in.Name+".yaml", []byte(in.Scenario))
	if err == nil && in.Trace != nil {
		path, wrong := in.Trace.find(traces)
		if wrong != nil {
			return fmt.Errorf("%s: %w", in.Name, wrong)
		}
		doc, err = doc.With(scenario.Override{Path: "trace.file", Value: strconv.Quote(path), Source: "--traces"},
			scenario.Override{Path: "trace.jobs", Value: strconv.Quote(in.Jobs)})
	}
	if err != nil {
		return err
	}
	in.subject, err = subject.Open(ctx, doc, in.Seed, specs)
	if err != nil {
		return err
	}
	w := in.subject.Workload.Drained(int(in.subject.Workload.Size() + 0.5))
	in.sites, in.pools, in.jobs = workload.Clusters(w.Sites()), w.Pools(), nil
	source, err := w.Jobs(in.Seed, 0)
	if err != nil {
		return err
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	_, err = bound.Collect(ctx, source, func(j *simulate.Job) (none bound.Job) {
		in.jobs = append(in.jobs, *j)
		return none
	})
	return err
}

// site returns the site that a job runs in.
func (in *Instance) site(j *simulate.Job) int {
	if in.pools == nil {
		return 0
	}
	return in.pools.Sections[j.Class].Pool
}

// Table lists the jobs, the names of the columns first; units are those of the machine, or of the pool.
// Numbers have 12 digits, so that all processors write the same ones.
func (in *Instance) Table() [][]string {
	rows := [][]string{{"job", "submit", "width", "runtime", "estimate", "deadline", "price", "decay", "max_penalty",
		"hard", "user", "pool", "units"}}
	number := func(x float64, known bool) string {
		if !known || math.IsInf(x, 0) {
			return ""
		}
		return strconv.FormatFloat(x, 'g', 12, 64)
	}
	for i := range in.jobs {
		j, pool := &in.jobs[i], ""
		if in.pools != nil {
			pool = in.pools.List[in.site(j)].Name
		}
		d, v, pays := j.Spec.Details, j.Value, j.Value.Price > 0
		rows = append(rows, []string{
			strconv.Itoa(i), number(j.Submit, true), strconv.Itoa(j.Width), number(j.Work, true),
			number(d.Estimate, d.Estimate > 0), number(j.Submit+v.Due, pays), number(v.Price, pays),
			number(v.Decay, pays), number(v.Floor, pays), strconv.FormatBool(v.Hard), strconv.Itoa(d.User), pool,
			strconv.Itoa(in.sites[in.site(j)].Processors),
		})
	}
	return rows
}
