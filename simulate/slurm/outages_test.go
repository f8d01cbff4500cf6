package slurm

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"revopt/simulate/slurm/conf"
	"slices"
	"strings"
	"testing"
	"time"
)

// Files as Slurm 22.05 writes them.
const (
	eventFile = `Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User|TRES
test||2026-11-16T16:08:44|Unknown||Cluster Registered TRES||cpu=16,node=4
test|n1|2026-11-16T16:08:48|Unknown|DOWN|bad | disk|root(0)|billing=4,cpu=4,mem=1M
test|n2|2026-11-16T16:08:48|Unknown|DOWN*|bad | disk|root(0)|billing=4,cpu=4,mem=1M
test|n3|2026-11-16T16:00:00|2026-11-16T17:00:00|POWERED_DOWN|||cpu=4
test|n4|2026-11-16T16:08:48|2026-11-16T16:08:50|DRAIN|maint|root(0)|cpu=8,gres/gpu=2
`
	reservationFile = "ReservationName=maint StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T10:00:00 " +
		"Duration=02:00:00 Nodes=n[3-4] NodeCnt=2 CoreCnt=12 Features=(null) PartitionName=(null) " +
		"Flags=MAINT,SPEC_NODES TRES=cpu=12 Users=root State=INACTIVE\n" +
		"ReservationName=tool StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T10:00:00 Nodes=(null) Licenses=x:2\n" +
		"ReservationName=b StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T10:00:00 Nodes= NodeCnt=0 CoreCnt=0\n"
)

// written writes a file and returns its path.
func written(t *testing.T, name, content string) string {
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadOutages(t *testing.T) {
	at := func(s string) int64 {
		x, err := time.Parse(time.DateTime, s)
		if err != nil {
			t.Fatal(err)
		}
		return x.Unix()
	}
	got, err := ReadOutages(nil, written(t, "events", eventFile), written(t, "res", reservationFile))
	if err != nil {
		t.Fatal(err)
	}
	want := []NodeOutage{
		{From: at("2026-11-16 16:08:48"), To: at("2026-11-16 16:08:50"), Drain: true, Nodes: []string{"n4"},
			CPUs: 8, GPUs: 2},
		{From: at("2026-11-16 16:08:48"), To: math.MaxInt64, Nodes: []string{"n1", "n2"}, CPUs: 8},
		{From: at("2026-12-01 08:00:00"), To: at("2026-12-01 10:00:00"), Planned: true,
			Nodes: []string{"n3", "n4"}, CPUs: 6 + 8, GPUs: 2},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	berlin, _ := ParseZone("Europe/Berlin")
	local, err := ReadOutages(berlin, written(t, "events", eventFile))
	if err != nil || local[0].From != want[0].From-3600 {
		t.Errorf("in Berlin: %+v, %v", local, err)
	}
}

// A node is in one outage at a time, a planned one before others and a drain last: compared second by second
// with a table of all nodes.
func TestOutagesOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		const seconds, begin = 40, 1_800_000_000
		var states [3][seconds]int // 0 up, 1 drains, 2 down, 3 reserved
		events, res := "NodeName|TimeStart|TimeEnd|State\n", ""
		for range 12 {
			n, from := r.IntN(len(states)), r.IntN(seconds)
			to, state := from+r.IntN(seconds-from+1), 1+r.IntN(3)
			if word := [...]string{1: "MIXED+DRAIN", 2: "DOWN*+DRAIN", 3: ""}[state]; word != "" {
				events += fmt.Sprintf("n%d|%d|%d|%s\n", n, begin+from, begin+to, word)
			} else {
				res += fmt.Sprintf("ReservationName=a StartTime=%d EndTime=%d Nodes=n%d\n", begin+from, begin+to, n)
			}
			for s := from; s < to; s++ {
				states[n][s] = max(states[n][s], state)
			}
		}
		list, err := ReadOutages(nil, written(t, "e", events), written(t, "r", cmp.Or(res, "No reservations in the system")))
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list {
			for s := o.From; s < o.To; s++ {
				for _, name := range o.Nodes {
					state := &states[name[1]-'0'][s-begin]
					if *state == 0 || *state == 3 != o.Planned || *state == 1 != o.Drain {
						t.Fatalf("%s%s%+v: second %d is wrong, or counted twice", events, res, o, s-begin)
					}
					*state = 0
				}
			}
		}
		if states != [3][seconds]int{} {
			t.Fatalf("%s%s%+v lacks an outage", events, res, list)
		}
	}
}

