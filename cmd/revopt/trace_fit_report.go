package main

import (
	"fmt"
	"path/filepath"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// fitReport is classes fitted to a trace, as scripts read them.
type fitReport struct {
	File      string         `json:"file"`
	Version   string         `json:"version"`
	Subset    string         `json:"jobs"`
	Delay     number         `json:"arrival_delay_factor"`
	Overrides []string       `json:"overrides"`
	Seed      uint64         `json:"seed"`
	Cleaning  cleaningReport `json:"cleaning"`
	By        workload.FitBy `json:"by"`

	Nodes       int         `json:"nodes"`
	Parallel    number      `json:"parallel"`
	Fitted      int64       `json:"jobs_fitted"`
	Void        int64       `json:"jobs_void"`
	Wide        int64       `json:"jobs_too_wide"`
	Span        number      `json:"span_seconds"`
	Rate        number      `json:"rate"`
	Load        number      `json:"load"`
	Arrivals    fitArrivals `json:"arrivals"`
	LengthSCV   number      `json:"length_scv"`
	WorkSCV     number      `json:"work_scv"`
	Correlation number      `json:"width_length_rank_correlation"`
	Half        number      `json:"work_in_jobs_wider_than_half"`
	TopWork     number      `json:"work_in_largest_hundredth"`
	Overrun     number      `json:"overrun"`
	Accuracy    number      `json:"run_time_over_estimate"`
	Silhouette  number      `json:"silhouette"`

	Classes  []fitClass `json:"classes"`
	Warnings []string   `json:"warnings"`
	YAML     string     `json:"scenario"`

	fit *workload.Fitted
}

type fitArrivals struct {
	Interarrival fitMoments      `json:"interarrival"`
	Lag1         number          `json:"lag1_autocorrelation"`
	Dispersion   []fitDispersion `json:"dispersion"`
	KS           number          `json:"ks"`
	Critical     number          `json:"ks_limit"` // at 5 %
	P            number          `json:"p"`
	Daily        number          `json:"daily_cycle"`
	DailyP       number          `json:"daily_cycle_p"`
	Weekly       number          `json:"weekly_cycle"`
	WeeklyP      number          `json:"weekly_cycle_p"`
}

type fitDispersion struct {
	Name    string `json:"by"`
	Window  number `json:"window_seconds"`
	Windows int    `json:"windows"`
	Index   number `json:"index"`
}

type fitMoments struct {
	Mean number `json:"mean"`
	SD   number `json:"sd"`
	SCV  number `json:"scv"`
}

func newFitMoments(m workload.FitMoments) fitMoments {
	return fitMoments{number(m.Mean), number(m.SD), number(m.SCV())}
}

type fitClass struct {
	Name         string     `json:"name"`
	Jobs         int64      `json:"jobs"`
	Rate         number     `json:"rate"`
	Share        number     `json:"share"`
	Load         number     `json:"load"`
	Interarrival fitMoments `json:"interarrival"`
	RunTime      fitMoments `json:"run_time"`
	Width        fitMoments `json:"processors"`
	Work         fitMoments `json:"work"`
	Correlation  number     `json:"width_length_rank_correlation"`
	Budget       fitMoments `json:"budget"`
	Slack        fitMoments `json:"slack"`
	Hard         bool       `json:"hard"`

	Dist       string     `json:"dist"`
	Length     fitMoments `json:"length"`
	Correction number     `json:"length_over_run_time"`
	Second     bool       `json:"work_second_moment_preserved"`
	LengthKS   number     `json:"ks_length"`
	WorkKS     number     `json:"ks_work"`
	Tried      []fitTry   `json:"tried"`
	MeanPrice  number     `json:"mean_price"`
	Decay      number     `json:"decay"`
	MeanGrace  number     `json:"mean_grace"`
}

type fitTry struct {
	Dist string `json:"dist"`
	KS   number `json:"ks_length"`
}

// newFitReport fits classes to the trace of a scenario.
func newFitReport(sc *scenario.Trace, o workload.FitOptions) (*fitReport, error) {
	f, trace, err := fitTrace(sc, o)
	if err != nil {
		return nil, err
	}
	r := &fitReport{
		File: sc.File, Version: build().Version, Subset: trace.Subset().String(), Delay: number(sc.Delay), Overrides: []string{}, Seed: o.Seed,
		Cleaning: newCleaningReport(trace.Cleaning()), By: f.By, Nodes: f.Nodes, Parallel: number(f.Parallel),
		Fitted: f.Jobs, Void: f.Void, Wide: f.Wide, Span: number(f.Span), Rate: number(f.Rate), Load: number(f.Load),
		Arrivals: newFitArrivals(&f.Arrivals), LengthSCV: number(f.LengthSCV), WorkSCV: number(f.WorkSCV), Correlation: number(f.Correlation),
		Half: number(f.Half), TopWork: number(f.TopWork), Overrun: number(f.Overrun), Accuracy: number(f.Accuracy), Silhouette: number(f.Silhouette),
		Warnings: append([]string{}, f.Warnings...), fit: f,
	}
	for i := range f.Classes {
		r.Classes = append(r.Classes, newFitClass(&f.Classes[i]))
	}
	return r, nil
}

func newFitArrivals(a *workload.ArrivalFit) fitArrivals {
	r := fitArrivals{
		Interarrival: newFitMoments(a.Gaps), Lag1: number(a.Lag1), KS: number(a.KS), Critical: number(a.Critical), P: number(a.P),
		Daily: number(a.Daily), DailyP: number(a.DailyP), Weekly: number(a.Weekly), WeeklyP: number(a.WeeklyP),
	}
	for _, d := range a.Dispersion {
		r.Dispersion = append(r.Dispersion, fitDispersion{d.Name, number(d.Window), d.Windows, number(d.Index)})
	}
	return r
}

func newFitClass(c *workload.FittedClass) fitClass {
	r := fitClass{
		Name: c.Model.Name, Jobs: c.Jobs, Rate: number(c.Model.Rate), Share: number(c.Share), Load: number(c.Load),
		Interarrival: newFitMoments(c.Gaps), RunTime: newFitMoments(c.Length), Width: newFitMoments(c.Width), Work: newFitMoments(c.Work),
		Correlation: number(c.Correlation), Budget: newFitMoments(c.Budget), Slack: newFitMoments(c.Slack), Hard: c.Hard,
		Dist: string(c.Kind), Length: newFitMoments(c.Equivalent), Correction: number(c.Correction), Second: c.Second,
		LengthKS: number(c.LengthKS()), WorkKS: number(c.WorkKS),
		MeanPrice: number(c.Model.MeanPrice()), Decay: number(c.Model.Decay), MeanGrace: number(c.Model.MeanGrace()),
	}
	for _, t := range c.Tried {
		r.Tried = append(r.Tried, fitTry{string(t.Kind), number(t.KS)})
	}
	return r
}

// text returns the scenario, with where it comes from at its top.
func (r *fitReport) text(command string) []byte {
	head := []string{
		fmt.Sprintf("Job classes of %s, jobs %s, arrival delay factor %s, cleaning %s, seed %d", filepath.Base(r.File), r.Subset, plain(float64(r.Delay)), r.Cleaning.Rule, r.Seed),
		fmt.Sprintf("revopt %s: %s", r.Version, command),
	}
	for _, line := range r.Cleaning.lines() {
		head = append(head, line)
	}
	return r.fit.Scenario(append(head, "")...)
}
