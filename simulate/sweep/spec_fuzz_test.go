package sweep

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"revopt/model/scenario"
)

// FuzzSpec reads anything as a sweep file: what is wrong with it is said in one
// line, and what is not is written and read back as the same.
func FuzzSpec(f *testing.F) {
	for _, text := range stagedSweeps {
		f.Add([]byte(text))
	}
	for _, text := range []string{smallSweep, "scenario: |\n  a: 1\n", "scenario: nist-one\nseeds: {precision: 1%}\n", "scenario: sp2-sla\nvary: {policies.libra+$.beta: 0:1:x3}\n",
		"scenario: nist-two\nset: {name: \"'\"}\n", "scenario: [x]\n", "scenario: nist-one\nadmissions: [[1], {simulated: {step: 1%}}]\nseed: 1e3\n"} {
		f.Add([]byte(text))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		if bytes.Contains(text, []byte("/")) {
			t.Skip("may be a device")
		}
		spec, err := ParseSpec(dir+"/s.yaml", text)
		if err != nil {
			var e *scenario.Error
			if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 2000 {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		var out bytes.Buffer
		if err := spec.WriteYAML(&out); err != nil {
			t.Fatal(err)
		}
		again, err := ParseSpec(dir+"/s.yaml", out.Bytes())
		if err != nil || again.work() != spec.work() {
			t.Fatalf("%s was written as\n%s%v", text, out.Bytes(), err)
		}
	})
}
