package slurm

import (
	"bytes"
	"slices"
)

// jobcompLine reads a line of the log of Slurm's plugin jobcomp/filetxt:
// Key=value of a job that ended. Values may hold spaces.
func (m *importer) jobcompLine(line []byte) error {
	var j logJob
	return m.take(&j, m.jobcompJob(line, &j))
}

// jobcompKeys are the keys of a line: a value ends with the next one.
var jobcompKeys = []string{
	"JobId", "UserId", "GroupId", "Name", "JobState", "Partition", "TimeLimit", "StartTime", "EndTime", "NodeList",
	"NodeCnt", "ProcCnt", "WorkDir", "ReservationName", "Tres", "Account", "QOS", "WcKey", "Cluster", "SubmitTime",
	"EligibleTime", "DerivedExitCode", "ExitCode", "ArrayJobId", "ArrayTaskId", "HetJobId", "HetJobOffset", "Gres",
}

// jobcompJob reads a line into a job, and returns why it cannot.
func (m *importer) jobcompJob(line []byte, j *logJob) string {
	values := map[string][]byte{}
	for key, text := nextKey(line); key != ""; {
		value, next := text, ""
		end := len(text)
		for i, c := range text {
			if c == ' ' {
				next, value = nextKey(text[i+1:])
				if next != "" {
					end = i
					break
				}
			}
		}
		// The name of a job may hold text that looks like a key.
		if _, twice := values[key]; !twice || !slices.Contains(jobcompKeys[:3], key) {
			values[key] = bytes.TrimSpace(text[:end])
		}
		key, text = next, value
	}
	const time = "a time such as 2026-11-15T08:46:57"
	r := fieldReader{get: func(key string) []byte { return values[key] }, clock: &m.clock, time: time}
	j.id, j.owner = values["JobId"], values["Cluster"]
	if first := values["HetJobId"]; plainNumber(first) > 0 {
		j.id, j.component = first, 1+int(max(plainNumber(values["HetJobOffset"]), 0))
	}
	j.number = int64(plainNumber(j.id))
	if j.number < 0 {
		r.fail("JobId", "a number")
	}
	j.submit, j.eligible = r.when("SubmitTime"), r.when("EligibleTime")
	j.start, j.end = r.when("StartTime"), r.when("EndTime")
	if j.submit == 0 && j.eligible == 0 {
		r.fail("SubmitTime", time)
	}
	j.barred = len(values["EligibleTime"]) > 0 && j.eligible == 0
	j.elapsed, j.limit = -1, r.span("TimeLimit", 60, "minutes")
	if !j.readTRES(&j.alloc, values["Tres"]) {
		r.fail("Tres", amountsForm)
	}
	if j.alloc[cpu] == 0 {
		j.alloc[cpu] = r.whole("ProcCnt")
	}
	if j.alloc[node] == 0 {
		j.alloc[node] = r.whole("NodeCnt")
	}
	j.asked = j.alloc
	j.state = parseState(values["JobState"])
	j.never = unknown(values["NodeList"]) && j.state != stateDone
	name := func(key string) []byte { // root(0)
		value := values[key]
		if i := bytes.LastIndexByte(value, '('); i > 0 {
			value = value[:i]
		}
		if unknown(value) {
			return nil
		}
		return value
	}
	j.user, j.group, j.account = name("UserId"), name("GroupId"), name("Account")
	j.partition, j.queue = name("Partition"), name("QOS")
	return r.why
}

// nextKey returns the key with which a text begins, "" without one, and the rest.
func nextKey(text []byte) (key string, value []byte) {
	word, _, ok := bytes.Cut(text[:min(len(text), 20)], []byte("="))
	if i := slices.Index(jobcompKeys, string(word)); ok && i >= 0 {
		return jobcompKeys[i], text[len(word)+1:]
	}
	return "", nil
}
