package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// records opens a journal and returns what is in it.
func records(t *testing.T, path, work string) (*Journal, []string) {
	t.Helper()
	var got []string
	j, err := OpenJournal(path, work, func(p []byte) error { got = append(got, string(p)); return nil })
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
	want := write(t, path, 12)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut <= len(data); cut++ {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		whole := max(0, bytes.Count(data[:cut], []byte("\n"))-1)
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
// the next with it where the line feed between them is; all others are there.
func TestJournalDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	want := write(t, path, 8)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(data, '\n') + 1
	for i := head; i < len(data); i++ {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x04
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		var got []string
		err := ReadJournal(path, "work", func(p []byte) error { got = append(got, string(p)); return nil })
		if err != nil {
			t.Fatal(err)
		}
		lost := bytes.Count(data[head:i], []byte("\n"))
		next := lost + 1
		if data[i] == '\n' {
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
	if _, err := OpenJournal(path, "other", nil); !errors.Is(err, ErrOtherWork) {
		t.Errorf("error %v, want %v", err, ErrOtherWork)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the journal of other work was changed")
	}
	if err := ReadJournal(filepath.Join(t.TempDir(), "none"), "work", nil); err != nil {
		t.Errorf("a journal that does not exist: %v", err)
	}
}

func BenchmarkJournalAppend(b *testing.B) {
	j, err := OpenJournal(filepath.Join(b.TempDir(), "journal"), "work", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	payload := bytes.Repeat([]byte("0123456789"), 30)
	b.ReportAllocs()
	for b.Loop() {
		if err := j.Append(payload); err != nil {
			b.Fatal(err)
		}
	}
}
