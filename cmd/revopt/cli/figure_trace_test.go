package cli

import (
	"testing"
)

// TestFigureTrace takes the trace of REVOPT_TRACE unless --trace names another.
func TestFigureTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("REVOPT_TRACE", "variable.swf")
	for want, args := range map[string][]string{"variable.swf": nil, "flag.swf": {"--trace", "flag.swf"}} {
		for _, id := range []string{"pricing-02a", "sla-02a"} {
			o := try(append([]string{"figure", id}, args...)...)
			if o.stderr != "revopt: figure "+id+": "+want+": no such file\n" {
				t.Errorf("%s %v: %+v", id, args, o)
			}
		}
	}
}
