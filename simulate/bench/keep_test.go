package bench

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
)

// knownFiles is the directory of the schedules.
const knownFiles = "../../testdata/bench/known"

// keptNow reads the schedules of the directory, which may be newer than those that the test carries.
func keptNow(t *testing.T) []Kept {
	paths, _ := filepath.Glob(knownFiles + "/*/*/*.csv.gz")
	return text.Each(paths, func(path string) Kept {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		k, err := readKept(path, f)
		if err != nil {
			t.Fatal(path, err)
		}
		return k
	})
}

// keep writes a schedule, in the order of the jobs and with times of 12 digits, and removes what it beats.
func keep(t *testing.T, in *Instance, c *Checked, data []byte) {
	kind := map[bool]string{false: "online", true: "offline"}[*offline]
	for _, k := range keptNow(t) {
		beaten := k.Name == in.Name && (c.Table == Whole || k.Table == Any) && (k.Offline || !*offline)
		if beaten && in.better(c.Value, k.Value) {
			os.Remove(k.path)
		}
	}
	source, err := plain(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	if _, err := all.ReadFrom(source); err != nil {
		t.Fatal(err)
	}
	list, err := readSchedule(bytes.NewReader(all.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	slices.SortStableFunc(list, func(a, b stint) int { return a.job - b.job })
	var out bytes.Buffer
	for line := range strings.Lines(all.String()) {
		if strings.HasPrefix(line, "# policy: ") || strings.HasPrefix(line, "# command: ") || strings.HasPrefix(line, "# version: ") {
			out.WriteString(line)
		}
	}
	fmt.Fprintf(&out, "# value: %v\njob,start,end\n", c.Value)
	for _, at := range list {
		if at.start == at.start {
			fmt.Fprintf(&out, "%d,%.12g,%.12g\n", at.job, at.start, at.end)
		}
	}
	path := filepath.Join(knownFiles, kind, c.Table, in.Name+".csv.gz")
	var packed bytes.Buffer
	w, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	w.Write(out.Bytes())
	w.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}
