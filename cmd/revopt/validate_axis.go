package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"revopt/plots/report"
)

// setAxis chooses what the figures run along: what the command line says, else
// five values about the scenario's own.
func (v *validation) setAxis(c *cli.Context, where target) error {
	path, own := v.ownAxis()
	switch {
	case c.IsSet("vary"):
		axis, err := parseVariation(c.String("vary"))
		if err != nil {
			return err
		}
		if err := axis.check(v.in.doc); err != nil {
			return err
		}
		slices.Sort(axis.values)
		axis.values = slices.Compact(axis.values)
		if where.path != "" && len(axis.values) < 2 {
			return usagef("--vary %s: expected at least two values to draw figures along", axis.text)
		}
		if v.axis = axis; axis.path == path {
			v.value = own
		}
	case where.path == "" && !c.IsSet("html"):
	case path != "":
		v.axis, v.value = &variation{path: path, values: around(own)}, own
	case where.path != "":
		return usagef("--out: expected --vary with it, such as --vary batch.jobs=50:200:50: a %s has no load to draw figures along", v.kind())
	}
	return nil
}

// ownAxis returns the path of the number that a workload is usually varied by
// and its value in the scenario; none for a batch.
func (v *validation) ownAxis() (path string, own float64) {
	switch {
	case v.traced != nil:
		return "trace.arrival_delay_factor", v.traced.Delay
	case v.classed != nil:
		return "load", v.classed.Load
	case v.grid.Applications != nil:
		return "applications.interarrival", v.grid.Applications.Interarrival
	}
	return "", 0
}

// around returns five values from half to twice the given one, which is among
// them.
func around(own float64) []float64 {
	var list []float64
	for _, scale := range []float64{0.5, 0.75, 1, 1.5, 2} {
		x := own
		if scale != 1 {
			// Short numbers are easier to read and to type again.
			x, _ = strconv.ParseFloat(strconv.FormatFloat(scale*own, 'g', 4, 64), 64)
		}
		list = append(list, x)
	}
	return slices.Compact(list)
}

// reportAxis is the axis as the figures name it.
func (v *validation) reportAxis() report.Axis {
	known := map[string]report.Axis{
		"load":                       {Label: "Offered load", Percent: true},
		"trace.arrival_delay_factor": {Label: "Arrival delay factor"},
		"applications.interarrival":  {Label: "Time between applications", Unit: "s"},
		"qos.high_urgency":           {Label: "High urgency jobs", Percent: true},
	}
	a, ok := known[v.axis.path]
	if !ok {
		parts := strings.Split(v.axis.path, ".")
		label := strings.Join(parts[max(0, len(parts)-3):], " ")
		first, size := utf8.DecodeRuneInString(label)
		a.Label = string(unicode.ToUpper(first)) + label[size:]
	}
	a.Path, a.Own = v.axis.path, v.value
	return a
}
