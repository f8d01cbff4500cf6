//go:build long && unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

const (
	commandKills = 12 // how often each command is killed
	killedSize   = 10 // how much it does
)

// killedProgram builds the program without the race detector, so that runs of seconds
// do not take minutes.
func killedProgram(t *testing.T) string {
	program := os.Getenv("REVOPT_PROGRAM")
	if program == "" {
		program = filepath.Join(t.TempDir(), "revopt")
		if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "..").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	return program
}

// TestKilled kills commands that run for seconds, often.
func TestKilled(t *testing.T) {
	program := killedProgram(t)
	all := killedCommands(killedSize)
	for name, args := range all {
		t.Run(name, func(t *testing.T) { killOften(t, program, args, killedSweep(killedSize), commandKills) })
	}
}
