package workdir

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
)

// Slurm runs work as array jobs of a Slurm cluster. Each task runs a shard into
// the directory, which the cluster's nodes must share with this machine.
type Slurm struct {
	Name    string   // of the jobs
	Command []string // of a task, to which --shard i/n and --workers n are added
	Dir     string   // absolute path
	Tasks   int      // shards
	Args    []string // more arguments for sbatch
	NoWait  bool     // submit and leave
	Log     func(line string)
	// Missing returns how much is finished, in any unit, and the shards, from 1, that have more to do.
	Missing func(ctx context.Context) (finished int, shards []int, err error)
}

const (
	attempts    = 3            // job arrays in a row that finish nothing before giving up
	slurmJobs   = "slurm-jobs" // the jobs submitted, one per line
	slurmScript = "slurm.sh"
)

// Run submits the shards that are not finished, waits for them, and submits those that
// failed or have more to do again. It reports whether all is finished: not if it does not wait.
func (s *Slurm) Run(ctx context.Context) (done bool, err error) {
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return false, err
	}
	lock, err := lockFile(s.Dir, lockName+"-slurm", false)
	if err != nil {
		return false, err
	}
	defer lock.Close()
	left, before := 0, -1
	for ; ; left-- {
		finished, missing, err := s.Missing(ctx)
		if err != nil || len(missing) == 0 {
			return err == nil, err
		}
		if finished > before {
			left, before = attempts, finished
		}
		if left == 0 {
			return false, fmt.Errorf("shards %s of %d failed again, see the logs slurm-*.log in %s",
				ranges(missing), s.Tasks, s.Dir)
		}
		if err := s.submit(ctx, missing); err != nil || s.NoWait {
			return false, err
		}
	}
}

// submit submits an array job of the given shards and, unless it is not to
// wait, waits until it has ended, well or badly.
func (s *Slurm) submit(ctx context.Context, shards []int) error {
	script := filepath.Join(s.Dir, slurmScript)
	if err := s.writeScript(script); err != nil {
		return err
	}
	args := []string{"--parsable", "--job-name=" + s.Name, "--output=" + s.output()}
	if !s.NoWait {
		args = append(args, "--wait")
	}
	args = append(append(args, s.Args...), "--array="+ranges(shards), script)
	cmd := exec.CommandContext(ctx, "sbatch", args...)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return fmt.Errorf("cannot submit to Slurm: %w", err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	job, _, _ := strings.Cut(strings.TrimSpace(line), ";") // the cluster's name may follow
	if _, err := strconv.Atoi(job); err != nil {
		cmd.Wait()
		return fmt.Errorf("sbatch refused the job: %s", strings.TrimSpace(line+" "+problem.String()))
	}
	noted := s.logJob(job, shards)
	cmd.Wait() // the journals say how the tasks ended
	return errors.Join(noted, ctx.Err())
}

// output returns where tasks log to. In the directory a per cent sign is one.
func (s *Slurm) output() string {
	return filepath.Join(strings.ReplaceAll(s.Dir, "%", "%%"), "slurm-%A_%a.log")
}

// logJob writes down a job, so that it can be canceled.
func (s *Slurm) logJob(job string, shards []int) error {
	if s.Log != nil {
		s.Log(fmt.Sprintf("Slurm job %s: shards %s of %d", job, ranges(shards), s.Tasks))
	}
	f, err := safefile.OpenRegular(filepath.Join(s.Dir, slurmJobs), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, job+"\n")
	return errors.Join(err, f.Close())
}

// writeScript writes the script of a task. A link in its place is replaced.
func (s *Slurm) writeScript(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, s.script())
	return errors.Join(err, f.Close())
}

func (s *Slurm) script() string {
	words := text.Each(s.Command, text.ShellQuote)
	const script = "#!/bin/sh\nexec %s --shard \"$SLURM_ARRAY_TASK_ID/%d\" --workers \"${SLURM_CPUS_PER_TASK:-1}\"\n"
	return fmt.Sprintf(script, strings.Join(words, " "), s.Tasks)
}

// ranges writes ascending numbers as Slurm does: 1-3,5.
func ranges(list []int) string {
	var words []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		word := strconv.Itoa(list[i])
		if k > i {
			word += "-" + strconv.Itoa(list[k])
		}
		words = append(words, word)
		i = k + 1
	}
	return strings.Join(words, ",")
}

// CancelSlurm cancels the jobs that were submitted for a directory and returns them. The finished work of their tasks is
// kept. It is an error if there are no jobs.
func CancelSlurm(ctx context.Context, dir string) ([]string, error) {
	jobs, err := submitted(filepath.Join(dir, slurmJobs))
	if err != nil {
		return nil, err
	}
	if jobs == nil {
		return nil, fmt.Errorf("%s: no jobs were submitted for it", dir)
	}
	if out, err := exec.CommandContext(ctx, "scancel", jobs...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("scancel: %w: %s", err, strings.TrimSpace(string(out)))
	}
	return jobs, nil
}

// submitted reads a list of jobs. A list that does not exist is empty.
func submitted(path string) ([]string, error) {
	f, err := safefile.OpenRegular(path, os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	jobs := slices.Compact(strings.Fields(string(text)))
	for _, job := range jobs {
		if _, err := strconv.Atoi(job); err != nil {
			return nil, fmt.Errorf("%s: not a list of jobs", path)
		}
	}
	return jobs, nil
}
