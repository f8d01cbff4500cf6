package policy_test

import (
	"reflect"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		name  string
		given policy.Settings
		want  simulate.Policy
		fault string // or in the error
	}{
		{"hol", nil, policy.NewHOL(false), ""},
		{"hol", policy.Settings{"backfill": "true"}, policy.NewHOL(true), ""},
		{"fcfs", policy.Settings{"backfill": "false"}, policy.NewFCFS(false), ""},
		{"fcfs", policy.Settings{"backfill": "true"}, policy.NewFCFS(true), ""},
		{"easy", nil, &policy.Backfill{}, ""},
		{"easy", policy.Settings{"estimates": "exact"}, &policy.Backfill{Terms: policy.Terms{Exact: true}}, ""},
		{"conservative", policy.Settings{"overrun": "kill"}, policy.NewConservative(policy.Terms{Kill: true}), ""},
		{"easy", policy.Settings{"overrun": "stop"}, nil, `expected extend or kill, got "stop"`},
		{"hol", policy.Settings{"backfil": "true"}, nil, `hol has no option "backfil"`},
		{"hol", policy.Settings{"backfill": "maybe"}, nil, `expected false or true, got "maybe"`},
		{"holl", nil, nil, `unknown policy "holl", expected one of hol, fcfs`},
	} {
		s, err := policy.Lookup(policy.Standard(), test.name)
		if err == nil {
			var got []simulate.Policy
			if got, _, err = s.Make(test.given, 1); test.fault == "" && !reflect.DeepEqual(got, []simulate.Policy{test.want}) {
				t.Errorf("%s %v: got %+v, want %+v", test.name, test.given, got, test.want)
			}
		}
		if test.fault == "" && err != nil || test.fault != "" && (err == nil || !strings.Contains(err.Error(), test.fault)) {
			t.Errorf("%s %v: got error %v, want %q", test.name, test.given, err, test.fault)
		}
	}
}
