package cli

import (
	"regexp"
	"strings"
	"testing"
)

// TestAnswerFirst: a person reads at most 60 words and 20 numbers before the answer, in the terminal of every command
// that answers a question about a site.
func TestAnswerFirst(t *testing.T) {
	t.Chdir(t.TempDir())
	few := " --jobs 60 --replications 2 --quiet"
	for line, answer := range map[string]string{
		"validate site" + few:                           `easy: [\d.,]+ \$/h, [\d.]+ % of what no policy exceeds`,
		"solve --waits site":                            `[\d.]+ min \(urgent\) to [\d.]+ h \(students\)`,
		"quote site --at 3d --job width=64,estimate=6h": `Job new starts in [\d.]+`,
		"solve site":                                    `Admit all jobs: [\d.,]+`,
		"solve nist-four --no-check":                    `The formula alone, unchecked, says [\d.,]+`,
	} {
		t.Run(line, func(t *testing.T) {
			out := must(t, strings.Fields(line)...)
			at := regexp.MustCompile(answer).FindStringIndex(out)
			if at == nil {
				t.Fatalf("no %s in\n%s", answer, out)
			}
			before := out[:at[0]]
			words, numbers := strings.Fields(before), regexp.MustCompile(`\d[\d.,]*`).FindAllString(before, -1)
			if len(words) > 60 || len(numbers) > 20 {
				t.Errorf("%d words and %d numbers before the answer:\n%s", len(words), len(numbers), before)
			}
		})
	}
}
