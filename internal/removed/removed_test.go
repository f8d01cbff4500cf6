package removed

import "testing"

// TestFind looks up names of several kinds and renders the line of each.
func TestFind(t *testing.T) {
	for _, x := range []struct {
		kind  Kind
		names []string
		want  string
	}{
		{Command, []string{"steer"}, "steer was removed in 0.6: install a static rule with revopt export slurm"},
		{Command, []string{"sweep"}, ""},
		{Flag, []string{"--held", "simulate --held"}, "--held was removed in 0.6: a policy on a log runs as it is; revopt trace waits tells where the waiting came from"},
		{Flag, []string{"--over", "tune --over"}, "tune --over was removed in 0.6: use revopt whatif --change admission=simulated or admission=prices"},
		{Flag, []string{"--over", "whatif --over"}, ""},
		{Field, []string{"pools.big.memory.rent"}, "pools.big.memory.rent was removed in 0.5: see CHANGELOG.md"},
		{Field, []string{"pools.rent"}, ""},
		{Policy, []string{"unicef"}, "policy unicef was removed in 0.6: use first-price"},
		{Policy, []string{"d-over|cmu-theta"}, ""},
		{Policy, []string{"spot"}, "policy spot was removed in 0.5: see CHANGELOG.md"},
		{Option, []string{"spot"}, ""},
	} {
		e, found := Find(x.kind, x.names...)
		if got := e.String(); found != (x.want != "") || found && got != x.want {
			t.Errorf("%s %v: got %q, want %q", x.kind, x.names, got, x.want)
		}
	}
}
