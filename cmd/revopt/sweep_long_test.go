//go:build long && unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func init() {
	sweepKills, commandKills, killedSize = 50, 15, 10
	// Without the race detector, so that runs of seconds do not take minutes.
	killedProgram = func(t *testing.T) string {
		program := os.Getenv("REVOPT_PROGRAM")
		if program == "" {
			program = filepath.Join(t.TempDir(), "revopt")
			if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
		}
		return program
	}
}
