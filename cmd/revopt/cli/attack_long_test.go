//go:build long

package cli

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"revopt/model/scenario"
)

// nasty are values that somebody may write by mistake, or to see what happens.
var nasty = strings.Split("0|-0|-1|1|2|3|0.5|1e-306|5e-324|1e-18|1e-6|1e6|1e9|1e15|1e18|1e19|1e300|1.8e308|-1e300|2147483648|9007199254740993|.nan|.inf|-.inf|NaN|inf|"+
	"0%|10%|1000%|1e18%|0s|1s|1e18s|1e300h|182d|none|zero|never|floor|all|[]|{}|[1,2]|[0,0]|[1e18,1]|{mean: 1, sd: 1e18}|{values: [1e18], weights: [1]}|{values: [1, 2], weights: [0, 0]}|"+
	"{per_hour: 1e18}|{per_unit_hour: 1e-18}|{lengths: 1e9}|{of_price: 1e18}|{renewal: {cv: 1e9}}|{bursts: {on: 1s, off: 1e9s, ratio: 1e9}}|true|~|''|'=1+1'|\"\\e[31m\"|exponential|deterministic|hyperexponential|lognormal|gamma|multiserver|pooled|printed", "|")

// plausible are numbers that most fields take.
var plausible = strings.Split("0 0.000001 0.001 0.01 0.1 0.3 0.5 0.9 1 1.5 2 3 7 10 30 100 1000 5000 1e5 1e6 1e9 1e12 1e15 10% 1h",
	" ")

// extra are fields that scenarios may state and the built-in ones do not.
var extra = []string{"growth", "load", "phi", "server.waiting", "server.nodes", "server.residual", "simulation.jobs",
	"simulation.horizon", "simulation.warmup", "simulation.replications",
	"trace.jobs", "trace.nodes", "trace.cleaning", "trace.arrival_delay_factor", "qos.high_urgency", "nodes.speed", "arrivals", "policies"}

// TestAttacks overrides one or two random fields of built-in scenarios with values that
// nobody means. Commands never crash, and exit as documented with one line that says
// why. The fuzz targets do the same to traces, journals and saved results.
func TestAttacks(t *testing.T) {
	var names []string
	fields := map[string][]string{}
	for _, info := range scenario.Builtins() {
		var doc any
		if err := yaml.Unmarshal([]byte(must(t, "scenario", "show", info.Name)), &doc); err != nil {
			t.Fatal(err)
		}
		known := leaves(doc, "")
		for _, field := range extra { // those of parts that the scenario has
			if part, _, _ := strings.Cut(field, "."); slices.Contains(known, part) || part == field {
				known = append(known, field)
			}
		}
		names, fields[info.Name] = append(names, info.Name), known
	}
	commands := [][]string{
		{"solve"}, {"solve", "--utility", "exact"}, {"solve", "--waits", "--at", "60"}, {"simulate"}, {"simulate", "--admission",
			"analytic"}, {"simulate", "--warmup", "2h"},
		{"validate", "--replications", "1"}, {"simulate", "--policy", "easy"}, {"simulate", "--policy",
			"libra-sla"}, {"whatif", "--change", "growth=10%"},
		{"solve", "--vary", "load=0.2:1:0.4"}, {"trace", "generate", "--jobs", "100"},
	}
	for i := range 1000 {
		rnd := rand.New(rand.NewPCG(18, uint64(i)))
		name := names[rnd.IntN(len(names))]
		command := commands[rnd.IntN(len(commands))]
		args := append(slices.Clone(command), name)
		if !slices.Contains([]string{"solve", "trace"}, command[0]) {
			if !slices.Contains(fields[name], "sites") {
				args = append(args, "--jobs", "300")
			}
			if !slices.Contains(command, "--replications") {
				args = append(args, "--replications", "2")
			}
		}
		for range 1 + rnd.IntN(2) {
			values := nasty
			if rnd.IntN(3) > 0 {
				values = plausible
			}
			args = append(args, "--set", fields[name][rnd.IntN(len(fields[name]))]+"="+values[rnd.IntN(len(values))])
		}
		tame(t, "", args...)
	}
}

// leaves returns the paths of the fields below a value, as --set takes them.
func leaves(value any, path string) []string {
	var list []string
	join := func(word any) string { return strings.TrimPrefix(fmt.Sprintf("%s.%v", path, word), ".") }
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if name == "name" {
				continue
			}
			list = append(append(list, join(name)), leaves(v[name], join(name))...)
		}
	case []any:
		for _, item := range v {
			if fields, ok := item.(map[string]any); ok && fields["name"] != nil {
				list = append(list, leaves(item, join(fields["name"]))...)
			}
		}
	}
	return list
}
