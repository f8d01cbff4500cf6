package report

import (
	"slices"
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/study/tune"
)

// TestNextCommand: the command to export has the scenario as it was changed and the files of the site, unless the policy
// names them, says how to make the others, and is quoted for a shell.
func TestNextCommand(t *testing.T) {
	site := policy.Settings{"conf": "slurm.conf", "qos": "my qos.txt"}
	const qos, assoc = "qos.txt: sacctmgr show qos -P > qos.txt", "assoc.txt: sacctmgr show assoc -P > assoc.txt"
	for _, c := range []struct {
		file, label string
		flags       []string
		site        policy.Settings
		want, first string
	}{
		{"site.yaml", "slurm:PriorityWeightQOS=1000", nil, nil,
			"'site.yaml' --policy 'slurm:PriorityWeightQOS=1000' --conf slurm.conf --qos qos.txt --assoc assoc.txt",
			"slurm.conf: a copy of the cluster's slurm.conf; " + qos + "; " + assoc},
		{"a's.yaml", "slurm", []string{"--load", "60%"}, site,
			`'a'\''s.yaml' --policy 'slurm' --load '60%' --conf 'slurm.conf' --qos 'my qos.txt' --assoc assoc.txt`, assoc},
		{"site.yaml", "slurm:conf=other.conf:assoc=a", nil, site,
			"'site.yaml' --policy 'slurm:conf=other.conf:assoc=a' --qos 'my qos.txt'", ""},
	} {
		r := &Tune{Result: &tune.Result{Label: c.label, File: c.file, Flags: c.flags, Site: c.site}}
		want := []string{"Next: revopt export slurm " + c.want + " --modify-existing -o exported"}
		if c.first != "" {
			want = append(want, "(first make "+c.first+")")
		}
		if got := r.next(); !slices.Equal(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
