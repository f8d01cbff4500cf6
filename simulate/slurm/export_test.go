package slurm

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// lot is the lot of a text, from 0 to 1, as job_submit.lua draws it: every
// byte c takes the state h to (h + c + 1)^5 modulo the prime 2^31 - 1. As 5 does
// not divide 2^31 - 2 that is a permutation, so that no state is lost; four
// further rounds spread the last byte.
func lot(s string) float64 {
	const p = 1<<31 - 1
	h := uint64(1)
	for _, c := range append([]byte(s), 0, 0, 0, 0) {
		x := (h + uint64(c) + 1) % p
		square := x * x % p
		h = square * square % p * x % p
	}
	return float64(h) / p
}

// TestSlurmLot compares lots with the uniform distribution: by a chi-square test
// on 64 cells, of texts that differ in one number, whatever the salt; and the lots of
// neighbors with each other.
func TestSlurmLot(t *testing.T) {
	for _, salt := range []string{"", "a", "b", "79c7a3b0a007932a"} {
		const n, cells = 20000, 64
		var count [cells]int
		var pairs [64]int
		last := 0
		for i := range n {
			u := lot(fmt.Sprintf("%s\x1f1001\x1fchem\x1f2026-11-15\x1f%d\x1f", salt, i))
			if !(u >= 0 && u < 1) {
				t.Fatalf("lot %g", u)
			}
			count[int(u*cells)]++
			pairs[last*8+int(u*8)]++
			last = int(u * 8)
		}
		// 99.9 % of a chi-square with 63 degrees of freedom is 103.4, and 8
		// statistics are looked at here.
		for what, list := range map[string][]int{"lots": count[:], "pairs": pairs[:]} {
			var chi float64
			for _, c := range list {
				d := float64(c) - n/64
				chi += d * d / (n / 64)
			}
			if chi > 110 || chi < 25 {
				t.Errorf("salt %q: chi-square of %s is %g", salt, what, chi)
			}
		}
	}
	h, p := big.NewInt(1), big.NewInt(1<<31-1)
	for _, c := range "chem\x00\x00\x00\x00" {
		h.Exp(h.Add(h, big.NewInt(int64(c)+1)), big.NewInt(5), p)
	}
	if got, want := lot("chem"), float64(h.Int64())/float64(p.Int64()); got != want {
		t.Errorf("lot %v, expected %v", got, want)
	}
}

// TestSlurmLotInDoubles computes lots as Lua 5.1 does, in doubles alone.
func TestSlurmLotInDoubles(t *testing.T) {
	const p = 2147483647.0
	mod := func(a, b float64) float64 { return a - math.Floor(a/b)*b }
	mul := func(a, b float64) float64 {
		low := mod(a, 65536)
		return mod(mod((a-low)/65536*b, p)*65536+low*b, p)
	}
	for i := range 2000 {
		s := strings.Repeat(strconv.Itoa(i*i), 1+i%5)
		h := 1.0
		for _, c := range append([]byte(s), 0, 0, 0, 0) {
			x := mod(h+float64(c)+1, p)
			h = mul(mul(mul(x, x), mul(x, x)), x)
		}
		if got := lot(s); got != h/p {
			t.Fatalf("%q: %v in integers, %v in doubles", s, got, h/p)
		}
	}
}

// hostile are names that try to leave the strings they are put in.
var hostile = []string{`a"; os.execute("x") --`, "b\\", "c\nreturn nil", "]]d", "e'; rm -rf /", "Ä\x00\xff", "%s%n"}

// unquoted reads a string of Lua back: the escapes that luaString makes, and no other.
func unquoted(t *testing.T, s string) string {
	t.Helper()
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		t.Fatalf("%s is not quoted", s)
	}
	s = s[1 : len(s)-1]
	plain := regexp.MustCompile(`\\\d{3}`).ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.Atoi(e[1:])
		if err != nil || n > 255 {
			t.Fatal(e)
		}
		return string([]byte{byte(n)})
	})
	if strings.ContainsAny(regexp.MustCompile(`\\\d{3}`).ReplaceAllString(s, ""), "\"\\\n\r\x00") {
		t.Fatalf("%s ends early", s)
	}
	return plain
}

