package slurm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"revopt/simulate/workload"
)

func columns(t testing.TB, list string) ImportOptions {
	t.Helper()
	return ImportOptions{Columns: must(ParseColumns(list))}
}

// brief returns the fields of records that a table can state: submission, wait, run time, units, estimate, user,
// account, queue and pool.
func brief(jobs []workload.Record) []string {
	var list []string
	for _, r := range jobs {
		list = append(list, fmt.Sprint(r[workload.SubmitTime], r[workload.WaitTime], r[workload.RunTime],
			r[workload.Allocated], r[workload.RequestedTime], r[workload.User], r[workload.Executable],
			r[workload.Queue], r[workload.Partition]))
	}
	return list
}

// TestImportTable reads tables whose jobs are worked out by hand.
func TestImportTable(t *testing.T) {
	for _, test := range []struct {
		columns, log, counts string
		want                 []string
	}{
		{
			"submit=t,run=d,units=n", "t,n,d,x\n30,2,5.4,\"a,b\n\"\"c\"\"\"\n0,0.25,1.5,\n10,0,,\n\n20,1,0,y\n",
			"below_one_unit=1 no_end=1 no_limit=3 zero_length=1",
			[]string{"0 -1 2 1 -1 -1 -1 -1 -1", "20 0 0 1 -1 -1 -1 -1 -1", "30 -1 5 2 -1 -1 -1 -1 -1"},
		},
		{ // the wait is from start, from wait, or from end and run
			"submit=s,start=b,end=e,units=n,wait=w,run=r,estimate=l,user=u,account=a,queue=q,pool=p",
			"S,b,e,n,w,r,l,u,a,q,p\n" +
				"2026-01-01T00:00:10,2026-01-01 00:00:15,2026-01-01T01:00:25+01:00,4,,,60,ann,x,fast,one\n" +
				"2026-01-01T00:00:00Z,,,1,7,8,,bob,y,slow,two\n" +
				"2026-01-01T00:00:01,,2026-01-01T00:00:09,1,,3,90,ann,x,slow,\"one,two\"\n" +
				"2026-01-01T00:00:02,2026-01-01T00:00:01,2026-01-01T00:00:09,1,,,1,,,,\n" +
				"2026-01-01T00:00:02,2026-01-01T00:00:08,2026-01-01T00:00:07,1,,,1,,,,\n" +
				"2026-01-01T00:00:03,,2026-01-01T00:00:07,2,,,1,,,,\n",
			"end_before_start=1 never_started=1 no_limit=1 start_before_submit=1",
			[]string{
				"0 7 8 1 -1 2 2 2 2", "1 5 3 1 90 1 1 2 3", "2 0 8 1 1 -1 -1 -1 -1", "3 4 -1 -1 1 -1 -1 -1 -1",
				"10 5 10 4 60 1 1 1 1",
			},
		},
	} {
		m, jobs, _, err := imported(t, test.log, columns(t, test.columns))
		if err != nil {
			t.Fatal(err)
		}
		if got := brief(jobs); !slices.Equal(got, test.want) || counted(m) != test.counts {
			t.Errorf("%s: got\n%s\n%s, want\n%s\n%s", test.columns, strings.Join(got, "\n"), counted(m),
				strings.Join(test.want, "\n"), test.counts)
		}
	}
}

// TestImportTableErrors reads tables that are refused.
func TestImportTableErrors(t *testing.T) {
	const good = "submit=t,run=d,units=n"
	for _, test := range []struct{ log, want string }{
		{"", "log:1: expected a log of jobs, got an empty file"},
		{"t,d,n\n", "log: expected jobs that have ended, got none"},
		{"t,d,m\n", `log:1: expected a column "n" for units, got t, d, m`},
		{"t,d,n\n1,2\n", "log:2: expected 3 fields, got 2"},
		{"t,d,n,T\n", `log:1: expected one column "t" for submit, got columns 1 and 4`},
		{"t,d,n\n1,1_0,3\n", `log:2: column "d": expected a number from 0 to 274877906944, got "1_0"`},
		{"t,d,n\n1,1,3\n2026-01-01 00:00:00,1,3\n", `log:3: column "t": expected a time as seconds since the ` +
			`beginning, as in rows before, got "2026-01-01 00:00:00"`},
		{"t,d,n\n2026-01-01 00:00:00,1,3\n1767225600,1,3\n", `log:3: column "t": expected a time as a date, as in`},
		{"t,d,n\n1767225600,1,3\n99,1,3\n", `log:3: column "t": expected a time as seconds since 1970, as in rows`},
		{"t,d,n\n1,2,3\n1,x,3\n", `log:3: column "d": expected a number from 0 to 274877906944, got "x"`},
		{"t,d,n\n1,-2,3\n", `log:2: column "d": expected a number from 0 to 274877906944, got "-2"`},
		{"t,d,n\n1,NaN,3\n", `log:2: column "d": expected a number from 0 to 274877906944, got "NaN"`},
		{"t,d,n\n1e300,1,3\n", `log:2: column "t": expected a number from 0 to 274877906944, got "1e300"`},
		{"t,d,n\n1,1,2e9\n", `log:2: column "n": expected a number from 0 to 1073741824, got "2e9"`},
		{"t,d,n\n1,1,\n", `log:2: column "n": expected a value, got ""`},
		{"t,d,n\n,1,1\n", `log:2: column "t": expected a value, got ""`},
		{"t,d,n\n2026-13-01 00:00:00,1,1\n", `log:2: column "t": expected a time such as 2026-11-15T08:46:57 or 2026`},
		{"t,d,n\n1,\x001,1\n", "log:2: expected text, got byte 0x00"},
		{"t,d,n\n1,\"1\n,1\n", `log:2: extraneous or missing " in quoted-field`},
		{"t,d,n\n1,\"1\"1,1\n", `log:2: extraneous or missing " in quoted-field`},
		{"t,d,n\n1,1," + strings.Repeat("1", 10<<20), "log:2: expected lines of at most 1048576 bytes"},
		{"t,d,n\n1,\"" + strings.Repeat("1\n", 10<<20), "log:524288: expected rows of at most 1048576 bytes, got"},
	} {
		_, _, _, err := imported(t, test.log, columns(t, good))
		if err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%.40q: got %v, want %s", test.log, err, test.want)
		}
	}
	for _, test := range []struct{ list, want string }{
		{"submit=t,run=d", `expected columns for submit and units, got "submit=t,run=d"`},
		{"run=d,units=n", `expected columns for submit and units, got "run=d,units=n"`},
		{"submit=t,units=n,start=s", `expected a column for run, or for start and end, got "submit=t,units=n,start=s"`},
		{"submit=t,units=n,runs=s", "expected a column such as submit=NAME once for each of submit, run, units"},
		{"submit=t,submit=u", "expected a column such as submit=NAME once for each of submit, run, units"},
		{"submit", "expected a column such as submit=NAME once for each of submit, run, units"},
	} {
		if _, err := ParseColumns(test.list); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", test.list, err, test.want)
		}
	}
}
