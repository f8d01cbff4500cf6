package run

import (
	"bytes"
	"encoding/json"
	"errors"
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
