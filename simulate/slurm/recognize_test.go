package slurm

import (
	"strings"
	"testing"

	"revopt/simulate/workload"
)

func TestNotLog(t *testing.T) {
	for start, want := range map[string]string{
		"; MaxProcs: 4\n":                     "",
		"JobID|Submit|Start|End|State\n":      "",
		"JobId=7 UserId=a(1) GroupId=b(2)\n":  "jobcomp",
		"1 0 5 10 4 -1 -1 4 20\n":             "", // the error of a trace says more
		"":                                    "",
		"\x7fELF\x02\x01|||||":                "binary data",
		"a\x00b|||||\n":                       "binary data",
		"PK\x03\x04xl":                        "binary data",
		"# site\n\ntrace:\n  file: a.swf\n":   "a scenario",
		"# made by hand\nClusterName=east\n":  "slurm.conf",
		"{\"jobs\": []}\n":                    "JSON",
		"<html>\n":                            "a web page",
		"JOBID PARTITION NAME USER ST TIME\n": "--parsable2",
		"PARTITION AVAIL NODES NODELIST\n":    "sinfo",
		"dear colleague\n":                    "other text",
		"when,who,cpus,elapsed_s\n1,a,2,3\n":  "of when, who, cpus, elapsed_s",
		"\"a b\",c\n1,2\n":                    "--columns submit=NAME,run=NAME,units=NAME, of",
	} {
		lines, err := workload.NewLines("log", strings.NewReader(start), 1<<16)
		if err != nil {
			t.Fatal(err)
		}
		err = NotLog(lines)
		switch {
		case want == "" && err != nil, want != "" && err == nil:
			t.Errorf("%q: %v, want %q", start, err, want)
		case want != "" && !(strings.HasPrefix(err.Error(), "log:1: expected a log of jobs") &&
			strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, want %q", start, err, want)
		}
	}
}
