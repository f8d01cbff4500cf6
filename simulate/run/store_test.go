package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"revopt/internal/workdir"
)

func testBuild(letters string) workdir.Build {
	return workdir.Build{Sum: strings.Repeat(letters, 32), Version: "v1"}
}

// testRecord is different for every replication, and lacks a column in every other one.
func testRecord(k int) Record {
	r := Record{}
	r.set(All, ColumnMeanWait, float64(k)/3)
	r.set(Customer(`a "name"`), ColumnValue, -1e300/float64(k+1))
	if k%2 == 0 {
		r.set(All, ColumnSplit, 1)
	}
	return r
}

func testCase(row, replication int) Case {
	return Case{Inputs: "sum", Set: []string{"load=0.9"}, Do: Action{Policy: "hol"}, Seed: uint64(row), Replication: replication}
}

// fill puts the records that a store does not have, and returns how many these are.
func fill(t *testing.T, dir string, rows, replications int) (missing int) {
	t.Helper()
	s, err := OpenStore(dir, StoreOptions{Build: testBuild("ab")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for row := range rows {
		for k := range replications {
			c := testCase(row, k)
			if r, known := s.Get(c); known {
				if !reflect.DeepEqual(r, testRecord(k)) {
					t.Errorf("row %d, replication %d: %+v, want %+v", row, k, r, testRecord(k))
				}
				continue
			}
			missing++
			if err := s.Put(c, testRecord(k)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return missing
}

// TestStore cuts and damages the journal of a store at every place: what is lost is computed again, nothing is changed,
// and a damaged line costs at most its record, or two where it is the end of a line.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	path := workdir.JournalPath(dir, workdir.Shard{})
	const rows, replications = 2, 4
	if n := fill(t, dir, rows, replications); n != rows*replications {
		t.Fatalf("%d records are new", n)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(whole, []byte(` case {`)); n != rows {
		t.Errorf("%d lines of cases, want %d: one for each row\n%s", n, rows, whole)
	}
	if n := fill(t, dir, rows, replications); n != 0 {
		t.Errorf("%d records were lost", n)
	}
	for cut := len(whole); cut >= 0; cut -= 61 {
		if err := os.WriteFile(path, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		fill(t, dir, rows, replications)
		if n := fill(t, dir, rows, replications); n != 0 {
			t.Fatalf("cut at %d: %d records are not kept", cut, n)
		}
	}
	for at := 0; at < len(whole); at += 37 {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 4
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if n := fill(t, dir, rows, replications); n > 2 {
			t.Fatalf("damage at %d costs %d records", at, n)
		}
	}
}

// TestRefused: stores of other builds and formats stay as they are, and a store that is in use is locked.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, 1, 2)
	before, err := os.ReadFile(workdir.JournalPath(dir, workdir.Shard{}))
	if err != nil {
		t.Fatal(err)
	}
	var build *workdir.OtherBuildError
	_, err = OpenStore(dir, StoreOptions{Build: testBuild("cd")})
	if !errors.As(err, &build) {
		t.Errorf("another build: %v", err)
	}
	after, _ := os.ReadFile(workdir.JournalPath(dir, workdir.Shard{}))
	if !bytes.Equal(before, after) {
		t.Error("the store of another build was changed")
	}
	read, err := OpenStore(dir, StoreOptions{Build: testBuild("cd"), ReadOnly: true, AnyBuild: true})
	if err != nil || len(read.Cases()) != 2 || read.Cases()[1].Replication != 1 {
		t.Errorf("read only: %v", err)
	}
	open, err := OpenStore(dir, StoreOptions{Build: testBuild("ab")})
	if err != nil {
		t.Fatal(err)
	}
	var locked *workdir.LockedError
	_, err = OpenStore(dir, StoreOptions{Build: testBuild("ab")})
	if !errors.As(err, &locked) {
		t.Errorf("a store in use: %v", err)
	}
	open.Close()

	old := t.TempDir()
	j, err := workdir.OpenJournal(filepath.Join(old, "journal"), workdir.Identity{Work: `{"plan":1}`, Build: testBuild("ab")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	j.Close()
	var format *workdir.OtherWorkError
	_, err = OpenStore(old, StoreOptions{Build: testBuild("ab")})
	if !errors.As(err, &format) {
		t.Errorf("a journal of plans: %v", err)
	}
}

// TestShards: every point belongs to one shard, with all its cases, and shards see the records of each other.
func TestShards(t *testing.T) {
	const shards = 3
	for load := range 50 {
		c := Case{Set: []string{"load=" + string(rune('a'+load))}}
		other := c.At(7)
		other.Do.Policy = "easy"
		owners := 0
		for i := range shards {
			shard := workdir.Shard{Index: i + 1, Of: shards}
			if c.in(shard) {
				owners++
			}
			if c.in(shard) != other.in(shard) {
				t.Errorf("cases of one point are in different shards")
			}
		}
		if owners != 1 {
			t.Errorf("%d shards have a point", owners)
		}
	}
	dir := t.TempDir()
	for i := range 2 {
		s, err := OpenStore(dir, StoreOptions{Build: testBuild("ab"), Shard: workdir.Shard{Index: i + 1, Of: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != i {
			t.Errorf("shard %d sees %d records", i+1, s.Len())
		}
		if err := errors.Join(s.Put(testCase(i, 0), testRecord(0)), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if n := fill(t, dir, 2, 1); n != 0 {
		t.Errorf("%d records of shards are not found", n)
	}
}

// FuzzRecord reads anything as a record: it is refused, or written and read again as it was.
func FuzzRecord(f *testing.F) {
	text, _ := json.Marshal(testRecord(2))
	f.Add(string(text))
	f.Add(`{"groups":{"all":[1]}}`)
	f.Add(`{"groups":{"all":{"a":1e999}},"controls":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		var r, again Record
		if json.Unmarshal([]byte(text), &r) != nil {
			return
		}
		first, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatalf("%v in %s", err, first)
		}
		second, _ := json.Marshal(again)
		if !bytes.Equal(first, second) {
			t.Errorf("%s, then %s", first, second)
		}
	})
}
