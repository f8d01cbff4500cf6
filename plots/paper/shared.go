package paper

import (
	"slices"
	"sync"

	"revopt/simulate/sweep"
)

// Shared keeps the results of sweeps that several figures draw from. Recipes
// that are built with one Shared run a common sweep once; the figures are the
// same as without it. The zero value is empty and ready for use.
type Shared struct {
	mu       sync.Mutex
	found    map[string]*sweep.Results // by the hash of the sweep
	journals []string
}

// results returns the results of a sweep, which run makes where nobody has
// asked for them before. What failed is forgotten.
func (s *Shared) results(spec *sweep.Spec, run func() (*sweep.Results, error)) (*sweep.Results, error) {
	if s == nil {
		return run()
	}
	if known := s.known(spec); known != nil {
		return known, nil
	}
	made, err := run()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = make(map[string]*sweep.Results)
	}
	s.found[spec.Hash()] = made
	return made, nil
}

func (s *Shared) known(spec *sweep.Spec) *sweep.Results {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found[spec.Hash()]
}

// Journals returns the directories in Options.Dir that the recipes used. They
// are of no use once all figures are written.
func (s *Shared) Journals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journals)
}

// journal remembers a directory.
func (s *Shared) journal(dir string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journals = append(s.journals, dir)
}
