package cli

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// All files that can be asked for, of a scenario with a hostile name.
func TestValidateFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "name: '<script>alert(1)</script>'\nserver: {parallel: 4}\nload: 1.2\n" +
		"classes: [{name: '<b>&', length: {mean: 10, sd: 2}, price: 3, decay: 0.1}]\n"
	writeText(t, "evil.yaml", text)
	table := must(t, shellWords("validate evil.yaml --jobs 40 --replications 2 --policy hol,easy --html page.html -o out --csv all.csv")...)
	if !strings.Contains(table, "of what no policy can exceed") {
		t.Errorf("table:\n%s", table)
	}
	page := readText(t, "page.html")
	if got := page; strings.Contains(got, "<script>alert") || strings.Count(got, "<svg ") != 3 ||
		!strings.Contains(got, "&lt;script&gt;alert(1)") ||
		!strings.Contains(got, "revopt validate evil.yaml --jobs 40") {
		t.Errorf("the page:\n%.3000s", got)
	}
	if n := len(files(t, "out")); n != 8 { // two figures in four formats
		t.Errorf("figures: %v", files(t, "out"))
	}
	wantTable(t, "all.csv")
	must(t, shellWords("validate evil.yaml --jobs 20 --replications 2 --policy hol --vary classes.0.price=1,2 -o one.svg --quiet")...)
	if _, err := os.Stat("one.svg"); err != nil {
		t.Error(err)
	}
}

// wantTable checks that a CSV file has every sort of row.
func wantTable(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for _, row := range rows[1:] {
		seen[row[1]+" "+row[6]]++
	}
	for _, want := range []string{
		" efficiency", " charged_efficiency", " mean_wait", "proven total", "proven gap", "model total",
	} {
		if seen[want] == 0 {
			t.Errorf("no rows %q: %v", want, seen)
		}
	}
}

// An interrupted validation prints what is finished, or nothing, and its files say
// so.
func TestValidateInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, after := range []time.Duration{0, 500 * time.Millisecond} {
		ctx, cancel := context.WithCancel(t.Context())
		stop := time.AfterFunc(after, cancel)
		o := tryWith(ctx, "", "validate", "nist-one", "--jobs", "300", "--replications", "20000", "--policy", "hol",
			"--admission", "all",
			"--html", "page.html", "-o", filepath.Join("out", "a.png"), "--csv", "a.csv", "--json", "--quiet")
		stop.Stop()
		cancel()
		if o.code != exitInterrupted || !strings.HasPrefix(o.stderr, "revopt: ") ||
			!strings.HasSuffix(o.stderr, "interrupted\n") && !strings.Contains(o.stderr, "validate: stopped after ") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("after %s: exit %d, %q", after, o.code, o.stderr)
		}
		if o.stdout == "" {
			if left := files(t, "."); len(left) > 0 {
				t.Errorf("after %s: files left: %v", after, left)
			}
			continue
		}
		for _, path := range []string{"a.csv", "page.html"} {
			if !strings.Contains(readText(t, path), "interrupted after ") {
				t.Errorf("after %s: %s does not say that it was interrupted", after, path)
			}
			os.Remove(path)
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || v["interrupted"] != true {
			t.Errorf("after %s: %v, interrupted %v", after, err, v["interrupted"])
		}
		wantShares(t, v)
	}
	if left := files(t, "."); len(left) > 0 {
		t.Errorf("files left: %v", left)
	}
}

// Files that cannot be written are refused before anything runs; those that
// turn out to be so later do not cost the results.
func TestValidateUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "file", "")
	args := shellWords("validate nist-one --jobs 20 --replications 2 --policy hol --admission all --quiet")
	o := try(append(args, "--html", filepath.Join("file", "page.html"))...)
	if o.code != exitFailed || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: --html: file") ||
		strings.Count(o.stderr, "\n") != 1 {
		t.Errorf("%+v", o)
	}
	if _, err := os.Stat("/dev/full"); err == nil {
		o := try(append(args, "--html", "/dev/full")...)
		if o.code != exitFailed || !strings.Contains(o.stdout, "Run hol: it delivers") ||
			strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%+v", o)
		}
	}
	if left := files(t, "."); len(left) != 1 {
		t.Errorf("files left: %v", left)
	}
}
