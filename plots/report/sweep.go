package report

import (
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// SweepProvenance says what made the tables of a sweep. It names no command, as the same
// sweep gives the same bytes however it is run. Builds are named if they are mixed.
func SweepProvenance(samples *study.Samples, version, builds string) (text.Provenance, error) {
	plan := samples.Plan()
	doc := plan.Document()
	prov := text.Provenance{Version: version, Scenario: doc.Name(), Seed: &plan.Seed}
	sc, err := doc.Scenario(study.Known(nil))
	if err != nil {
		return prov, err
	}
	if sc.Trace != nil {
		prov.Cleaning = sc.Trace.Cleaning
	}
	var set []string
	for _, s := range plan.Set {
		set = append(set, s.Path+"="+s.Value)
	}
	prov.Extra = []text.Pair{
		{Key: "overrides", Value: strings.Join(set, ", ")},
		{Key: "trace_sha256", Value: strings.Join(plan.Traces, ", ")},
		{Key: "sweep", Value: plan.Hash()},
	}
	if builds != "" {
		prov.Extra = append(prov.Extra, text.Pair{Key: "builds", Value: builds})
	}
	return prov, nil
}

// SweepProgress says how many cells are finished.
func SweepProgress(samples *study.Samples) string {
	finished, total := samples.Progress()
	least := ""
	if samples.Plan().Stop != nil {
		least = "at least "
	}
	return fmt.Sprintf("%s of %s%s", text.Fixed(float64(finished), 0), least, text.Plural(total, "cell"))
}

// SweepStatus says how far a sweep is. With a precision it counts the points whose
// number of replications is decided.
func SweepStatus(samples *study.Samples) string {
	plan := samples.Plan()
	finished, total := samples.Progress()
	words := fmt.Sprintf("%s of %s finished (%s)", text.Fixed(float64(finished), 0),
		text.Plural(total, "cell"), text.Percent(float64(finished)/float64(total)))
	if plan.Stop != nil {
		words = fmt.Sprintf("%s finished, %d of %s settled",
			text.Plural(finished, "cell"), samples.Settled(), text.Plural(plan.Points(), "point"))
	}
	return words + ", sweep " + plan.Hash()
}

// SweepSummary counts the cells of a complete sweep, and the points that are not as
// precise as the sweep asks for.
func SweepSummary(samples *study.Samples) string {
	words := text.Plural(samples.Finished(), "cell")
	if n := samples.Imprecise(); n > 0 {
		plan := samples.Plan()
		words += fmt.Sprintf("; at %s %d replications do not make the interval of %s as narrow as %.4g %% of its mean",
			text.Plural(n, "point"), plan.Replications, plan.Stop.Metric, 100*plan.Stop.Relative)
	}
	return words
}
