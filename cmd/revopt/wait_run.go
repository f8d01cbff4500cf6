package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"revopt/model"
	"revopt/optimize"
	"revopt/plots"
	"revopt/simulate/sweep"
)

// waitAnswer is what wait prints.
type waitAnswer struct {
	Scenario  string        `json:"scenario"`
	Version   string        `json:"version"`
	Overrides []string      `json:"overrides"`
	Load      number        `json:"load"`      // offered
	Queue     string        `json:"queue"`     // pooled or multiserver
	Admission waitAdmission `json:"admission"` // of all classes
	Classes   []waitClass   `json:"classes"`
	Warnings  []string      `json:"warnings"`

	parallel     float64
	replications int
}

type waitAdmission struct {
	Name  string    `json:"name"`
	Admit []float64 `json:"admit"`
}

type waitClass struct {
	Name      string         `json:"name"`
	Mean      number         `json:"mean"` // s; null where the class is never served
	AtOnce    number         `json:"at_once"`
	Tail      []waitTail     `json:"tail"`
	Quantiles []waitQuantile `json:"quantiles"`
	Simulated *waitSimulated `json:"simulated,omitempty"`

	curve []waitTail // of the figure
}

type waitTail struct {
	T           number    `json:"t"`      // s
	P           number    `json:"p"`      // P(W > t)
	Excess      number    `json:"excess"` // E[(W - t)^+], s
	PError      number    `json:"p_error"`
	ExcessError number    `json:"excess_error"`
	Simulated   *estimate `json:"simulated,omitempty"` // of p
}

type waitQuantile struct {
	Q number `json:"q"`
	T number `json:"t"` // s; null where it is infinite
}

type waitSimulated struct {
	Mean         estimate `json:"mean"`
	Replications int      `json:"replications"`
}

// run computes the waits.
func (j *waitJob) run(ctx context.Context) (*waitAnswer, error) {
	sys := j.sc.System()
	a := &waitAnswer{
		Scenario: j.sc.Name, Version: build().Version, Load: number(sys.Load()), Queue: j.wishes.queue,
		Warnings: []string{}, parallel: sys.Parallel,
	}
	a.Warnings = append(a.Warnings, texts(j.sc.Warnings, aboutWaits)...)
	if j.admit.admit == nil {
		best, err := optimize.Solve(ctx, sys, optimize.Settings{})
		if err != nil {
			return nil, err
		}
		j.admit.admit = best.Admit
	}
	a.Admission = waitAdmission{j.admit.name, j.admit.admit}
	waits, err := model.NewWaits(sys, j.admit.admit, model.WaitOptions{Multiserver: j.wishes.queue == queueMultiserver})
	if err != nil {
		return nil, err
	}
	for _, i := range j.classes {
		c, err := j.class(waits, i)
		if err != nil {
			return nil, err
		}
		a.Classes = append(a.Classes, c)
	}
	a.Warnings = append(a.Warnings, j.doubts(waits)...)
	if j.wishes.target.path != "" {
		a.draw(waits, j.classes)
	}
	if j.wishes.simulate {
		return a, j.simulate(ctx, a)
	}
	return a, nil
}

// class computes the waits of one class.
func (j *waitJob) class(waits *model.Waits, i int) (waitClass, error) {
	c := waitClass{Name: j.sc.Classes[i].Name, Mean: number(waits.Mean(i)), AtOnce: number(waits.Atom(i)), Tail: []waitTail{}}
	for _, t := range j.at {
		c.Tail = append(c.Tail, tailAt(waits, i, t))
	}
	for _, q := range j.wishes.quantiles {
		t, err := waits.Quantile(i, q)
		if err != nil {
			return c, fmt.Errorf("class %s: %s", c.Name, strings.TrimPrefix(err.Error(), "model: "))
		}
		c.Quantiles = append(c.Quantiles, waitQuantile{number(q), number(t)})
	}
	return c, nil
}

func tailAt(waits *model.Waits, class int, t float64) waitTail {
	p, x, perr, xerr := waits.TailExcess(class, t)
	return waitTail{T: number(t), P: number(p), Excess: number(x), PError: number(perr), ExcessError: number(xerr)}
}

// doubts returns warnings.
func (j *waitJob) doubts(waits *model.Waits) []string {
	var list, never []string
	for i, c := range j.sc.Classes {
		if math.IsInf(waits.Mean(i), 1) {
			never = append(never, c.Name)
		}
	}
	if never != nil {
		list = append(list, "more is admitted than can be served: the waits of "+strings.Join(never, ", ")+" grow without end")
	}
	if j.wishes.queue == queueMultiserver {
		list = append(list, "the tails of real servers are approximate, and exact only for exponential lengths of one mean")
	}
	if names := classesWhere(j.sc, func(c model.Class) bool { return c.Decay > 0 && c.Expire != model.ExpireNever }); names != "" {
		list = append(list, "waits are those without expiry: every admitted job of "+names+" waits until it is served")
	}
	return list
}

// simulate adds what a simulation of the same queue gives.
func (j *waitJob) simulate(ctx context.Context, a *waitAnswer) error {
	at := slices.Clone(j.at)
	for _, c := range a.Classes {
		for _, t := range c.curve {
			at = append(at, float64(t.T))
		}
	}
	study := sweep.WaitStudy{
		Scenario: j.sc, Admit: j.admit.admit, At: at, Servers: j.wishes.queue == queueMultiserver,
		Replications: j.sc.Simulation.Replications, Workers: j.wishes.workers, Seed: j.wishes.seed,
	}
	found, err := study.Run(ctx)
	if err != nil {
		return err
	}
	a.replications = study.Replications
	next := len(j.at)
	for k, i := range j.classes {
		c := &a.Classes[k]
		c.Simulated = &waitSimulated{newEstimate(found[i].Mean), study.Replications}
		for n := range c.Tail {
			e := newEstimate(found[i].Tail[n])
			c.Tail[n].Simulated = &e
		}
		for n := range c.curve {
			e := newEstimate(found[i].Tail[next+n])
			c.curve[n].Simulated = &e
		}
		next += len(c.curve)
	}
	return nil
}

// provenance says where the numbers come from.
func (a *waitAnswer) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version: a.Version, Scenario: a.Scenario, Command: commandLine(args),
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(a.Overrides, ", ")},
			{Key: "queue", Value: a.Queue},
			{Key: "admission", Value: a.Admission.Name},
		},
	}
}
