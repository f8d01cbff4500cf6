package workload

import (
	"bytes"
	"slices"
)

// readJobcomp reads the log of Slurm's plugin jobcomp/filetxt: a line of
// Key=value for every job that ended. Values may hold spaces.
func (m *importer) readJobcomp() error {
	return m.each(func(line []byte) error {
		m.rows++
		var j logJob
		if why := m.jobcompJob(line, &j); why != "" {
			m.refuse("%s", why)
			return nil
		}
		return m.add(&j)
	})
}

// jobcompKeys are the keys of a line: a value ends with the next one.
var jobcompKeys = []string{
	"JobId", "UserId", "GroupId", "Name", "JobState", "Partition", "TimeLimit", "StartTime", "EndTime", "NodeList", "NodeCnt", "ProcCnt", "WorkDir",
	"ReservationName", "Tres", "Account", "QOS", "WcKey", "Cluster", "SubmitTime", "EligibleTime", "DerivedExitCode", "ExitCode", "ArrayJobId", "ArrayTaskId",
	"HetJobId", "HetJobOffset", "Gres",
}

// jobcompJob reads a line into a job, and says why it cannot.
func (m *importer) jobcompJob(line []byte, j *logJob) string {
	values := map[string][]byte{}
	for key, rest := nextKey(line); key != ""; {
		value, next := rest, ""
		end := len(rest)
		for i, c := range rest {
			if c == ' ' {
				if next, value = nextKey(rest[i+1:]); next != "" {
					end = i
					break
				}
			}
		}
		if _, twice := values[key]; !twice || !slices.Contains(jobcompKeys[:3], key) { // a name may hold what looks like a key
			values[key] = bytes.TrimSpace(rest[:end])
		}
		key, rest = next, value
	}
	r := pairReader{values: values, clock: &m.clock, time: "a time such as 2026-11-15T08:46:57"}
	j.id, j.owner = values["JobId"], values["Cluster"]
	if j.number = int64(plainNumber(j.id)); j.number < 0 {
		r.fail("JobId", "a number")
	}
	j.submit, j.eligible, j.start, j.end = r.when("SubmitTime"), r.when("EligibleTime"), r.when("StartTime"), r.when("EndTime")
	if j.submit == 0 && j.eligible == 0 {
		r.fail("SubmitTime", "a time such as 2026-11-15T08:46:57")
	}
	j.barred = len(values["EligibleTime"]) > 0 && j.eligible == 0
	j.elapsed = -1
	var ok bool
	if j.limit, ok = parseSpan(values["TimeLimit"], 60); !ok {
		r.fail("TimeLimit", "minutes")
	}
	t := parseTRES(values["Tres"])
	j.alloc, j.nodes = t.cpus, t.nodes
	if j.alloc == 0 {
		j.alloc = r.whole("ProcCnt")
	}
	if j.nodes == 0 {
		j.nodes = r.whole("NodeCnt")
	}
	if t.gpus > 0 {
		j.fates |= accelerated.bit()
	}
	j.asked, j.askedNodes = j.alloc, j.nodes
	j.state = parseState(values["JobState"])
	j.never = unknownWord(values["NodeList"]) && j.state != stateDone
	name := func(key string) []byte { // root(0)
		value := values[key]
		if i := bytes.LastIndexByte(value, '('); i > 0 {
			value = value[:i]
		}
		if unknownWord(value) {
			return nil
		}
		return value
	}
	j.user, j.group, j.account, j.partition, j.queue = name("UserId"), name("GroupId"), name("Account"), name("Partition"), name("QOS")
	return r.why
}

// nextKey returns the key with which a text begins, "" where it is none, and what
// follows.
func nextKey(text []byte) (key string, rest []byte) {
	word, _, ok := bytes.Cut(text[:min(len(text), 20)], []byte("="))
	if !ok {
		return "", nil
	}
	for _, key := range jobcompKeys {
		if string(word) == key {
			return key, text[len(key)+1:]
		}
	}
	return "", nil
}
