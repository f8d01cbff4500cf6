package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
)

// TestRequestsBothWays asks the same by flags and by the JSON of a page: the facts are the same.
func TestRequestsBothWays(t *testing.T) {
	for flags, body := range map[string]string{
		"simulate nist-four --jobs 200":                `"command":"simulate","scenario":"nist-four","jobs":200`,
		"simulate nist-four --jobs 200 --seed 7":       `"command":"simulate","scenario":"nist-four","jobs":"200","seed":7`,
		"simulate nist-four --jobs 200 --level 0.9":    `"command":"simulate","scenario":"nist-four","jobs":200,"level":"0.9"`,
		"simulate nist-four --jobs 200 --plain":        `"command":"simulate","scenario":"nist-four","jobs":200,"plain":true`,
		"simulate nist-four --horizon 2d --warmup 10%": `"command":"simulate","scenario":"nist-four","horizon":"2d","warmup":"10%"`,
		"simulate nist-four --jobs 200 --replications 3 --policy easy,hol:backfill=true": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"replications":3,"policies":["easy","hol:backfill=true"]`,
		"simulate nist-four --jobs 200 --replications 2 --admission all --admission analytic": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"replications":2,"admission":["all","analytic"]`,
		"simulate nist-four --jobs 200 --precision 30% --metric mean_wait --replications 20": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"precision":"30%","metric":"mean_wait","replications":20`,
		"simulate sp2-like --jobs 200": `"command":"simulate","scenario":"sp2-like","jobs":200`,
		"simulate sp2-like --jobs first:150 --policy value-bf": `"command":"simulate","scenario":"sp2-like",
			"jobs":"first:150","policies":["value-bf"]`,
		"simulate libra-2004 --replications 2 --policy libra": `"command":"simulate","scenario":"libra-2004",
			"replications":2,"policies":["libra"]`,
		"validate nist-four --jobs 100 --replications 2 --policy hol": `"command":"validate","scenario":"nist-four",
			"jobs":100,"replications":2,"policies":["hol"]`,
		"validate nist-four --jobs 100 --replications 2 --policy easy --admission all": `"command":"validate",
			"scenario":"nist-four","jobs":100,"replications":2,"policies":["easy"],"admission":["all"]`,
		"validate nist-four --jobs 60 --replications 2 --policy easy,fcfs --objective wait": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy,fcfs"],"objective":"wait"`,
		"validate nist-four --jobs 60 --replications 2 --policy easy --vary load=0.5,1": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy"],"vary":"load=0.5,1"`,
		"validate libra-2004 --replications 2 --policy libra,fcfs": `"command":"validate","scenario":"libra-2004",
			"replications":2,"policies":["libra,fcfs"]`,
		"quote site --at 900000s --job width=32,estimate=2h,class=research --replications 5": `"command":"quote",
			"scenario":"site","replications":5,"job":{"width":32,"estimate":7200,"class":"research","at":900000}`,
		"quote site --at 10d --job width=4,estimate=60,class=urgent --replications 4 --policy easy --seed 2": `"command":"quote",
			"scenario":"site","replications":4,"policies":["easy"],"seed":2,
			"job":{"width":4,"estimate":60,"class":"urgent","at":864000}`,
		"quote site --at 10d --job width=4,estimate=60,class=urgent --replications 4 --load 0.7": `"command":"quote",
			"scenario":"site","replications":4,"load":"0.7","job":{"width":4,"estimate":60,"class":"urgent","at":864000}`,
	} {
		var want any
		if err := json.Unmarshal([]byte(must(t, append(strings.Fields(flags), "--json")...)), &want); err != nil {
			t.Fatal(err)
		}
		var reply struct {
			Facts any
			Error string
		}
		answer := newEngine().Call(context.Background(), []byte("{"+body+"}"))
		if err := json.Unmarshal(answer, &reply); err != nil {
			t.Fatal(err)
		}
		if reply.Error != "" || !equalFacts(want, reply.Facts, 0) {
			t.Errorf("%s: other facts by JSON %s", flags, reply.Error)
		}
	}
}
