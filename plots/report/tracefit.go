package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/fit"
	"revopt/simulate/study"
)

// TraceFit is the facts of job classes that were fitted to a trace.
type TraceFit struct {
	File      string                `json:"file"`
	Version   string                `json:"version"`
	Subset    string                `json:"jobs"`
	Delay     study.Number          `json:"arrival_delay_factor"`
	Overrides []string              `json:"overrides"`
	Seed      uint64                `json:"seed"`
	Cleaning  *study.CleaningResult `json:"cleaning"`
	By        fit.By                `json:"by"`

	Nodes       int          `json:"nodes"`
	Parallel    study.Number `json:"parallel"`
	Fitted      int64        `json:"jobs_fitted"`
	Void        int64        `json:"jobs_void"`
	Wide        int64        `json:"jobs_too_wide"`
	Span        study.Number `json:"span_seconds"`
	Rate        study.Number `json:"rate"`
	Load        study.Number `json:"load"`
	Arrivals    fitArrivals  `json:"arrivals"`
	LengthSCV   study.Number `json:"length_scv"`
	WorkSCV     study.Number `json:"work_scv"`
	Correlation study.Number `json:"width_length_rank_correlation"`
	Half        study.Number `json:"work_in_jobs_wider_than_half"`
	TopWork     study.Number `json:"work_in_largest_hundredth"`
	Overrun     study.Number `json:"overrun"`
	Accuracy    study.Number `json:"run_time_over_estimate"`
	Silhouette  study.Number `json:"silhouette"`

	Classes  []fitClass `json:"classes"`
	Warnings []string   `json:"warnings"`
	YAML     string     `json:"scenario"`

	fit *fit.Result
}

type fitArrivals struct {
	Interarrival fitMoments      `json:"interarrival"`
	Lag1         study.Number    `json:"lag1_autocorrelation"`
	Dispersion   []fitDispersion `json:"dispersion"`
	KS           study.Number    `json:"ks"`
	Critical     study.Number    `json:"ks_limit"` // at 5 %
	P            study.Number    `json:"p"`
	Daily        study.Number    `json:"daily_cycle"`
	DailyP       study.Number    `json:"daily_cycle_p"`
	Weekly       study.Number    `json:"weekly_cycle"`
	WeeklyP      study.Number    `json:"weekly_cycle_p"`
}

type fitDispersion struct {
	Name    string       `json:"by"`
	Window  study.Number `json:"window_seconds"`
	Windows int          `json:"windows"`
	Index   study.Number `json:"index"`
}

type fitMoments struct {
	Mean study.Number `json:"mean"`
	SD   study.Number `json:"sd"`
	SCV  study.Number `json:"scv"`
}

func newFitMoments(m fit.Moments) fitMoments {
	return fitMoments{study.Number(m.Mean), study.Number(m.SD), study.Number(m.SCV())}
}

type fitClass struct {
	Name         string       `json:"name"`
	Jobs         int64        `json:"jobs"`
	Rate         study.Number `json:"rate"`
	Share        study.Number `json:"share"`
	Load         study.Number `json:"load"`
	Interarrival fitMoments   `json:"interarrival"`
	RunTime      fitMoments   `json:"run_time"`
	Width        fitMoments   `json:"processors"`
	Work         fitMoments   `json:"work"`
	Correlation  study.Number `json:"width_length_rank_correlation"`
	Budget       fitMoments   `json:"budget"`
	Slack        fitMoments   `json:"slack"`
	Hard         bool         `json:"hard"`

	Dist       string       `json:"dist"`
	Length     fitMoments   `json:"length"`
	Correction study.Number `json:"length_over_run_time"`
	Second     bool         `json:"work_second_moment_preserved"`
	LengthKS   study.Number `json:"ks_length"`
	WorkKS     study.Number `json:"ks_work"`
	Tried      []fitTry     `json:"tried"`
	MeanPrice  study.Number `json:"mean_price"`
	Arrivals   string       `json:"arrivals"`
	Decay      study.Number `json:"decay"`
	MeanGrace  study.Number `json:"mean_grace"`
}

type fitTry struct {
	Dist string       `json:"dist"`
	KS   study.Number `json:"ks_length"`
}

