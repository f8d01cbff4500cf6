package paper

import (
	"context"
	"sync"
)

// Shared keeps the experiments that several figures draw from. Recipes that are
// built with one Shared run a common experiment once; the figures are the same
// as without it. The zero value is empty and ready for use.
type Shared struct {
	mu      sync.Mutex
	studies map[studyKey]any
}

// A studyKey is all that the numbers of a study depend on.
type studyKey struct {
	name         string
	quick        bool
	seed         uint64
	replications int
	trace        string
}

// study returns the study of the given name, which compute makes where nobody
// has asked for it before.
func (o Options) study(ctx context.Context, name string, compute func(context.Context, Options) (*study, error)) (*study, error) {
	return common(ctx, o, name, compute)
}

// common returns the outcome of the given name, which compute makes where
// nobody has asked for it before. One that failed is forgotten.
func common[T any](ctx context.Context, o Options, name string, compute func(context.Context, Options) (*T, error)) (*T, error) {
	if o.Shared == nil {
		return compute(ctx, o)
	}
	s := o.Shared
	s.mu.Lock()
	defer s.mu.Unlock()
	key := studyKey{name, o.Quick, o.Seed, o.Replications, o.Trace}
	if known, ok := s.studies[key].(*T); ok {
		return known, nil
	}
	made, err := compute(ctx, o)
	if err != nil {
		return nil, err
	}
	if s.studies == nil {
		s.studies = make(map[studyKey]any)
	}
	s.studies[key] = made
	return made, nil
}