func TestHostileOutages(t *testing.T) {
	const head = "NodeName|TimeStart|TimeEnd|State\n"
	const res = "ReservationName=a StartTime=2026-12-01T08:00:00 EndTime=2026-12-01T10:00:00 "
	for name, c := range map[string][2]string{
		"empty":           {"", "f:1: expected the header of sacctmgr show event -P"},
		"no header":       {"n1|2026-11-16T16:08:48|Unknown|DOWN\n", "f:1: expected the header"},
		"padded":          {"   Cluster        NodeName  TimeStart\n---- ----\n", "f:1: expected the header"},
		"binary":          {"\x7fELF\x02\x00\x00\x1b[2J", "f:1: expected the header"},
		"damaged gzip":    {"\x1f\x8b\x08\x00", "f:1: the compressed file"},
		"long line":       {head + strings.Repeat("n", conf.MaxLine+1), "f:2: expected lines of at most"},
		"few fields":      {head + "n1|2026-11-16T16:08:48\n", "f:2: expected 4 fields, got 2"},
		"many fields":     {head + "n1|2026-11-16T16:08:48|Unknown|DOWN|x\n", "f:2: expected 4 fields, got 5"},
		"no start":        {head + "n1|Unknown|Unknown|DOWN\n", "f:2: TimeStart: expected a time"},
		"bad date":        {head + "n1|2026-02-30T00:00:00|Unknown|DOWN\n", "f:2: TimeStart: expected a time"},
		"negative":        {head + "n1|-5|Unknown|DOWN\n", "f:2: TimeStart: expected a time"},
		"not a number":    {head + "n1|NaN|Unknown|DOWN\n", "f:2: TimeStart: expected a time"},
		"overflow":        {head + "n1|1e308|Unknown|DOWN\n", "f:2: TimeStart: expected a time"},
		"end first":       {head + "n1|100000|99999|DOWN\n", "f:2: TimeEnd: expected a time"},
		"command":         {head + "$(rm -rf x)|100000|Unknown|DOWN\n", "f:2: NodeName: expected names of nodes"},
		"control":         {head + "n\x1b[2J|100000|Unknown|DOWN\n", "f:2: NodeName: expected names of nodes"},
		"zero byte":       {head + "n\x001|100000|Unknown|DOWN\n", "f:2: NodeName: expected names of nodes"},
		"millions":        {head + "n[0-9999999]|100000|Unknown|DOWN\n", "f:2: NodeName: expected names of nodes"},
		"state":           {head + "n1|100000|Unknown|DO\x00WN\n", "f:2: State: expected a state"},
		"BOM and CRLF":    {"\ufeffNodeName|TimeStart|TimeEnd|State\r\nn1|100000|x|DOWN\r\n", "f:2: TimeEnd: expected"},
		"no reservation":  {res + "Nodes=n1\nfoo\n", "f:2: expected words KEY=VALUE"},
		"reserved nodes":  {res + "Nodes=n[2-1]\n", "f:1: Nodes: expected names of nodes"},
		"reserved always": {"ReservationName=a Nodes=n1\n", "f:1: StartTime: expected a time"},
	} {
		t.Run(name, func(t *testing.T) {
			path := written(t, "f", c[0])
			list, err := ReadOutages(nil, path)
			if err == nil || !strings.HasPrefix(strings.TrimPrefix(err.Error(), filepath.Dir(path)+"/"), c[1]) {
				t.Fatalf("got %v, %v, want %s", list, err, c[1])
			}
			if slices.ContainsFunc([]byte(err.Error()), func(b byte) bool { return b < ' ' }) {
				t.Errorf("control characters in %q", err.Error())
			}
		})
	}
	for _, path := range []string{t.TempDir(), "/dev/zero", "/missing"} {
		if list, err := ReadOutages(nil, path); err == nil || !strings.HasPrefix(err.Error(), path+":") {
			t.Errorf("%s: got %v, %v", path, list, err)
		}
	}
}
