package report

import (
	_ "embed"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/compare"
	"revopt/simulate/study/solve"
	"revopt/simulate/study/tune"
	"revopt/simulate/study/whatif"
	"revopt/simulate/warn"
)

// Fill gives a result its sentences: warnings, verdicts, what intervals cover. Call it before the result is
// printed as JSON.
func Fill(result any) {
	switch r := result.(type) {
	case *solve.Answer:
		tell(r.Warnings)
	case *solve.Curve:
		tell(r.Warnings)
	case *solve.WaitAnswer:
		tell(r.Warnings)
	case *compare.Contrast:
		Fill(r.A)
		Fill(r.B)
		tell(r.Warnings)
		r.Why = said("paired-"+r.Pairing, r)
	case *tune.Result:
		tell(r.Warnings)
	case *whatif.Result:
		tell(r.Warnings)
		r.Covers = said("covers-"+r.Drawn, nil)
		fillVerdicts(r)
	case *study.Result:
		tell(r.Warnings)
		r.Covers = said("covers-"+r.Drawn, nil)
		if v := r.Validated; v != nil {
			fillProves(v, v.Bounds)
			for _, p := range r.Pools {
				fillProves(v, p.Bounds)
			}
			for _, p := range v.Points {
				fillProves(v, p.Bounds)
			}
			v.Closest.Text = (&Report{r}).Closest()
		}
	}
}

// levelSuffix says what stands beside means, as the end of a sentence.
func levelSuffix(r *study.Result) string {
	return levelWords(float64(r.Level), r.Replications, r.Resampled != nil)
}

// levelWords says what stands beside means of replications, which may be spans.
func levelWords(level float64, replications int, resampled bool) string {
	switch {
	case resampled && replications < metric.SpreadLeast(level):
		return "; ranges show the minimum and maximum of the spans"
	case resampled:
		return "; " + plainPercent(level) + " of the spans lie in the ranges"
	}
	return "; ± is " + plainPercent(level) + " confidence"
}

// Sentence returns a warning as a sentence without a period.
func Sentence(w warn.Warning) string {
	if w.Text != "" {
		return w.Text
	}
	words, ok := warningWords.Say(w.Kind, warned(w))
	if !ok {
		words = w.String()
	}
	if w.Scope != "" {
		words = w.Scope + ": " + words
	}
	if at := w.Where; at != nil {
		words += fmt.Sprintf(" (%s from %.6g to %.6g, %d of %d values)", at.Path, at.From, at.To, at.Points, at.All)
	}
	return words
}

// warningText has the words of the kinds of warnings.
//
//go:embed warnings.txt
var warningText string

var warningWords = text.NewSentences(warningText, formats)

// formats fill the gaps of sentences.
var formats = map[string]any{
	"duration": numeric(text.Duration), "percent": numeric(text.Percent), "plain": numeric(text.Plain),
	"rounded": numeric(text.Rounded), "share": numeric(plainPercent), "unit": text.Unit, "one": text.OneLine,
	"hourly": numeric(func(x float64) string { return text.Grouped(3600 * x) }),
	"earns": func(e any) string {
		return hourly(reflect.Indirect(reflect.ValueOf(e)).Interface().(study.Estimate))
	},
	"gap":        numeric(text.Gap),
	"percents":   numeric(func(x float64) string { return text.Plain(100 * x) }),
	"part":       numeric(share),
	"points":     numeric(func(x float64) string { return text.Fixed(100*x, 1) }),
	"count":      numeric(func(x float64) string { return text.Fixed(x, 0) }),
	"unknown":    func(x metric.Number) bool { return math.IsNaN(float64(x)) },
	"firstSign":  firstSign,
	"fitted":     func(n float64) string { return fittedWords(int(n)) },
	"further":    func(spans float64) string { return text.Percent((spans - 1) / (spans + 1)) },
	"hundredths": func(x float64) string { return strconv.FormatFloat(100*x, 'f', -1, 64) },
	"plural":     func(n any, word string) string { return text.Plural(int(number(n)), word) },
	"sum":        func(x float64, y float64) float64 { return x + y },
	"tenths":     func(x float64) string { return plainPercent(math.Round(1000*x) / 1000) },
	"whole":      numeric(func(x float64) string { return fmt.Sprintf("%.0f", x) }),
	"atLeast": func(x float64) string { // in one digit
		size := math.Pow(10, math.Floor(math.Log10(x)))
		return text.Fixed(math.Ceil(x/size)*size, 0)
	},
}

// number returns a number of any type, or that to which a pointer leads.
func number(x any) float64 {
	return reflect.Indirect(reflect.ValueOf(x)).Convert(reflect.TypeFor[float64]()).Float()
}

// numeric returns a format for numbers of any type.
func numeric(format func(float64) string) func(any) string {
	return func(x any) string { return format(number(x)) }
}

// warned returns a warning as its words use it: its names as a list, a name, a number, and
// some names, of which too many to list are counted. Names and numbers that a file lacks are
// empty and NaN.
func warned(w warn.Warning) any {
	return struct {
		List string
		Name func(i int) string
		X    func(i int) float64
		Some func(from, most int) string
	}{
		List: strings.Join(w.Names, ", "),
		Name: func(i int) string { return slices.Concat(w.Names, make([]string, i+1))[i] },
		X: func(i int) float64 {
			if i < len(w.Numbers) {
				return w.Numbers[i]
			}
			return math.NaN()
		},
		Some: func(from, most int) string {
			names := slices.Clone(w.Names[min(from, len(w.Names)):])
			if more := len(names) - most; more > 1 {
				names = append(names[:most], fmt.Sprintf("%d others", more))
			}
			return enumerate(names)
		},
	}
}

// firstSign shortens a doubt about fitted classes to its first sign.
func firstSign(doubt string) string {
	words, _, _ := strings.Cut(doubt, ": ")
	if first, _, ok := strings.Cut(words, ", "); ok {
		words = first + ")"
	}
	return words
}

func tell(list []warn.Warning) {
	for i := range list {
		list[i].Text = Sentence(list[i])
	}
}
