//go:build unix

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fakeSlurm puts commands in front of Slurm's that run tasks here, one by one.
// The first job's second task dies before it does anything.
func fakeSlurm(t *testing.T) (log string) {
	t.Helper()
	bin := t.TempDir()
	log = filepath.Join(bin, "log")
	for name, text := range map[string]string{
		"sbatch": `#!/bin/sh
echo "sbatch $*" >> "$FAKE_SLURM/log"
job=$(grep -c ^sbatch "$FAKE_SLURM/log")
for arg; do
	case $arg in --array=*) array=${arg#--array=} ;; esac
	script=$arg
done
echo "$job;cluster"
case $* in *--wait*) ;; *) exit 0 ;; esac
for part in $(echo "$array" | tr , ' '); do
	for task in $(seq "${part%-*}" "${part#*-}"); do
		[ "$job.$task" = 1.2 ] && continue
		SLURM_ARRAY_TASK_ID=$task sh "$script" || exit 1
	done
done
`,
		"scancel": `#!/bin/sh
echo "scancel $*" >> "$FAKE_SLURM/log"
`} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_SLURM", bin)
	t.Setenv(asProgram, "1")
	return log
}

// TestSweepSlurm checks the table of array jobs, and that only the shard that
// failed is submitted again.
func TestSweepSlurm(t *testing.T) {
	file, dir := sweepFile(t, 200), filepath.Join(t.TempDir(), "it's here")
	want := sweepTableOf(t, file)
	log := fakeSlurm(t)
	must(t, "sweep", file, "-o", dir, "--engine", "slurm", "--tasks", "4", "--sbatch-arg=--time=10")
	checkSweep(t, dir, want)
	calls := strings.Split(strings.TrimSpace(readText(t, log)), "\n")
	if len(calls) != 2 || !strings.Contains(calls[0], "--array=1-4 ") || !strings.Contains(calls[1], "--array=2 ") || !strings.Contains(calls[0], " --time=10 ") {
		t.Errorf("submitted %q", calls)
	}
	must(t, "sweep", file, "-o", dir, "--engine", "slurm") // nothing is left to submit
	must(t, "sweep", "cancel", dir)
	if calls := readText(t, log); strings.Count(calls, "sbatch") != 2 || !strings.HasSuffix(calls, "scancel 1 2\n") {
		t.Errorf("commands %q", calls)
	}
}

func TestSweepSlurmFails(t *testing.T) {
	file, dir := sweepFile(t, 200), t.TempDir()
	t.Setenv("PATH", dir)
	if o := try("sweep", file, "-o", dir, "--engine", "slurm"); o.code != exitFailed || !strings.Contains(o.stderr, "cannot submit to Slurm") {
		t.Errorf("without Slurm: %v", o)
	}
	for name, text := range map[string]string{"false": "#!/bin/sh\necho no such partition >&2\nexit 1\n", "again": "#!/bin/sh\necho 7\n"} {
		if err := os.WriteFile(filepath.Join(dir, "sbatch"), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{"false": "sbatch refused the job: no such partition", "again": "of 8 failed again, see the logs"}[name]
		if o := try("sweep", file, "-o", dir, "--engine", "slurm"); o.code != exitFailed || !strings.Contains(o.stderr, want) {
			t.Errorf("%s: %v", name, o)
		}
	}
	if o := try("sweep", "cancel", t.TempDir()); o.code != exitFailed || !strings.Contains(o.stderr, "no jobs were submitted") {
		t.Errorf("cancel of nothing: %v", o)
	}
}
