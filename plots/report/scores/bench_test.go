package scores

import (
	"os"
	"strings"
	"testing"

	"revopt/simulate/bench"
)

// TestDocumentIsCurrent: the table of the best schedules in the document is that of the stored scores and bounds.
func TestDocumentIsCurrent(t *testing.T) {
	data, err := os.ReadFile("../../../docs/benchmark.md")
	if err != nil {
		t.Fatal(err)
	}
	want := BenchTable{Standings: &bench.Standings{Best: bench.Known()}}.Tables()[0].Markdown()
	if !strings.Contains(string(data), want) {
		t.Errorf("docs/benchmark.md: run make scores; expected\n%s", want)
	}
}
