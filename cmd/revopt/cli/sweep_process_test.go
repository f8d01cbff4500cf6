//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startSweep starts a sweep as a process.
func startSweep(t *testing.T, file, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"sweep", file, "-o", dir, "--quiet"}, args...)...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// TestSweepLock runs two processes on one directory.
func TestSweepLock(t *testing.T) {
	file, dir := sweepFile(t, 50000), t.TempDir()
	cmd := startSweep(t, file, dir)
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 10000 {
		if _, err := os.Stat(filepath.Join(dir, "sweep.json")); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for _, args := range [][]string{{}, {"--shard", "1/2"}} {
		o := try(append([]string{"sweep", file, "-o", dir}, args...)...)
		if o.code != exitFailed || !strings.Contains(o.stderr, "another process is at work on this directory: host ") {
			t.Errorf("two processes %v: %v", args, o)
		}
	}
	must(t, "sweep", "status", dir)
	cmd.Process.Kill()
	cmd.Wait()
	must(t, "sweep", file, "-o", dir, "--shard", "1/200") // the lock died with the process
}
