package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestEpisodes: runs that a parent asks for have the jobs of simulate with that seed, also after a run that the
// parent ends, and with pools. The parent starts every job at once, as the machine has room for all.
func TestEpisodes(t *testing.T) {
	t.Chdir(t.TempDir())
	writeText(t, "one.yaml", `server: {nodes: 1000}
load: 0.01
classes: [{name: a, share: 1, length: {mean: 10, sd: 1}, price: 1, decay: 0}]
`)
	writeText(t, "two.yaml", `pools: [{name: x, units: 500, unit: core}, {name: y, units: 500, unit: core}]
classes:
- {name: a, pool: x, rate: 0.5, length: {mean: 10, sd: 1}, price: 1, decay: 0}
- {name: b, pool: y, rate: 0.5, length: {mean: 20, sd: 1}, price: 1, decay: 0}
`)
	for _, file := range []string{"one.yaml", "two.yaml"} {
		want := map[int][]float64{}
		for _, seed := range []int{7, 8} {
			o := try("simulate", file, "--jobs", "50", "--warmup", "0%", "--replications", "1", "--policy", "fcfs",
				"--seed", fmt.Sprint(seed), "--records", "jobs.csv")
			if o.code != exitDone {
				t.Fatal(o.stderr)
			}
			table, err := csv.NewReader(strings.NewReader(readText(t, "jobs.csv"))).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			column := slices.Index(table[0], "submit")
			for _, line := range table[1:] {
				x, _ := strconv.ParseFloat(line[column], 64)
				want[seed] = append(want[seed], x)
			}
			slices.Sort(want[seed])
		}
		got := episodes(t, file, `{"seed":7}`, `{"seed":8,"replication":0,"end":3}`, `{"seed":8}`, `{"seed":7}`)
		for i, wanted := range [][]float64{want[7], want[8][:3], want[8], want[7]} {
			near := func(a, b float64) bool { return math.Abs(a-b) < 1e-3 }
			if !slices.EqualFunc(got[i], wanted, near) {
				t.Errorf("%s, episode %d: %v, want %v", file, i, got[i], wanted)
			}
		}
	}
	for _, args := range []string{"--policy=easy", "--json", "--replications=1", "--cells=a.csv"} {
		o := try("simulate", "one.yaml", "--policy", "exec:-", "--episodes", args)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "revopt: --episodes: expected ") {
			t.Errorf("%s: exit %d: %s", args, o.code, o.stderr)
		}
	}
}

// episodes asks for runs and returns the times of submission of each. A number "end" ends a run after so many messages.
func episodes(t *testing.T, file string, asked ...string) (list [][]float64) {
	t.Helper()
	in, replies := io.Pipe()
	messages, out := io.Pipe()
	done := make(chan string)
	go func() {
		var stderr strings.Builder
		args := "simulate " + file + " --jobs 50 --warmup 0% --policy exec:- --episodes --quiet"
		run(context.Background(), strings.Fields(args), in, out, &stderr)
		out.Close()
		done <- stderr.String()
	}()
	var submits []float64
	count, end := 0, 0
	lines := bufio.NewScanner(messages)
	for lines.Scan() {
		var m struct {
			Hello, Episode *int
			Pool           string
			Arrive         []struct {
				ID     int
				Submit float64
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err, lines.Text())
		}
		reply := "{}"
		switch {
		case m.Episode != nil && *m.Episode == len(asked):
			list = append(list, submits)
			replies.Close()
			continue
		case m.Episode != nil:
			if *m.Episode > 0 {
				list = append(list, submits)
			}
			submits, count, reply = nil, 0, asked[*m.Episode]
			var limit struct{ End int }
			json.Unmarshal([]byte(reply), &limit)
			end = limit.End
		case m.Hello != nil:
			reply = `{"hello":1,"fields":["submit"],"wants":["arrive"]}`
		default:
			count++
			if strings.HasPrefix(file, "two") != (m.Pool != "") {
				t.Errorf("%s: pool %q", file, m.Pool)
			}
			ids := []int{}
			for _, j := range m.Arrive {
				ids = append(ids, j.ID)
				submits = append(submits, j.Submit)
			}
			start, _ := json.Marshal(ids)
			reply = fmt.Sprintf(`{"start":%s}`, start)
			if count == end {
				reply = `{"end":true}`
			}
		}
		fmt.Fprintln(replies, reply)
	}
	if stderr := <-done; stderr != "" {
		t.Error(stderr)
	}
	return list
}
