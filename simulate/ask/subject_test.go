package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func TestOpenTraces(t *testing.T) {
	s := fixture.Opened(t, fixture.Customers(t))
	if want := []string{"industry", "science", "no customer"}; !slices.Equal(s.Names(), want) || s.Kind != "trace" || s.Nodes() != 16 || s.Trace == nil {
		t.Errorf("%+v", s)
	}
	if n := s.Workload.(*workload.Replay).Others(); n != 13 {
		t.Errorf("%d jobs of others", n)
	}
	if got := SubjectWarnings(s); len(got) != 1 || got[0].Code != "OTHERS" || got[0].Value("jobs").Number != 13 {
		t.Errorf("%v", got)
	}
	for _, c := range []struct{ text, want string }{
		{"trace: {file: none.swf}\n", "none.swf"},
		{strings.Replace(fixture.Customers(t), "[1]", "[nobody]", 1), `no group "nobody"`},
		{"sites: [{processors: 4, mips: 89}]\nbatch: {jobs: 3}\npolicies: [libre]\n", `unknown policy "libre"`},
		{fixture.SmallTrace + "policies: [libra: {spare: all}]\n", "option spare of libra"},
		{fixture.SmallTrace + "policies: [libra+$: {beta: lots}]\n", "option beta of libra+$"},
		{fixture.SmallTrace + "policies: [fcfs, {libra: {spare: none, delta: 2}}, libra-sla, hol]\n", ""},
	} {
		_, err := subject.Open(context.Background(), fixture.Parsed(t, c.text), 1, nil)
		var a *scenario.Error
		var b *workload.Error
		var d *workload.SelectorError
		if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) || strings.Contains(got, "\n") ||
			err != nil && !errors.As(err, &a) && !errors.As(err, &b) && !errors.As(err, &d) {
			t.Errorf("%s: %T %v", c.text, err, err)
		}
	}
}
