package answer

import (
	"strings"
	"testing"
)

// TestLongLabels: a label of over 40 characters is short in tables and sentences and explained once; JSON has it whole.
func TestLongLabels(t *testing.T) {
	const site = "slurm:PriorityWeightQOS=1000:bf_interval=0:qos.a.Priority=1"
	const other, edge = site + ":qos.b.Priority=2", "slurm:abcdefghijklmnopqrstuvwxyz=12345678"
	row := func(name string, is bool) []Value { return []Value{Word(name), Yes(is)} }
	present := Column{Name: "present", Unit: Truth, Mark: true, Quiet: true}
	a := Answer{Command: "simulate", Scenario: "s",
		Headline: New("PRESENT_IS_BEST", Named{"policy", Word(site)}, Named{"value", Exactly(Money, 1)}),
		Tables: []Table{{Name: "policies", Columns: []Column{{Name: "policy", Unit: Text}, present},
			Rows: [][]Value{row(site, true), row(other, false), row(edge, false)}}},
	}
	var text, page, data strings.Builder
	for _, write := range []error{a.WriteText(&text, TextOptions{}), a.WriteHTML(&page), a.WriteJSON(&data)} {
		if write != nil {
			t.Fatal(write)
		}
	}
	if len(edge) != longLabel+1 {
		t.Fatalf("the label at the edge has %d characters", len(edge))
	}
	for _, want := range []string{"the present, slurm (site): ", "\nslurm (site) (present)", "\nslurm (2)\n", "\nslurm (3)\n",
		"slurm (site) is slurm with PriorityWeightQOS=1000, bf_interval=0, qos.a.Priority=1\n"} {
		if strings.Count(text.String(), want) != 1 {
			t.Errorf("expected %q once in\n%s", want, text.String())
		}
	}
	if strings.Contains(page.String(), site) || !strings.Contains(page.String(), "slurm (site) is slurm with") {
		t.Error("the page has the long label")
	}
	if !strings.Contains(data.String(), site) || strings.Contains(data.String(), "(site)") {
		t.Errorf("JSON lacks the label:\n%s", data.String())
	}
}
