package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// kind is what a sweep takes from its scenario, by whether that is of job
// classes, of a trace or of a grid.
type kind struct {
	figures      []metric.Figure
	policies     []scenario.Policy // the scenario's, else the default
	replications int
	file         string // the trace; "" where there is none
	lookup       func(name string) (policy.Spec, error)
}

// newKind decodes the scenario of a sweep.
func newKind(doc *scenario.Document) (*kind, error) {
	k := &kind{figures: figuresOf(doc)}
	switch {
	case doc.IsTrace():
		sc, err := doc.Trace(KnownPolicies())
		if err != nil {
			return nil, err
		}
		k.policies, k.replications, k.file, k.lookup = sc.Policies, sc.Replications, sc.File, LookupTracePolicy
		return k.otherwise("easy"), nil
	case doc.IsGrid():
		sc, err := doc.Grid(KnownPolicies())
		if err != nil {
			return nil, err
		}
		k.policies, k.replications = sc.Policies, sc.Replications
		k.lookup = func(name string) (policy.Spec, error) { return LookupGridPolicy(sc, name) }
		return k.otherwise("mf-edf"), nil
	}
	sc, err := doc.ClassScenario()
	if err != nil {
		return nil, err
	}
	k.replications, k.lookup = sc.Simulation.Replications, LookupPolicy
	return k.otherwise("hol"), nil
}

// otherwise gives the name of the default policy.
func (k *kind) otherwise(name string) *kind {
	if len(k.policies) == 0 {
		k.policies = []scenario.Policy{{Name: name}}
	}
	return k
}

// figuresOf returns the figures of merit of a scenario.
func figuresOf(doc *scenario.Document) []metric.Figure {
	if doc.IsTrace() || doc.IsGrid() {
		return metric.TraceFigures()
	}
	return metric.Figures()
}

func figureNames(figures []metric.Figure) []string {
	var names []string
	for _, f := range figures {
		names = append(names, f.Name)
	}
	return names
}

// sweepTables returns the policies and figures that a sweep file may name.
func sweepTables(sc *scenario.Scenario) ([]scenario.KnownPolicy, []string) {
	figures := metric.TraceFigures()
	known := KnownPolicies()
	switch {
	case sc.Trace != nil:
	case sc.Grid != nil:
		// Only the schemes for imprecise jobs serve applications.
		if sc.Grid.Batch == nil {
			known = slices.DeleteFunc(known, func(k scenario.KnownPolicy) bool { return !slices.Contains(policy.Schemes(), k.Name) })
		}
	default:
		known, figures = nil, metric.Figures()
		for _, name := range Policies() {
			known = append(known, knownPolicy(name))
		}
	}
	return known, figureNames(figures)
}

// knownPolicy describes a policy for job classes.
func knownPolicy(name string) scenario.KnownPolicy {
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
	return k
}

// fileSum returns the SHA-256 of a trace, which must be a file that can be read
// again. What is wrong with it is a *scenario.Error.
func fileSum(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	if !info.Mode().IsRegular() {
		return "", &scenario.Error{File: path, Message: "expected a regular file as the trace of a sweep"}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", unreadable(path, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", unreadable(path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// unreadable says why a file cannot be read.
func unreadable(path string, err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	return &scenario.Error{File: path, Message: err.Error()}
}
