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
		"solve nist-four --set load=0.9 --method cg --no-check":            `"command":"solve","scenario":"nist-four","set":["load=0.9"],"method":"cg","no_check":true`,
		"solve site --seed 3 --set classes.urgent.price.per_unit_hour=0.3": `"command":"solve","scenario":"site","seed":3,"set":["classes.urgent.price.per_unit_hour=0.3"]`,
		"solve nist-four --vary classes.HvHu.decay=1,3 --gap 0.001": `"command":"solve","scenario":"nist-four",
			"vary":"classes.HvHu.decay=1,3","gap":0.001`,
		"solve --waits nist-four --quantiles 0.2,95%":   `"command":"solve","waits":true,"scenario":"nist-four","quantiles":"0.2,95%"`,
		"solve --waits nist-four --admission 1,0.5,1,0": `"command":"solve","waits":true,"scenario":"nist-four","admission":["1,0.5,1,0"]`,
		"simulate nist-four --jobs 200 --level 0.9":     `"command":"simulate","scenario":"nist-four","jobs":200,"level":"0.9"`,
		"simulate nist-four --jobs 200 --replications 3 --policy easy,hol:backfill=true": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"replications":3,"policies":["easy","hol:backfill=true"]`,
		"simulate nist-four --jobs 200 --precision 30% --metric mean_wait --replications 20": `"command":"simulate",
			"scenario":"nist-four","jobs":200,"precision":"30%","metric":"mean_wait","replications":20`,
		"validate nist-four --jobs 60 --replications 2 --policy easy,fcfs --objective wait": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy,fcfs"],"objective":"wait"`,
		"validate nist-four --jobs 60 --replications 2 --policy easy --vary load=0.5,1": `"command":"validate",
			"scenario":"nist-four","jobs":60,"replications":2,"policies":["easy"],"vary":"load=0.5,1"`,
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
