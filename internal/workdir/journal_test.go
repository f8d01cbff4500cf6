package workdir

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// testID is the identity of a journal of this build.
func testID(work string) Identity {
	return Identity{Work: work, Build: Build{Sum: strings.Repeat("ab", 32), Version: "v1"}}
}

// records opens a journal and returns what is in it.
func records(t *testing.T, path, work string) (*Journal, []string) {
	t.Helper()
	var got []string
	j, err := OpenJournal(path, testID(work), func(p []byte) error { got = append(got, string(p)); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return j, got
}

// write makes a journal of n records of very different lengths.
func write(t *testing.T, path string, n int) []string {
	t.Helper()
	rnd := rand.New(rand.NewPCG(1, 2))
	j, _ := records(t, path, "work")
	var want []string
	for i := range n {
		r := fmt.Sprintf("%d %s", i, bytes.Repeat([]byte("x"), rnd.IntN(50)))
		want = append(want, r)
		if err := j.Append([]byte(r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return want
}

// TestJournalCut cuts a journal at every byte: the whole records before the
// cut are there, nothing else is, and appending goes on from there.
func TestJournalCut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	want := write(t, path, 6)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(data); cut++ {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		whole := max(0, bytes.Count(data[:cut], []byte("\n"))-headerLines)
		j, got := records(t, path, "work")
		if len(got) != whole {
			t.Fatalf("cut at %d of %d: %d records, want %d", cut, len(data), len(got), whole)
		}
		if err := j.Append([]byte("after")); err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		j, got = records(t, path, "work")
		j.Close()
		if len(got) != whole+1 || got[whole] != "after" {
			t.Fatalf("cut at %d: after appending %q", cut, got)
		}
		for i := range whole {
			if got[i] != want[i] {
				t.Fatalf("cut at %d: record %d is %q, want %q", cut, i, got[i], want[i])
			}
		}
	}
}

// TestJournalDamage flips every byte in turn: the damaged record is lost, and
// the next with it where the line feed between them is; all others are there. In the
// header nothing is lost, except with the line feed before the first record.
func TestJournalDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	want := write(t, path, 4)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := 0
	for range headerLines {
		head += bytes.IndexByte(data[head:], '\n') + 1
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x04
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := ReadJournal(path, testID("work"), func(p []byte) error { got = append(got, string(p)); return nil })
		if err != nil {
			t.Fatal(err)
		}
		lost, next := 0, 0
		if i >= head {
			lost = bytes.Count(data[head:i], []byte("\n"))
			next = lost + 1
		}
		if data[i] == '\n' && i >= head-1 {
			next++
		}
		left := slices.Concat(want[:lost], want[min(next, len(want)):])
		if !slices.Equal(got, left) {
			t.Fatalf("byte %d flipped: %q, want %q", i, got, left)
		}
		j, _ := records(t, path, "work")
		if err := errors.Join(j.Append([]byte("after")), j.Close()); err != nil {
			t.Fatal(err)
		}
		j, got = records(t, path, "work")
		j.Close()
		if !slices.Equal(got, append(left, "after")) {
			t.Fatalf("byte %d flipped, then appended: %q", i, got)
		}
	}
}

// TestJournalSync: records reach the disk while the journal is open, and at its end.
func TestJournalSync(t *testing.T) {
	path, synced := filepath.Join(t.TempDir(), "journal"), make(chan string, 9)
	defer func(f func(*os.File) error) { fsync = f }(fsync)
	fsync = func(*os.File) error {
		text, err := os.ReadFile(path)
		synced <- string(text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:])
		return err
	}
	j, _ := records(t, path, "work")
	for _, record := range []string{"1 open", "2 closed"} {
		if err := j.Append([]byte(record)); err != nil {
			t.Fatal(err)
		}
		if record == "2 closed" {
			j.Close()
		}
		for last := ""; !strings.HasSuffix(last, record+"\n"); {
			select {
			case last = <-synced:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s is not on the disk", record)
			}
		}
	}
}

// TestJournalFull writes records for which there is no room: none of them is kept, as
// the error says.
func TestJournalFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	want := write(t, path, 2)
	j, _ := records(t, path, "work")
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var old syscall.Rlimit
	info, err := os.Stat(path)
	if err := errors.Join(err, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old)); err != nil {
		t.Skip(err)
	}
	room := syscall.Rlimit{Cur: uint64(info.Size()) + 20, Max: old.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		t.Skip(err)
	}
	err = j.Append([]byte("2 here"), []byte("3 there"))
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old)
	j.Close()
	if _, got := records(t, path, "work"); err == nil || !slices.Equal(got, want) {
		t.Errorf("error %v, records %q, want %q", err, got, want)
	}
}

// TestJournalRemoved takes the file away from an open journal: it says so rather
// than to keep records where nobody finds them.
func TestJournalRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	write(t, path, 3)
	j, _ := records(t, path, "work")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := j.Append([]byte("lost")); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); !errors.Is(err, errRemoved) {
		t.Errorf("closed with %v, want %v", err, errRemoved)
	}
}

func TestJournalOfOtherWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	write(t, path, 3)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var other *OtherWorkError
	if _, err := OpenJournal(path, testID("other"), nil); !errors.As(err, &other) {
		t.Errorf("error %v", err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the journal of other work was changed")
	}
	if err := ReadJournal(filepath.Join(t.TempDir(), "none"), testID("work"), nil); err != nil {
		t.Errorf("a journal that does not exist: %v", err)
	}
}

// TestJournalOfOtherBuild opens a journal with another build: it is refused and
// stays as it is. It can be read where any build is welcome.
func TestJournalOfOtherBuild(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	want := write(t, path, 3)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := testID("work")
	other.Build = Build{strings.Repeat("cd", 32), "v2"}
	var refused *OtherBuildError
	_, err = OpenJournal(path, other, func([]byte) error { t.Error("a record was read"); return nil })
	if !errors.As(err, &refused) || refused.Got != testID("").Build || refused.Want != other.Build || refused.Dir != filepath.Dir(path) {
		t.Errorf("another build: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the journal of another build was changed")
	}
	other.AnyBuild = true
	var got []string
	err = ReadJournal(path, other, func(p []byte) error { got = append(got, string(p)); return nil })
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = OpenJournal(path, other, func([]byte) error { return nil }); !errors.As(err, &refused) {
		t.Errorf("another build goes on: %v", err)
	}
}

// FuzzJournal reads anything as a journal of some work: nothing of it panics, and
// every record that is read is one of its lines.
func FuzzJournal(f *testing.F) {
	build, err := ThisBuild("")
	if err != nil {
		f.Fatal(err)
	}
	for _, tail := range []string{"3 1 2", "-1 1 2", "99 1 2", "3 1", "3 1 2 3", "3 x y", "", "{", "3 NaN +Inf", "9999999999999999999999 1 2"} {
		f.Add("squares", string(build.record()), tail)
	}
	f.Fuzz(func(t *testing.T, name, second, third string) {
		dir := t.TempDir()
		var text []byte
		for _, line := range []string{name, second, third} {
			text = fmt.Appendf(text, "%08x %s\n", checksum([]byte(line)), line)
		}
		if err := os.WriteFile(filepath.Join(dir, journalFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
		id := Identity{Work: "squares", AnyBuild: true}
		err := ReadJournal(filepath.Join(dir, journalFile), id, func(payload []byte) error {
			if line := string(payload); line != second && line != third && !strings.Contains(name+second+third, line) {
				t.Errorf("read %q", line)
			}
			return nil
		})
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("more than a line: %v", err)
		}
	})
}
