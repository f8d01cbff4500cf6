//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package workdir

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// begin starts work in a directory, as a store does: it locks it, reads the journals of others and opens its own.
func begin(dir string, shard Shard) error {
	release, err := LockDirectory(dir, shard)
	if err != nil {
		return err
	}
	defer release()
	paths, err := Journals(dir)
	if err != nil {
		return err
	}
	ignore := func([]byte) error { return nil }
	own := JournalPath(dir, shard)
	for _, path := range paths {
		if path == own {
			continue
		}
		if err := ReadJournal(path, testID("work"), ignore); err != nil {
			return err
		}
	}
	j, err := OpenJournal(own, testID("work"), ignore)
	if err != nil {
		return err
	}
	return j.Close()
}

// TestLocked checks that the message names the holder.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	release, err := LockDirectory(dir, Shard{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, shard := range []Shard{{}, {1, 2}} {
		err := begin(dir, shard)
		var locked *LockedError
		if !errors.As(err, &locked) || locked.Dir != dir || locked.Holder.PID != os.Getpid() || time.Since(locked.Holder.Since) > time.Minute {
			t.Fatalf("shard %v: %v", shard, err)
		}
		if host, _ := os.Hostname(); !strings.Contains(err.Error(), "host "+host+", process ") {
			t.Errorf("message %v", err)
		}
	}
	if _, err := LockDirectory(dir, Shard{2, 2}); err != nil {
		t.Errorf("another shard: %v", err)
	}
	// A program that is not of this package holds the lock of one that has ended.
	ended := exec.Command("true")
	host, _ := os.Hostname()
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(Holder{host, ended.Process.Pid, time.Now()})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, lockName), text, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LockDirectory(dir, Shard{}); err == nil || !strings.Contains(err.Error(), "which has ended: another program holds ") {
		t.Errorf("stale: %v", err)
	}
	release()
}

// TestModes checks that the mask of the user decides who may read results, and
// that only those can lock who can write.
func TestModes(t *testing.T) {
	for mask, want := range map[int][3]os.FileMode{0o022: {0o755, 0o644, 0o600}, 0o002: {0o775, 0o664, 0o660}, 0o077: {0o700, 0o600, 0o600}, 0o027: {0o750, 0o640, 0o600}, 0: {0o777, 0o666, 0o666}} {
		dir := filepath.Join(t.TempDir(), "out")
		old := syscall.Umask(mask)
		err := begin(dir, Shard{})
		syscall.Umask(old)
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range []string{dir, filepath.Join(dir, journalFile), filepath.Join(dir, lockName)} {
			info, err := os.Stat(path)
			if err != nil || info.Mode().Perm() != want[i] {
				t.Errorf("mask %03o: %s has mode %v, want %v: %v", mask, filepath.Base(path), info.Mode(), want[i], err)
			}
		}
	}
}

// TestPlanted puts links and pipes in the place of the files of a directory.
func TestPlanted(t *testing.T) {
	for _, name := range []string{journalFile, lockName, "journal-3-of-4"} {
		dir := t.TempDir()
		target := filepath.Join(t.TempDir(), "target")
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := begin(dir, Shard{}); err == nil || !strings.Contains(err.Error(), "symbolic link") {
			t.Errorf("%s is a link: %v", name, err)
		}
		if _, err := os.Lstat(target); err == nil {
			t.Errorf("%s was followed", name)
		}
		os.Remove(filepath.Join(dir, name))
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := begin(dir, Shard{}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s is a pipe: %v", name, err)
		}
	}
}

// TestSlurmScript puts a link in the place of the script.
func TestSlurmScript(t *testing.T) {
	dir := t.TempDir()
	path, target := filepath.Join(dir, slurmScript), filepath.Join(t.TempDir(), "precious")
	if err := os.WriteFile(target, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	s := &Slurm{Command: []string{"/opt/it's", "sweep"}, Dir: dir, Tasks: 5}
	for range 2 {
		if err := s.writeScript(path); err != nil {
			t.Fatal(err)
		}
	}
	if text, _ := os.ReadFile(target); string(text) != "precious" {
		t.Errorf("the target holds %q", text)
	}
	want := "#!/bin/sh\nexec '/opt/it'\\''s' 'sweep' --shard \"$SLURM_ARRAY_TASK_ID/5\" --workers \"${SLURM_CPUS_PER_TASK:-1}\"\n"
	if text, _ := os.ReadFile(path); string(text) != want {
		t.Errorf("the script is %q, want %q", text, want)
	}
}
