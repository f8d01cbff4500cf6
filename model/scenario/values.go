package scenario

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// MaxValues is how many values a parameter may take.
const MaxValues = 100000

// ParseValues reads the values that a parameter takes: from:to:step, from:to:xN
// for N values, or numbers separated by commas. The error is what was expected.
func ParseValues(text string) ([]float64, error) {
	if parts := strings.Split(text, ":"); len(parts) > 1 {
		return parseSpan(parts)
	}
	values, err := parseNumbers(strings.Split(text, ","))
	if err == nil && len(values) > MaxValues {
		return nil, errTooMany
	}
	return values, err
}

var errTooMany = errors.New("at most " + strconv.Itoa(MaxValues) + " values")

func parseNumbers(texts []string) ([]float64, error) {
	values := make([]float64, len(texts))
	for i, text := range texts {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, errors.New("numbers")
		}
		values[i] = x
	}
	return values, nil
}

// parseSpan reads from:to:step or from:to:xN.
func parseSpan(parts []string) ([]float64, error) {
	if len(parts) != 3 {
		return nil, errors.New("from:to:step")
	}
	count, counted := strings.CutPrefix(parts[2], "x")
	numbers, err := parseNumbers([]string{parts[0], parts[1], count})
	if err != nil {
		return nil, err
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case counted && (step < 2 || step > MaxValues || step != math.Trunc(step)):
		return nil, errors.New("from 2 to " + strconv.Itoa(MaxValues) + " values")
	case counted:
		return steps(from, to, (to-from)/(step-1), int(step)), nil
	case from == to:
		return []float64{from}, nil
	case !(step*(to-from) > 0):
		return nil, errors.New("a step that leads from the first value to the last")
	}
	// The end belongs to the values even if rounding puts it a little beyond.
	n := math.Floor((to-from)/step+1e-9) + 1
	if n > MaxValues {
		return nil, errTooMany
	}
	return steps(from, to, step, int(n)), nil
}

// steps returns n equally spaced values without the dust of rounding: 0.3 and
// not 0.30000000000000004.
func steps(from, to, step float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		x := from + float64(i)*step
		if math.Abs(x-to) < 1e-9*math.Abs(step) {
			x = to
		}
		values[i] = rounded(x, math.Max(math.Abs(from), math.Abs(to)))
	}
	return values
}

// rounded rounds x to the twelfth significant digit of scale.
func rounded(x, scale float64) float64 {
	if scale == 0 {
		return x
	}
	places := 11 - int(math.Floor(math.Log10(scale)))
	if places < 0 || places > 300 {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', places, 64), 64)
	if err != nil {
		return x
	}
	return y
}
