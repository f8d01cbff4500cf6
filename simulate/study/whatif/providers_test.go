package whatif

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// TestUnforwarded: commands that know one provider say so.
func TestUnforwarded(t *testing.T) {
	s := fixture.Opened(t, fixture.Thinned)
	want := "test.yaml:8:12: providers: whatif knows one provider alone; simulate and solve know several"
	growth, err := ParseChange(s, "growth=20%")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&WhatIf{Subject: s, Changes: []Change{growth}}).Run(context.Background()); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if s = fixture.Opened(t, fixture.Thinned, scenario.Set("load", 1)); len(s.Scenario.Providers) != 2 {
		t.Error("an override loses the providers")
	}
}
