//go:build long

package exec_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/exec"
	"revopt/simulate/policy/policytest"
)

// flip is a program that suspends the only job after a second and starts it after another one, for ever.
func flip(in io.Reader, out io.Writer) {
	input := bufio.NewReader(in)
	fmt.Fprintln(out, `{"hello":2,"fields":[]}`)
	for n := 0; ; n++ {
		line, err := input.ReadBytes('\n')
		var m message
		if err != nil || json.Unmarshal(line, &m) != nil || m.Bye > 0 {
			return
		}
		switch {
		case m.Hello > 0:
		case len(m.Finish) > 0:
			fmt.Fprintln(out, "{}")
		default:
			fmt.Fprintf(out, "{\"%s\":[0],\"wake\":%g}\n", []string{"suspend", "start"}[n%2], m.Now+1)
		}
	}
}

// TestFutile: a program that suspends for ever ends the run if no job gets closer to its end.
func TestFutile(t *testing.T) {
	for cost, want := range map[string]string{"0": "", "0.5": "", "1": " suspensions in a row, from 2 s to "} {
		requests, messages := io.Pipe()
		replies, replied := io.Pipe()
		go flip(requests, replied)
		spec := exec.Spec(exec.Options{Parent: func() (io.Reader, io.Writer) { return replies, messages }})
		list, _, err := spec.Build(policy.Settings{"command": "-", "preempt-cost": cost}, policy.Sites(4))
		if err != nil {
			t.Fatal(err)
		}
		jobs := policytest.Given{{Submit: 1, Work: 100, Width: 1}}
		_, err = simulate.Run(t.Context(), simulate.Config{
			Source: &jobs, Sites: []simulate.Site{{Processors: 4, Policy: list[0]}},
		})
		list[0].(io.Closer).Close()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("cost %s: got %v, want %s", cost, err, want)
		}
	}
}
