//go:build readings

package paper

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"revopt/internal/safefile"
	"revopt/plots"
	"revopt/plots/wording"
)

var (
	traceFile    = flag.String("trace", sp2File, "SWF trace for figures of the SP2; empty means generated jobs")
	replications = flag.Int("replications", 0, "replications of each simulated point; 0 means the figure's own number")
	quick        = flag.Bool("quick", false, "fewer points and shorter runs")
	out          = flag.String("out", "../../docs/readings", "directory to write to")
)

// TestVerdicts decides all claims of a paper under all its readings, and writes the verdicts. It takes hours:
// see make readings.
func TestVerdicts(t *testing.T) {
	for _, paper := range papers {
		t.Run(paper, func(t *testing.T) {
			o := Options{
				Quick: *quick, Replications: *replications, Trace: *traceFile, Seed: 1, Workers: 2, Shared: new(Shared),
			}
			m := newMatrix(paper)
			err := m.decide(func(r claimReading) *evidence { return newEvidence(t.Context(), o, r) })
			if err != nil {
				t.Fatal(err)
			}
			err = os.MkdirAll(*out, 0o755)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(*out, filepath.Base(verdictFile(paper)))
			err = safefile.Guard{}.Write(path, func(w io.Writer) error {
				return wording.WriteCSV(w, plots.Provenance{Seed: &o.Seed, Command: "make readings"}, m.records)
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