// customersOf is an export with a customer of every kind.
func customersOf() *Export {
	named := func(names ...string) (list []model.Party) {
		for _, n := range names {
			list = append(list, model.Party{Name: n})
		}
		return list
	}
	return &Export{Scenario: "test", Options: Options{By: "account"}, salt: "salt", Customers: []Customer{
		{Name: "half", Of: &model.Selector{Accounts: named("Chem", "bio"), Share: 1}, Admit: 0.5},
		{Name: "tenth", Of: &model.Selector{Partitions: named("gpu"), Width: &model.Range{Least: 2, Most: 8}, Share: 1}, Admit: 0.1},
		{Name: "short", Of: &model.Selector{Queues: named("fast"), Estimate: &model.Range{Least: 0, Most: 3600}, Share: 1}, Admit: 0.9},
		{Name: "lots", Of: &model.Selector{Users: named("ann"), Share: 0.25}, Admit: 0},
		{Name: hostile[0], Of: &model.Selector{Accounts: named(hostile...), Share: 1}, Admit: 0},
		{Name: "none", Of: &model.Selector{Accounts: named("none", "ÜNÏ"), Share: 1}},
	}}
}

// TestSlurmTable reads the customers back from the script.
func TestSlurmTable(t *testing.T) {
	x := customersOf()
	_, rest, _ := strings.Cut(x.Script(), "local customers = {")
	table, _, _ := strings.Cut(rest, "\n}\n")
	lines := strings.Split(table, "\n")[1:]
	if len(lines) != len(x.Customers) {
		t.Fatalf("%d lines for %d customers", len(lines), len(x.Customers))
	}
	quoted := regexp.MustCompile(`"[^"]*"`)
	for i, c := range x.Customers {
		names := quoted.FindAllString(lines[i], -1)
		if got := unquoted(t, names[0]); got != strings.ReplaceAll(c.Name, "\n", " ") {
			t.Errorf("name %q of %q", got, c.Name)
		}
		var want []string
		for _, f := range parties(c.Of) {
			for _, p := range f.list {
				want = append(want, f.slurm(p.Name))
			}
		}
		for k, name := range names[1:] {
			if got := unquoted(t, name); got != want[k] {
				t.Errorf("%s: party %q, expected %q", c.Name, got, want[k])
			}
		}
		admit := regexp.MustCompile(`admit = ([^ ,]+)`).FindStringSubmatch(lines[i])
		if q, err := strconv.ParseFloat(admit[1], 64); err != nil || q != c.Admit {
			t.Errorf("%s: admitted %s", c.Name, admit[1])
		}
	}
}

// submitter is a driver for the script: stubs of what Slurm offers, then lines
// "account|partition|qos|user|cpus|limit|pending" on standard input, each answered.
const submitter = `
local said = ""
slurm = { SUCCESS = 0, ERROR = -1, ESLURM_ACCESS_DENIED = 2002, jobs = {}, log_error = function(f, ...) print("fault", string.format(f, ...)) end,
  log_info = function(...) said = "logged" end, log_user = function(f, ...) said = string.format(f, ...) end }
if dofile(arg[1]) ~= 0 then error("not loaded") end
local parts = { cpu = { flag_default = 1, default_time = 60, max_time = 600 }, gpu = { flag_default = 0, default_time = 4294967294, max_time = 30 } }
local function some(x) if x ~= "" then return x end end
for line in io.lines() do
  local account, partition, qos, user, cpus, limit, pending, name = line:match("^(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)|(.-)$")
  slurm.jobs = {}
  for i = 1, tonumber(pending) do slurm.jobs[tostring(i)] = { job_state = 0, priority = 1 } end
  slurm.jobs.run, slurm.jobs.held = { job_state = 1, priority = 1 }, { job_state = 0, priority = 0 }
  said = ""
  local rc = slurm_job_submit({ default_account = some(account), partition = some(partition), qos = some(qos), user_name = user, user_id = 1000, name = name,
    min_cpus = tonumber(cpus), time_limit = tonumber(limit) or 4294967294, num_tasks = 4294967294, min_nodes = 4294967294, cpus_per_task = 65534 }, parts, 0)
  print(rc == 0 and "in" or "out", said)
end`