// NewTraceFit returns the facts of a fit to a subject.
func NewTraceFit(s *study.Subject, f *fit.Result, version string, overrides []string, seed uint64) *TraceFit {
	r := &TraceFit{
		File: s.Scenario.Trace.File, Version: version, Subset: s.Trace.Subset().String(),
		Delay: study.Number(s.Value), Overrides: overrides, Seed: seed,
		Cleaning: study.NewCleaning(s.Trace.Cleaning()), By: f.By, Nodes: f.Nodes, Parallel: study.Number(f.Parallel),
		Fitted: f.Jobs, Void: f.Void, Wide: f.Wide,
		Span: study.Number(f.Span), Rate: study.Number(f.Rate), Load: study.Number(f.Load),
		Arrivals: newFitArrivals(&f.Arrivals), LengthSCV: study.Number(f.LengthSCV), WorkSCV: study.Number(f.WorkSCV),
		Correlation: study.Number(f.Correlation), Half: study.Number(f.Half), TopWork: study.Number(f.TopWork),
		Overrun: study.Number(f.Overrun), Accuracy: study.Number(f.Accuracy), Silhouette: study.Number(f.Silhouette),
		Warnings: []string{}, fit: f,
	}
	for _, w := range f.Warnings {
		r.Warnings = append(r.Warnings, w.String())
	}
	for i := range f.Classes {
		r.Classes = append(r.Classes, newFitClass(&f.Classes[i]))
	}
	return r
}

func newFitArrivals(a *fit.Arrivals) fitArrivals {
	r := fitArrivals{
		Interarrival: newFitMoments(a.Gaps), Lag1: study.Number(a.Lag1),
		KS: study.Number(a.KS), Critical: study.Number(a.Critical), P: study.Number(a.P),
		Daily: study.Number(a.Daily), DailyP: study.Number(a.DailyP),
		Weekly: study.Number(a.Weekly), WeeklyP: study.Number(a.WeeklyP),
	}
	for _, d := range a.Dispersion {
		r.Dispersion = append(r.Dispersion, fitDispersion{d.Name, study.Number(d.Window), d.Windows, study.Number(d.Index)})
	}
	return r
}

func newFitClass(c *fit.Class) fitClass {
	r := fitClass{
		Name: c.Model.Name, Jobs: c.Jobs, Rate: study.Number(c.Model.Rate),
		Share: study.Number(c.Share), Load: study.Number(c.Load),
		Interarrival: newFitMoments(c.Gaps), RunTime: newFitMoments(c.Length),
		Width: newFitMoments(c.Width), Work: newFitMoments(c.Work),
		Correlation: study.Number(c.Correlation), Budget: newFitMoments(c.Budget), Slack: newFitMoments(c.Slack),
		Hard: c.Hard, Dist: string(c.Kind), Length: newFitMoments(c.Equivalent),
		Correction: study.Number(c.Correction), Second: c.Second, Arrivals: c.Model.Arrivals.String(),
		LengthKS: study.Number(c.LengthKS()), WorkKS: study.Number(c.WorkKS),
		MeanPrice: study.Number(c.Model.MeanPrice()), Decay: study.Number(c.Model.Decay),
		MeanGrace: study.Number(c.Model.MeanGrace()),
	}
	for _, t := range c.Tried {
		r.Tried = append(r.Tried, fitTry{string(t.Kind), study.Number(t.KS)})
	}
	return r
}

// Scenario sets the scenario, with its origin at the top, and returns it.
func (r *TraceFit) Scenario(command string) ([]byte, error) {
	head := append([]string{
		fmt.Sprintf("Job classes of %s, jobs %s, arrival delay factor %s, cleaning %s, seed %d",
			filepath.Base(r.File), r.Subset, text.Plain(float64(r.Delay)), r.Cleaning.Rule, r.Seed),
		fmt.Sprintf("revopt %s: %s", r.Version, command),
	}, CleaningLines(r.Cleaning)...)
	if !slices.ContainsFunc(r.Classes, func(c fitClass) bool { return c.MeanPrice > 0 }) {
		head = append(head, "A trace states no prices, so that all are 0: state your own, here or with --price")
	}
	var b bytes.Buffer
	err := r.fit.WriteYAML(&b, append(head, "")...)
	r.YAML = b.String()
	return b.Bytes(), err
}
