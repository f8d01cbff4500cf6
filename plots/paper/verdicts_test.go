//go:build readings

package paper

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/plots"
)

var (
	traceFile    = flag.String("trace", sp2File, "SWF trace for figures of the SP2; empty means generated jobs")
	replications = flag.Int("replications", 0, "replications of each simulated point; 0 means the figure's own number")
	quick        = flag.Bool("quick", false, "fewer points and shorter runs")
	out          = flag.String("out", "../../docs/readings", "directory to write to")
	commit       = flag.String("commit", "", "commit of the program")
	only         = flag.String("only", "", "regular expression of claims to decide again; others keep their verdicts")
)

// TestVerdicts decides all claims of a paper under both readings, and writes the verdicts. See make readings.
func TestVerdicts(t *testing.T) {
	for _, paper := range papers {
		t.Run(paper, func(t *testing.T) {
			o := Options{
				Quick: *quick, Replications: *replications, Trace: *traceFile, Seed: 1, Workers: 2, Shared: new(Shared),
			}
			m := newMatrix(paper)
			if *only != "" {
				m = readMatrix(t, paper)
			}
			chosen := func(c claim) bool { return regexp.MustCompile(*only).MatchString(c.id) }
			err := m.decide(chosen, func(r Reading) *evidence { return newEvidence(t.Context(), o, r) })
			if err != nil {
				t.Fatal(err)
			}
			if *only != "" {
				m.refresh(t, fmt.Sprintf("# version of %s: %s", *only, *commit))
				return
			}
			err = os.MkdirAll(*out, 0o755)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(*out, filepath.Base(verdictFile(paper)))
			err = safefile.Guard{}.Write(path, func(w io.Writer) error {
				p := plots.Provenance{Seed: &o.Seed, Command: "make readings", Version: *commit}
				p.Extra = []plots.Pair{{Key: "replications", Value: fmt.Sprint(*replications)}}
				return text.WriteCSV(w, p, m.records)
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
