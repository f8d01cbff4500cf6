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
		"solve nist-four --load 0.8 --no-check":                            `"command":"solve","scenario":"nist-four","load":"0.8","no_check":true`,
		"solve nist-four --set growth=20% --no-check":                      `"command":"solve","scenario":"nist-four","set":["growth=20%"],"no_check":true`,
		"solve nist-four --set load=0.9 --method cg --no-check":            `"command":"solve","scenario":"nist-four","set":["load=0.9"],"method":"cg","no_check":true`,
		"solve nist-four --gap 0.01 --no-check":                            `"command":"solve","scenario":"nist-four","gap":0.01,"no_check":true`,
		"solve nist-one --utility exact --no-check":                        `"command":"solve","scenario":"nist-one","utility":"exact","no_check":true`,
		"solve site --prices":                                              `"command":"solve","scenario":"site","prices":true`,
		"solve site --seed 3 --set classes.urgent.price.per_unit_hour=0.3": `"command":"solve","scenario":"site","seed":3,"set":["classes.urgent.price.per_unit_hour=0.3"]`,
		"solve nist-one --vary load=0.2:1:x3":                              `"command":"solve","scenario":"nist-one","vary":"load=0.2:1:x3"`,
		"solve nist-four --vary classes.HvHu.decay=1,3 --gap 0.001": `"command":"solve","scenario":"nist-four",
			"vary":"classes.HvHu.decay=1,3","gap":0.001`,
		"solve --waits nist-four":                           `"command":"solve","waits":true,"scenario":"nist-four"`,
		"solve --waits nist-four --class HvHu":              `"command":"solve","waits":true,"scenario":"nist-four","class":"HvHu"`,
		"solve --waits nist-four --at 60,10m":               `"command":"solve","waits":true,"scenario":"nist-four","at":["60","10m"]`,
		"solve --waits nist-four --quantiles 0.2,95%":       `"command":"solve","waits":true,"scenario":"nist-four","quantiles":"0.2,95%"`,
		"solve --waits nist-four --admission analytic":      `"command":"solve","waits":true,"scenario":"nist-four","admission":["analytic"]`,
		"solve --waits nist-four --admission 1,0.5,1,0":     `"command":"solve","waits":true,"scenario":"nist-four","admission":["1,0.5,1,0"]`,
		"solve --waits nist-cluster --residual multiserver": `"command":"solve","waits":true,"scenario":"nist-cluster","residual":"multiserver"`,
		"simulate nist-four --jobs 200 --seed 7":            `"command":"simulate","scenario":"nist-four","jobs":"200","seed":7`,
		"simulate nist-four --jobs 200 --level 0.9":         `"command":"simulate","scenario":"nist-four","jobs":200,"level":"0.9"`,
		"simulate nist-four --horizon 2d --warmup 10%":      `"command":"simulate","scenario":"nist-four","horizon":"2d","warmup":"10%"`,
		"simulate nist-four --jobs 200 --replications 3 --policy easy,hol:backfill=true": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"replications":3,"policies":["easy","hol:backfill=true"]`,
		"simulate nist-four --jobs 200 --replications 2 --admission all --admission analytic": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"replications":2,"admission":["all","analytic"]`,
		"simulate nist-four --jobs 200 --precision 30% --metric mean_wait --replications 20": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"precision":"30%","metric":"mean_wait","replications":20`,
		"simulate sp2-like --jobs first:150 --policy value-bf": `"command":"simulate","scenario":"sp2-like",
			"jobs":"first:150","policies":["value-bf"]`,
		"validate nist-four --jobs 100 --replications 2 --policy hol": `"command":"validate","scenario":"nist-four",
			"jobs":100,"replications":2,"policies":["hol"]`,
		"validate nist-four --jobs 60 --replications 2 --policy easy,fcfs --objective wait": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy,fcfs"],"objective":"wait"`,
		"validate nist-four --jobs 60 --replications 2 --policy easy --vary load=0.5,1": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy"],"vary":"load=0.5,1"`,
		"validate libra-2004 --replications 2 --policy libra,fcfs": `"command":"validate","scenario":"libra-2004",
			"replications":2,"policies":["libra,fcfs"]`,
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
