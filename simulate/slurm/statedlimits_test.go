package slurm

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestStatedLimits reads the limits of parties that a log names, in the unit of its machine.
func TestStatedLimits(t *testing.T) {
	qos, assoc := filepath.Join(t.TempDir(), "qos"), filepath.Join(t.TempDir(), "assoc")
	must(0, os.WriteFile(qos, []byte("Name|GrpTRES|GrpJobs|MaxTRESPU|MaxJobsPU\nlong|cpu=64,node=8|5|cpu=8|\n"+
		"other|cpu=4||node=2|6\n"), 0o600))
	must(0, os.WriteFile(assoc, []byte("Account|User|ParentName|GrpTRES|GrpJobs|MaxJobs\n"+
		"science||root|cpu=500||4\nclimate||science|cpu=96||\nclimate|ann||||3\nclimate|bob||||\nclimate|eve||||2\n"+
		"bio|eve||||9\nclimate|joe||||1\n"), 0o600))
	spec := must(policy.Lookup(catalog.Standard(), "slurm"))
	names := map[string]map[int32]string{
		"queue": {1: "long"}, "account": {1: "climate", 2: "science"}, "user": {1: "ann", 2: "bob", 3: "eve", 4: "joe"},
	}
	limit := func(owner, name string, units, jobs int) scenario.Limit {
		return scenario.Limit{Owner: owner, Of: []model.Party{{Name: name}}, Units: units, Jobs: jobs}
	}
	for unit, want := range map[string][]scenario.Limit{
		"core": {limit("account", "climate", 96, 0), limit("qos", "long", 64, 5), limit("user", "ann", 8, 3),
			limit("user", "bob", 0, 4), limit("user", "joe", 0, 6)},
		"node": {limit("qos", "long", 8, 5), limit("user", "ann", 0, 3), limit("user", "bob", 0, 4), limit("user", "joe", 2, 6)},
	} {
		got, err := StatedLimits(spec, map[string]string{"qos": qos, "assoc": assoc}, unit, names,
			map[string]string{"ann": "long", "joe": "other"})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\n%+v, want\n%+v", unit, err, got, want)
		}
	}
}
