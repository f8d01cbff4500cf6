//go:build linux && !race

// The race detector itself takes more address space than these tests leave.

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// limited runs a command line as a process with so many KiB of address space.
func limited(space string, args ...string) outcome {
	words := append([]string{"-c", `ulimit -v "$0"; exec "$@"`, space, os.Args[0]}, args...)
	cmd := exec.Command("sh", words...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "GODEBUG=", "MALLOC_ARENA_MAX=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Run()
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// TestAddressSpace: a lack of memory is one line and exit code 1, whether the program foresees it or its runtime
// runs into it. Bad usage is 2, as without a limit.
func TestAddressSpace(t *testing.T) {
	for _, space := range []string{"1000000", "1600000", "2200000", "3000000"} {
		if limited(space, "version").code != exitDone {
			continue // the runtime does not start
		}
		many := []string{"simulate", "nist-four", "--replications", "9000000", "--quiet"}
		for _, test := range []struct {
			args []string
			code int
			want string
		}{
			{append(many, "--max-memory", "1000GB"), exitFailed, "revopt: not enough memory: the address space is limited to "},
			{many, exitFailed, "revopt: 9,000,000 replications of 1 run at 1 point ask for about "},
			{append(many, "--max-memory", "100MB"), exitUsage, "revopt: 9,000,000 replications of 1 run at 1 point ask for "},
			{[]string{"solve", "nist-fuor"}, exitUsage, "revopt: nist-fuor: no such file"},
			{[]string{"solve", "nist-one", "--no-check"}, exitDone, ""},
		} {
			o := limited(space, test.args...)
			if strings.Contains(o.stderr, "supervise.Run(") {
				t.Skip("the runtime of the parent has not enough memory")
			}
			if o.code != test.code || !strings.HasPrefix(o.stderr, test.want) ||
				strings.Count(o.stderr, "\n") != min(1, len(test.want)) || (o.stdout != "") != (test.code == exitDone) {
				t.Errorf("%s KiB, %v: exit %d: %.500s", space, test.args, o.code, o.stderr)
			}
		}
		return
	}
	t.Skip("the runtime does not start in so little memory")
}
