package cli

import (
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// journaled are commands that keep a journal, of every kind of cell: replications,
// searches, bounds and fits.
func journaled() map[string][]string {
	return map[string][]string{
		"simulate":  {"simulate", "nist-cluster", "--load", "1.2", "--jobs", "100", "--replications", "3", "--admission", "all,simulated"},
		"precision": {"simulate", "nist-cluster", "--load", "1.2", "--jobs", "200", "--precision", "2%", "--policy", "hol,fcfs"},
		"validate":  {"validate", "sp2-like", "--jobs", "60", "--replications", "3", "--policy", "easy,libra"},
		"rounds":    {"validate", "nist-one", "--jobs", "30", "--precision", "10%", "--replications", "14", "--policy", "hol", "--admission", "all"},
		"whatif":    {"whatif", "site", "--jobs", "200", "--replications", "3", "--change", "trace.nodes=+16", "--change", "policy=value-bf"},
		"pools":     {"whatif", "ai-site", "--jobs", "100", "--replications", "2", "--change", "pools.*=+10%"},
		"tune":      {"tune", "site", "--jobs", "60", "--replications", "2", "--policy", "value-bf", "--vary", "future"},
	}
}

// journalCells returns the records of the journal of a directory, and fails where
// one is there twice.
func journalCells(t *testing.T, dir string) int {
	t.Helper()
	seen := map[string]bool{}
	for i, line := range strings.Split(readText(t, filepath.Join(dir, "journal")), "\n") {
		cell := cellOf(line)
		if i == 0 || cell == "" {
			continue
		}
		if seen[cell] {
			t.Errorf("%s: cell %s was computed twice", dir, cell)
		}
		seen[cell] = true
	}
	return len(seen)
}

// cellOf names what a line of a journal has the numbers of: a cell, or a replication of a row; "" if it has none.
func cellOf(line string) string {
	words := strings.SplitN(strings.TrimSpace(line), " ", 3)
	if len(words) < 3 || words[1][0] == '{' || words[1] == "revopt" || words[1] == "case" {
		return ""
	}
	if rest := strings.Fields(words[2]); words[1] == "record" {
		return rest[0] + " " + rest[1]
	}
	return words[1]
}

// TestJournal runs commands without a journal, with one, again, and from a journal
// that was cut at a random byte: all print the same, and only what was cut off is
// computed again.
func TestJournal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(18, 1))
	for name, args := range journaled() {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			json := append(args, "--json", "--csv", "a.csv")
			kept := append(json, "--journal", "kept")
			want := must(t, json...) + readText(t, "a.csv")
			path := filepath.Join("kept", "journal")
			check := func(what string) {
				t.Helper()
				if got := must(t, kept...) + readText(t, "a.csv"); got != want {
					t.Errorf("%s: got %s, want %s", what, got, want)
				}
			}
			check("first")
			first, cells := readText(t, path), journalCells(t, "kept")
			check("again")
			if readText(t, path) != first {
				t.Error("something was computed again")
			}
			{
				cut := first[:rnd.IntN(len(first))]
				writeText(t, path, cut)
				check(fmt.Sprintf("cut at %d", len(cut)))
				if !strings.HasPrefix(readText(t, path), cut[:strings.LastIndexByte(cut, '\n')+1]) {
					t.Errorf("cut at %d: what was whole has changed", len(cut))
				}
				if got := journalCells(t, "kept"); got != cells {
					t.Errorf("%d cells, want %d", got, cells)
				}
			}
			all := []string{"a.csv", "kept", "kept/journal", "kept/lock"}
			if left := files(t, "."); !slices.Equal(left, all) {
				t.Errorf("left behind: %v, want %v", left, all)
			}
		})
	}
}

// record returns a line of a journal.
func record(payload string) string {
	return fmt.Sprintf("%08x %s\n", crc32.Checksum([]byte(payload), crc32.MakeTable(crc32.Castagnoli)), payload)
}

// TestJournalRefused: a journal serves other runs beside the one that made it. One of another build, or that no run
// wrote, is refused in one line.
func TestJournalRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"simulate", "nist-one", "--jobs", "100", "--replications", "3", "--journal", "kept"}
	must(t, args...)
	path := filepath.Join("kept", "journal")
	first := readText(t, path)
	for _, more := range []string{"--workers=1", "--csv=a.csv", "--quiet", "--level=0.9"} { // which change no record
		must(t, append(args, more)...)
	}
	if got := readText(t, path); got != first {
		t.Error("a record was computed again")
	}
	for _, more := range [][]string{{"--seed", "2"}, {"--load", "0.5"}, {"--policy", "fcfs"}, {"--replications", "4"}} {
		before := readText(t, path)
		want := must(t, slices.Concat(args[:len(args)-2], more)...)
		if got := must(t, slices.Concat(args, more)...); got != want || len(readText(t, path)) <= len(before) {
			t.Errorf("%s: beside other records it prints\n%s\nwant\n%s", more, got, want)
		}
	}
	lines := strings.SplitAfter(first, "\n")
	for _, forged := range []string{"record", "record x", "record x y {}", "record x -1 {}", "record x 0 null", "case {", "5"} {
		writeText(t, path, lines[0]+lines[1]+record(forged))
		if o := try(args...); o.code != exitUsage || strings.Count(o.stderr, "\n") != 1 || o.stdout != "" {
			t.Errorf("forged %q: %+v", forged, o)
		}
	}
	other := record(`{"sha256":"` + strings.Repeat("ab", 32) + `","version":"0.0.1"}`)
	writeText(t, path, lines[0]+other+lines[4])
	wantUsageError(t, args, "revopt: kept: holds results of another build of the program, 0.0.1 (build abababababab)")
	os.Remove(path)
	if err := os.Symlink(filepath.Join(t.TempDir(), "elsewhere"), path); err != nil {
		t.Fatal(err)
	}
	if o := try(args...); o.code != exitFailed || !strings.Contains(o.stderr, "is a symbolic link") {
		t.Errorf("a link: %+v", o)
	}
}
