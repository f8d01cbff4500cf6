package simulate

import (
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// PanicError is a panic of a policy, a source or an observer of a run, or of other code
// in a replication, which has no policy. The stack says where.
type PanicError struct {
	Policy string  // types of the policies of the run
	Job    int64   // ID of the job that came, started or left last, or that the source yields
	Time   float64 // s
	Value  any     // of the panic
	Stack  []byte  // of the goroutine
}

func (e *PanicError) Error() string {
	if e.Policy == "" {
		return fmt.Sprint(e.Value)
	}
	return fmt.Sprintf("policy %s, job %d, at %g s: panic: %v", e.Policy, e.Job, e.Time, e.Value)
}

// policyError is an error of a policy.
type policyError struct {
	policy string
	err    error
}

func (e *policyError) Error() string { return e.policy + ": " + e.err.Error() }

func (e *policyError) Unwrap() error { return e.err }

// Blame returns an error with the name of the policy that made it, or with its type.
func Blame(p Policy, err error) error {
	if named, ok := p.(fmt.Stringer); ok {
		return &policyError{named.String(), err}
	}
	return &policyError{fmt.Sprintf("policy %T", p), err}
}

// Blamed returns the error of a policy without the name of the policy; nil if err is of something else.
func Blamed(err error) error {
	var blame *policyError
	if errors.As(err, &blame) {
		return blame.err
	}
	return nil
}

// Guard calls f. A panic of f is a *PanicError.
func Guard[T any](f func() (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = &PanicError{Value: fault, Stack: debug.Stack()}
		}
	}()
	return f()
}

// recover turns a panic into a *PanicError.
func (k *kernel) recover(err *error) {
	value := recover()
	if value == nil {
		return
	}
	var policies []string
	for _, c := range k.sites {
		policies = append(policies, fmt.Sprintf("%T", c.policy))
	}
	if k.fetching {
		k.current = k.gate.submitted
	}
	*err = &PanicError{strings.Join(slices.Compact(policies), ", "), k.current, k.now, value, debug.Stack()}
}
