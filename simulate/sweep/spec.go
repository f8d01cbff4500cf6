package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// Spec is a sweep in full: all that its results depend on. Its JSON is the name
// of the work in journals, so that a journal says by itself what it holds, and
// two sweeps are the same where their JSON is.
type Spec struct {
	Format       int                  `json:"format"`
	Scenario     string               `json:"scenario"` // the text of the file
	TraceSum     string               `json:"trace_sha256,omitempty"`
	Set          []Setting            `json:"set,omitempty"`
	Vary         []scenario.Axis      `json:"vary,omitempty"`
	Admissions   []scenario.Admission `json:"admissions"`
	Policies     []PolicyChoice       `json:"policies"`
	Seed         uint64               `json:"seed"`
	Replications int                  `json:"replications"`
	Metrics      []string             `json:"metrics"`
	Classes      bool                 `json:"classes"`

	file string // of the scenario, for messages and relative paths
}

// Setting is an override that holds at every point.
type Setting struct {
	Path  string `json:"path"`
	Value string `json:"value"`
}

// PolicyChoice is a policy with all its options.
type PolicyChoice struct {
	Name    string          `json:"name"`
	Options policy.Settings `json:"options"`
}

// specFormat changes when the same spec no longer gives the same journal.
const specFormat = 1

// ReadSpec reads a sweep file. What is wrong with it is a *scenario.Error.
func ReadSpec(path string) (*Spec, error) {
	file, err := scenario.ReadSweep(path, sweepTables)
	if err != nil {
		return nil, err
	}
	s := &Spec{
		Format: specFormat, Scenario: string(file.Scenario.Source()), Vary: file.Vary, Admissions: file.Admissions, Seed: file.Seed,
		Replications: file.Replications, Metrics: file.Metrics, Classes: file.Classes, file: file.Scenario.File(),
	}
	for _, o := range file.Set {
		s.Set = append(s.Set, Setting{o.Path, o.Value})
	}
	base, err := s.document()
	if err != nil {
		return nil, err
	}
	if base.IsTrace() {
		err = s.completeTrace(base, file.Policies)
	} else {
		err = s.completeClasses(base, file.Policies)
	}
	return s, err
}

// completeClasses fills in what the file leaves to the scenario.
func (s *Spec) completeClasses(base *scenario.Document, given []scenario.Policy) error {
	sc, err := base.Scenario()
	if err != nil {
		return err
	}
	if len(given) == 0 {
		given = []scenario.Policy{{Name: "hol"}}
	}
	s.defaults(sc.Simulation.Replications, metric.Figures())
	return s.resolve(given, LookupPolicy)
}

// completeTrace is completeClasses for a trace, whose file counts as part of
// the sweep.
func (s *Spec) completeTrace(base *scenario.Document, given []scenario.Policy) error {
	sc, err := base.Trace(KnownPolicies())
	if err != nil {
		return err
	}
	if len(given) == 0 {
		given = sc.Policies
	}
	if len(given) == 0 {
		given = []scenario.Policy{{Name: "easy"}}
	}
	s.defaults(sc.Replications, metric.TraceFigures())
	if sc.File != scenario.SP2Like {
		if s.TraceSum, err = fileSum(sc.File); err != nil {
			return err
		}
	}
	return s.resolve(given, LookupTracePolicy)
}

func (s *Spec) defaults(replications int, figures []metric.Figure) {
	if s.Replications == 0 {
		s.Replications = replications
	}
	if s.Metrics == nil {
		s.Metrics = figureNames(figures)
	}
}

// resolve gives every policy all its options.
func (s *Spec) resolve(given []scenario.Policy, lookup func(string) (policy.Spec, error)) error {
	for _, g := range given {
		spec, err := lookup(g.Name)
		if err != nil {
			return err
		}
		options, err := spec.Resolve(policy.Settings(g.Options))
		if err != nil {
			return err
		}
		s.Policies = append(s.Policies, PolicyChoice{g.Name, options})
	}
	return nil
}

// document returns the scenario with what holds at every point.
func (s *Spec) document() (*scenario.Document, error) {
	doc, err := scenario.Parse(s.file, []byte(s.Scenario))
	if err != nil {
		return nil, err
	}
	var list []scenario.Override
	for _, o := range s.Set {
		list = append(list, scenario.Override{Path: o.Path, Value: o.Value, Source: "set " + o.Path + "=" + o.Value})
	}
	return doc.With(list...)
}

// work returns the name of the work.
func (s *Spec) work() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic("sweep: " + err.Error())
	}
	return string(text)
}

// Hash returns a short name of the sweep that no other has.
func (s *Spec) Hash() string {
	sum := sha256.Sum256([]byte(s.work()))
	return hex.EncodeToString(sum[:8])
}

// parseSpec reads the name of the work of a journal.
func parseSpec(work []byte) (*Spec, error) {
	var s Spec
	if err := json.Unmarshal(work, &s); err != nil || s.Format != specFormat || s.work() != string(work) {
		return nil, fmt.Errorf("the journal is not that of a sweep, or of another version")
	}
	s.file = "scenario of the sweep"
	return &s, nil
}

func figureNames(figures []metric.Figure) []string {
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// fileSum returns the SHA-256 of a file.
func fileSum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sweepTables returns the policies and figures that a sweep file may name.
func sweepTables(trace bool) ([]scenario.KnownPolicy, []string) {
	if trace {
		return KnownPolicies(), figureNames(metric.TraceFigures())
	}
	var known []scenario.KnownPolicy
	for _, name := range Policies() {
		spec, err := LookupPolicy(name)
		if err != nil {
			panic("sweep: " + err.Error())
		}
		k := scenario.KnownPolicy{Name: name, Check: func(option, value string) error {
			if _, err := spec.Resolve(policy.Settings{option: value}); err != nil {
				return fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "policy: "))
			}
			return nil
		}}
		for _, o := range spec.Options {
			k.Options = append(k.Options, o.Name)
		}
		known = append(known, k)
	}
	return known, figureNames(metric.Figures())
}
