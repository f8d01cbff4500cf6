package steer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/slurm"
)

// TestUnit: a machine that differs from the cluster by the cores of a node is refused with the line to write, and no
// other.
func TestUnit(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log.swf")
	job := "1 0 0 100 4 -1 -1 4 200 -1 1 1 1 -1 1 1 -1 -1\n2 50 0 100 4 -1 -1 4 200 -1 1 1 1 -1 1 1 -1 -1\n"
	if err := os.WriteFile(log, []byte("; MaxProcs: 64\n"+job), 0o600); err != nil {
		t.Fatal(err)
	}
	classes := "server: {nodes: %d}\nload: 0.5\nclasses: [{name: a, share: 1, price: 1, decay: 0.1, length: {dist: exponential, mean: 9}}]\n"
	trace := "trace: {file: " + log + ", unit: %s, nodes: %d}\nclasses: [{name: a, price: 1, decay: 0.1, of: {user: [1]}}]\n"
	alike := &slurm.Nodes{Up: 15, All: 16, UpCPUs: 960, AllCPUs: 1024, Counted: true}
	mixed := &slurm.Nodes{Up: 10, All: 10, UpCPUs: 8*4 + 2*96, AllCPUs: 8*4 + 2*96, Counted: true}
	single := &slurm.Nodes{Up: 32, All: 32, UpCPUs: 32, AllCPUs: 32, Counted: true}
	uncounted := &slurm.Nodes{Up: 16, All: 16}
	for _, c := range []struct {
		scenario string
		nodes    *slurm.Nodes
		line     string // "": accepted
	}{
		{fmt.Sprintf(classes, 16), alike, ""},
		{fmt.Sprintf(classes, 15), alike, ""},
		{fmt.Sprintf(classes, 4), alike, ""},
		{fmt.Sprintf(classes, 1024), alike, "server: {nodes: 16}"},
		{fmt.Sprintf(classes, 960), alike, "server: {nodes: 16}"},
		{fmt.Sprintf(classes, 1024), uncounted, ""},
		{fmt.Sprintf(classes, 1024), nil, ""},
		{fmt.Sprintf(classes, 32), single, ""},
		{fmt.Sprintf(classes, 224), mixed, "server: {nodes: 10}"},
		{fmt.Sprintf(trace, "core", 1024), alike, ""},
		{fmt.Sprintf(trace, "core", 512), alike, ""},
		{fmt.Sprintf(trace, "core", 16), alike, "unit: node"},
		{fmt.Sprintf(trace, "processor", 16), alike, "unit: node"},
		{fmt.Sprintf(trace, "node", 1024), alike, "unit: core"},
		{fmt.Sprintf(trace, "node", 16), alike, ""},
		{fmt.Sprintf(trace, "core", 32), single, ""},
		{fmt.Sprintf(trace, "core", 10), mixed, "unit: node"},
	} {
		err := checkUnit(fixture.Opened(t, c.scenario), c.nodes)
		if (err == nil) != (c.line == "") || err != nil && !strings.Contains(err.Error(), c.line) {
			t.Errorf("%s on %+v: got %v, expected %q", c.scenario, c.nodes, err, c.line)
		}
	}
}
