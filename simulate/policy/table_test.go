package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"revopt/simulate/policy"
)

func TestTable(t *testing.T) {
	seen := make(map[string]bool)
	for _, s := range policy.Table() {
		if seen[s.Name] || s.Name == "" || s.Summary == "" {
			t.Errorf("policy %q is listed twice or says nothing", s.Name)
		}
		seen[s.Name] = true
		a, err := s.New(nil)
		if err != nil || a == nil {
			t.Errorf("%s by default: %v, %v", s.Name, a, err)
		}
		if b, _ := s.New(nil); a == b {
			t.Errorf("two runs would share one %s", s.Name)
		}
	}
}

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		name  string
		given policy.Settings
		want  any    // the policy
		fault string // or in the error
	}{
		{"hol", nil, policy.NewHOL(false), ""},
		{"hol", policy.Settings{"backfill": "true"}, policy.NewHOL(true), ""},
		{"fcfs", policy.Settings{"backfill": "false"}, policy.NewFCFS(false), ""},
		{"fcfs", policy.Settings{"backfill": "true"}, policy.NewFCFS(true), ""},
		{"easy", nil, policy.NewEASY(policy.Terms{}), ""},
		{"easy", policy.Settings{"estimates": "exact"}, policy.NewEASY(policy.Terms{Exact: true}), ""},
		{"conservative", policy.Settings{"overrun": "kill"}, policy.NewConservative(policy.Terms{Kill: true}), ""},
		{"easy", policy.Settings{"overrun": "stop"}, nil, `is "stop", want extend or kill`},
		{"hol", policy.Settings{"backfil": "true"}, nil, `hol has no option "backfil"`},
		{"hol", policy.Settings{"backfill": "maybe"}, nil, `is "maybe", want false or true`},
		{"holl", nil, nil, `unknown policy "holl", want one of hol, fcfs`},
	} {
		s, err := policy.Lookup(test.name)
		if err == nil {
			var got any
			if got, err = s.New(test.given); test.fault == "" && !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s %v: got %+v, want %+v", test.name, test.given, got, test.want)
			}
		}
		if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s %v: got error %v, want %q", test.name, test.given, err, test.fault)
		}
	}
}
