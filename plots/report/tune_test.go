package report

import (
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/study/tune"
)

// TestNextCommand: the command to export has the files of the site, unless the policy names them, or asks for them, and is quoted for a shell.
func TestNextCommand(t *testing.T) {
	site := policy.Settings{"conf": "slurm.conf", "qos": "my qos.txt"}
	for _, c := range []struct {
		file, label string
		site        policy.Settings
		want        string
	}{
		{"site.yaml", "slurm:PriorityWeightQOS=1000", nil,
			"'site.yaml' --policy 'slurm:PriorityWeightQOS=1000' --conf FILE --qos FILE --assoc FILE"},
		{"a's.yaml", "slurm", site, `'a'\''s.yaml' --policy 'slurm' --conf 'slurm.conf' --qos 'my qos.txt' --assoc FILE`},
		{"site.yaml", "slurm:conf=other.conf", site, "'site.yaml' --policy 'slurm:conf=other.conf' --qos 'my qos.txt' --assoc FILE"},
	} {
		r := &Tune{Result: &tune.Result{Label: c.label, File: c.file, Site: c.site}}
		if got, want := r.next(), "Next: revopt export slurm "+c.want+" --modify-existing -o DIR"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
