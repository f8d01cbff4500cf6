package cli

import (
	"path/filepath"
	"testing"

	"revopt/internal/cells"
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

// TestUnfinishedDir names the directory after the build, whatever its version.
func TestUnfinishedDir(t *testing.T) {
	this, err := cells.ThisBuild("")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := unfinishedDir("out")
	if want := filepath.Join("out", unfinishedName, this.Sum[:16]); err != nil || dir != want {
		t.Errorf("%s, %v, want %s", dir, err, want)
	}
}