// submit runs the script on jobs, by Lua where there is one.
func submit(t *testing.T, script string, jobs []string) []string {
	t.Helper()
	lua := ""
	for _, name := range []string{"lua5.1", "lua5.4", "lua5.3", "lua"} {
		if path, err := exec.LookPath(name); err == nil {
			lua = path
			break
		}
	}
	if lua == "" {
		t.Skip("no Lua here")
	}
	dir := t.TempDir()
	driver, file := filepath.Join(dir, "driver.lua"), filepath.Join(dir, "job_submit.lua")
	for path, text := range map[string]string{driver: submitter, file: script} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(lua, driver, file)
	cmd.Stdin = strings.NewReader(strings.Join(jobs, "\n") + "\n")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(jobs) {
		t.Fatalf("%d answers to %d jobs: %s", len(lines), len(jobs), out)
	}
	return lines
}

// TestSlurmShares submits jobs that ask for different things: of each customer a
// share is let in that lies in its binomial interval of 99.9 %, and the same jobs
// under another name have the same answers.
func TestSlurmShares(t *testing.T) {
	const n = 800
	for _, tt := range []struct {
		job   string // with a limit in minutes to fill in
		share float64
	}{
		{"chem||||1|%d|0|", 0.5},
		{"bio|cpu|x|bob|4|%d|9|", 0.5},
		{"|gpu|||8|%d|0|", 0.1},
		{"|cpu,gpu|||8|%d|0|", 0.1},
		{"|gpu|||9|%d|0|", 1}, // too wide for it
		{"|||ann|1|%d|0|", 0.75},
		{"none||||1|%d|0|", 0},
		{"ÜNÏ||||1|%d|0|", 0}, // small letters are those of ASCII
		{`a"; os.execute("x") --||||1|%d|0|`, 0},
		{"other||||1|%d|0|", 1},
	} {
		var jobs []string
		for i := range n {
			jobs = append(jobs, fmt.Sprintf(tt.job, i+1))
		}
		for i := range n {
			jobs = append(jobs, jobs[i]+"another name")
		}
		answers := submit(t, customersOf().Script(), jobs)
		in := 0
		for i, a := range answers[:n] {
			if strings.HasPrefix(a, "in") {
				in++
			}
			if answers[n+i] != a {
				t.Fatalf("%s: %q, then %q", jobs[i], a, answers[n+i])
			}
			if strings.HasPrefix(a, "out") && !strings.Contains(a, "revopt: ") {
				t.Fatalf("%s: refused without a word: %q", jobs[i], a)
			}
		}
		if half := 3.29*math.Sqrt(n*tt.share*(1-tt.share)) + 0.5*min(1, 100*tt.share*(1-tt.share)); math.Abs(float64(in)-n*tt.share) > half {
			t.Errorf("%s: let in %d of %d, expected %g ± %g", tt.job, in, n, n*tt.share, half)
		}
	}
}

// TestSlurmEstimate looks at limits: of the job, else of its partition.
func TestSlurmEstimate(t *testing.T) {
	x := customersOf()
	x.Customers[2].Admit = 0
	jobs := []string{"||fast||1|60|0|", "||fast||1|61|0|", "||fast||1||0|", "|gpu|fast||1||0|", "|cpu|fast||1|0|0|", "||FAST||1|1|0|"}
	for i, a := range submit(t, x.Script(), jobs) {
		if out := strings.HasPrefix(a, "out"); out != (i != 1) {
			t.Errorf("%s: %s", jobs[i], a)
		}
	}
	x.Options.DryRun = true
	for i, a := range submit(t, x.Script(), jobs) {
		if !strings.HasPrefix(a, "in") || strings.Contains(a, "logged") != (i != 1) {
			t.Errorf("dry run, %s: %s", jobs[i], a)
		}
	}
}

// opened reads a scenario and makes its workload of classes or of a trace.
func opened(t *testing.T, doc *scenario.Document) (*scenario.Scenario, workload.Workload) {
	t.Helper()
	sc, w, err := Open(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}
	return sc, w
}

// Open is subject.Open, set by study_test.go: tests of this package cannot import study,
// which imports it.
var Open func(context.Context, *scenario.Document) (*scenario.Scenario, workload.Workload, error)

