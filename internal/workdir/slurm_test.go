package workdir

import "testing"

// TestSlurmOutput checks that Slurm takes only what is meant so for a pattern.
func TestSlurmOutput(t *testing.T) {
	s := &Slurm{Dir: "/shared/50%A load"}
	if got, want := s.output(), "/shared/50%%A load/slurm-%A_%a.log"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
