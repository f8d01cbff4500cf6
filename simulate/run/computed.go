package run

import (
	"slices"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
)

// Computable reports why the admission of a name cannot be computed, before anything runs.
func Computable(s *subject.Subject, name string) error {
	switch name {
	case scenario.AdmitPrices:
		if p := s.Workload.Pools(); p != nil && p.Cut {
			return s.Document.Blame("prices are chosen only where the jobs of every class stay in one pool", "pools")
		}
		if !slices.ContainsFunc(s.Scenario.Classes, func(c model.Class) bool { return c.Demand != nil }) {
			return &analytic.NoDemandError{File: s.Document.File()}
		}
	case scenario.AdmitAnalytic:
		return analytic.Modeled(s)
	}
	return nil
}