// TestSlurmInvisible refuses customers that Slurm cannot tell from others.
func TestSlurmInvisible(t *testing.T) {
	const text = "trace: {file: sp2-like, jobs: last:100}\nclasses:\n  - {name: some, of: {%s}, price: {per_unit_hour: 2}, decay: {per_hour: 10%%}, deadline: {lengths: 3}, max_penalty: 0}\n"
	for of, want := range map[string]string{
		"length: [0s, 1h]":   "classes.some.of.length: Slurm does not know at submission how long a job will run",
		"group: 3":           "classes.some.of.group: Slurm shows no names of groups",
		"user: 3":            "classes.some.of.user: Slurm does not know the numbers of a trace",
		"queue: [1, 2]":      "classes.some.of.queue: Slurm does not know the numbers of a trace",
		"width: [1, 8]":      "",
		"estimate: [0s, 1h]": "",
	} {
		doc := must(scenario.Parse("some.yaml", fmt.Appendf(nil, text, of)))
		sc, w := opened(t, doc)
		x, err := NewExport(doc, sc, w, Options{})
		if want == "" {
			if err != nil || x.Customers[1].Of != nil {
				t.Fatalf("%s: %v, %+v", of, err, x)
			}
			if x.Admit("given", []float64{0.5, 1}); x.Customers[0].Admit != 0.5 || len(x.Warnings) > 0 {
				t.Errorf("%s: %+v", of, x)
			}
			// The others are refused, also those of accounts that the trace does not have.
			if x.Admit("given", []float64{1, 0}); len(x.Warnings) != 1 || x.Warnings[0].Kind != "others" {
				t.Errorf("%s: %+v", of, x)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, expected %s", of, err, want)
		}
	}
}

// TestExportPools exports the jobs of every customer in every pool: each has the condition
// of both, its own probability, and its place in the order of its pool. Customers that a
// pool excludes are not there, and those without jobs are let in.
func TestExportPools(t *testing.T) {
	const text = `trace: {file: ai-like, jobs: first:300}
pools:
  - {name: big, units: 512, unit: core, of: {partition: [cpu], account: [batch, training], estimate: [0s, 30d]}}
  - {name: gpu, units: 64, unit: gpu, of: {partition: [gpu]}, overflow: {to: rest, after: 1h}}
  - {name: rest, units: 512, unit: gpu}
classes:
  - {name: batch, of: {account: [batch], estimate: [1h, 60d]}, price: {per_hour: 1}, decay: 0.1, max_penalty: 0}
  - {name: fast, of: {account: [interactive]}, price: {per_unit_hour: 1}, decay: 0.2, max_penalty: 0}
`
	doc := must(scenario.Parse("p.yaml", []byte(text)))
	sc, w := opened(t, doc)
	x := must(NewExport(doc, sc, w, Options{}))
	share := make([]float64, len(w.Customers()))
	for i := range share {
		share[i] = float64(i+1) / 100
	}
	x.Admit("given", share)
	var names []string
	for _, c := range x.Customers {
		names = append(names, c.Name)
		want := 1.0
		for i, s := range w.Pools().Sections {
			if s.Pool >= 0 && c.Name == w.Pools().Customers[s.Customer].Name+" in "+w.Pools().List[s.Pool].Name {
				want = share[i]
			}
		}
		if c.Admit != want || c.Of != nil && c.Of.Share != 1 {
			t.Errorf("%+v, expected to let in %g", c, want)
		}
	}
	const all = "batch in big, batch in gpu, batch in rest, fast in gpu, fast in rest, " +
		"no customer in big, no customer in gpu, no customer in rest"
	if got := strings.Join(names, ", "); got != all {
		t.Errorf("customers %s", got)
	}
	big := x.Customers[0].Of
	if *big.Estimate != (model.Range{Least: 3600, Most: 30 * 86400}) || len(big.Accounts) != 1 ||
		big.Accounts[0].Name != "batch" || len(big.Partitions) != 1 || x.Customers[2].Of.Partitions != nil ||
		x.Customers[7].Of != nil {
		t.Errorf("%+v", x.Customers)
	}
	if len(x.Warnings) != 2 || x.Warnings[0].Kind != "pools" || x.Warnings[1].Kind != "others" {
		t.Errorf("%+v", x.Warnings)
	}
	doc = must(scenario.Parse("p.yaml", []byte(strings.Replace(text, "account: [interactive]", "width: [1, 8]", 1))))
	sc, w = opened(t, doc)
	const want = "p.yaml:4:34: pools.gpu.unit: the script counts cores or nodes"
	if _, err := NewExport(doc, sc, w, Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}
