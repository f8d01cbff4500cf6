package slurm

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// pbsLine reads a line of an accounting log of PBS or Torque: a date, the kind of
// the record, a job and its attributes. E is the end of a job; Q, S, D and A are
// of jobs without an end; the others are counted.
func (m *importer) pbsLine(line []byte) error {
	_, record, ok := bytes.Cut(line, []byte(";"))
	kind, record, ok2 := bytes.Cut(record, []byte(";"))
	id, attributes, ok3 := bytes.Cut(record, []byte(";"))
	if !ok || !ok2 || len(kind) != 1 {
		m.refuse("expected a record such as 11/15/2026 08:46:57;E;1.server;user=..., got " + text.Quote(line))
		return nil
	}
	mark := pbsMarks[kind[0]]
	switch end, array := kind[0] == 'E', bytes.Contains(id, []byte("[]")); {
	case end && (!ok3 || len(id) == 0):
		m.refuse("expected the attributes of a job, got " + text.Quote(line))
	case end && array:
		m.count(family)
	case end:
		var j logJob
		return m.take(&j, m.pbsJob(id, attributes, &j))
	case mark == 0 || len(id) == 0 || array:
		m.count(others)
	default:
		m.mark(mark, pbsNumber(id), id, nil)
	}
	return nil
}

var pbsMarks = map[byte]int{'Q': markQueued, 'S': markStarted, 'D': markDeleted, 'A': markDeleted}

// pbsNumber returns the number of a job such as 17.server, -1 of 17[3].server.
func pbsNumber(id []byte) float64 {
	number, _, _ := bytes.Cut(id, []byte("."))
	return plainNumber(number)
}

// pbsJob reads the attributes of an E record into a job, and returns why it cannot.
func (m *importer) pbsJob(id, attributes []byte, j *logJob) string {
	values := map[string][]byte{}
	for _, word := range bytes.Fields(attributes) {
		if key, value, ok := bytes.Cut(word, []byte("=")); ok {
			if _, twice := values[string(key)]; !twice {
				values[string(key)] = bytes.Trim(value, `"`)
			}
		}
	}
	const time = "a time in seconds since 1970"
	r := fieldReader{get: func(key string) []byte { return values[key] }, clock: &m.clock, time: time}
	j.id, j.number = id, int64(pbsNumber(id))
	j.submit, j.eligible = cmp.Or(r.when("qtime"), r.when("ctime")), r.when("etime")
	j.start, j.end = r.when("start"), r.when("end")
	if j.submit == 0 && j.eligible == 0 {
		r.fail("qtime", time)
	}
	const span = "a time such as 01:00:00"
	j.limit, j.elapsed = r.span("Resource_List.walltime", 1, span), int64(r.span("resources_used.walltime", 1, span))
	slots, hosts := execHosts(string(values["exec_host"]))
	nodes, procs := nodeSpec(string(values["Resource_List.nodes"]))
	j.asked[cpu] = cmp.Or(r.whole("Resource_List.ncpus"), float64(procs), float64(slots))
	j.asked[node] = cmp.Or(r.whole("Resource_List.nodect"), float64(nodes), float64(hosts))
	j.alloc[cpu] = cmp.Or(r.whole("total_execution_slots"),
		max(float64(slots), r.whole("resources_used.ncpus")), j.asked[cpu])
	j.alloc[node] = cmp.Or(r.whole("unique_node_count"), float64(hosts), j.asked[node])
	j.asked[gpu] = r.whole("Resource_List.ngpus")
	if len(values["depend"])+len(values["Resource_List.depend"]) > 0 {
		j.fates.add(dependent)
	}
	exit, err := strconv.Atoi(string(values["Exit_status"]))
	switch {
	case len(values["Exit_status"]) == 0 || err != nil:
		j.state = stateUnknown
	case exit == 0:
		j.state = stateDone
	case exit == 256+15 || exit == 256+9 || exit == 128+15: // ended by a signal of qdel
		j.state = stateCanceled
	default:
		j.state = stateFailed
	}
	j.user, j.group, j.queue = values["user"], values["group"], values["queue"]
	j.account = values["account"]
	if project := values["project"]; len(j.account) == 0 && !bytes.HasPrefix(project, []byte("_pbs_")) {
		j.account = project
	}
	return r.why
}

func isPlus(r rune) bool { return r == '+' }

// nodeSpec returns the nodes and processors of a request such as 2:ppn=8+1:ppn=4.
func nodeSpec(spec string) (nodes, procs int) {
	for _, chunk := range strings.FieldsFunc(spec, isPlus) {
		n, ppn := 1, 1
		for i, word := range strings.Split(chunk, ":") {
			digits, perNode := strings.CutPrefix(word, "ppn=")
			switch x, err := strconv.ParseUint(digits, 10, 20); {
			case err != nil:
			case perNode:
				ppn = int(x)
			case i == 0:
				n = int(x)
			}
		}
		nodes, procs = nodes+n, procs+n*ppn
	}
	if procs > workload.MaxNodes {
		return 0, 0
	}
	return nodes, procs
}

// execHosts returns the processors and the nodes of a list such as
// n1/0*8+n2/0*8 (PBS), n1/0-7 or n1/0+n1/1 (Torque).
func execHosts(list string) (slots, nodes int) {
	last := ""
	for _, part := range strings.FieldsFunc(list, isPlus) {
		host, place, _ := strings.Cut(part, "/")
		if host != last {
			nodes, last = nodes+1, host
		}
		if _, times, ok := strings.Cut(place, "*"); ok {
			n, _ := strconv.ParseUint(times, 10, 20)
			slots += int(max(n, 1))
			continue
		}
		for _, item := range strings.Split(place, ",") {
			from, to, _ := strings.Cut(item, "-")
			a, err1 := strconv.ParseUint(from, 10, 20)
			b, err2 := strconv.ParseUint(to, 10, 20)
			if err1 != nil || err2 != nil || b < a {
				a, b = 0, 0
			}
			slots += int(b-a) + 1
		}
	}
	return min(slots, workload.MaxNodes), nodes
}
