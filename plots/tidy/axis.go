//go:build !js

package tidy

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"revopt/plots"
)

// addBand adds a point with the ends of its interval.
func addBand(s *plots.Series, x, y, low, high float64) {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	s.Low, s.High = append(s.Low, low), append(s.High, high)
}

// pathAxis returns the axis of a number of a scenario, by its path.
func pathAxis(path string) plots.Axis {
	known := map[string]plots.Axis{
		"load":                       {Label: "Offered load", Percent: true},
		"server.parallel":            {Label: "Jobs at a time"},
		"server.nodes":               {Label: "Nodes"},
		"trace.nodes":                {Label: "Nodes"},
		"growth":                     {Label: "Growth of arrivals", Percent: true},
		"phi":                        {Label: "Delay coefficient"},
		"trace.arrival_delay_factor": {Label: "Arrival delay factor"},
		"applications.interarrival":  {Label: "Time between applications", Time: true},
		"qos.high_urgency":           {Label: "High urgency jobs", Percent: true},
	}
	if axis, ok := known[path]; ok {
		return axis
	}
	parts := strings.Split(path, ".")
	units := map[string]string{"price": "$", "decay": "$/s", "rate": "jobs/s"}
	label := strings.Join(parts[max(0, len(parts)-3):], " ")
	first, size := utf8.DecodeRuneInString(label)
	last := parts[len(parts)-1]
	if parts[0] == "pools" && last == "units" {
		return plots.Axis{Label: "Units of pool " + parts[1]}
	}
	isTime := slices.Contains([]string{"grace", "mean", "sd", "within"}, last)
	return plots.Axis{Label: string(unicode.ToUpper(first)) + label[size:], Unit: units[last], Time: isTime}
}
