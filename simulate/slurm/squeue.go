package slurm

import (
	"encoding/json"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// QueuedJob is a job of squeue. Times are Unix seconds, 0 if they are unknown.
type QueuedJob struct {
	ID                            string
	User, Account, Partition, QOS string
	Running                       bool
	Nodes, CPUs                   int     // 0: unknown
	Submit, Start                 float64 // the start of a running job
	Limit                         float64 // s, 0: none
}

// mostQueue is the largest size of a file, and of a number in it.
const mostQueue = 1 << 26

// ReadQueue reads the output of squeue, as text with a header or of --json, and returns the jobs that
// run or wait and the time at which it was printed. Times without a zone are in the given one.
func ReadQueue(file string, zone *time.Location) (jobs []QueuedJob, now float64, err error) {
	err = eachRecord(file, "jobs", []string{"JOBID", "STATE"}, func(get func(string) string, fail func(f, want string) error) error {
		j := QueuedJob{User: get("USER"), Account: get("ACCOUNT"), Partition: get("PARTITION"), QOS: get("QOS")}
		switch state, _, _ := strings.Cut(get("STATE"), "+"); state {
		case "R", "RUNNING", "CG", "COMPLETING", "CF", "CONFIGURING", "S", "SUSPENDED", "ST", "STOPPED":
			j.Running = true
		case "PD", "PENDING":
		default:
			return nil // it is over, or waits for a person
		}
		for _, f := range []struct {
			name string
			to   *int
		}{{"NODES", &j.Nodes}, {"CPUS", &j.CPUs}} {
			n, ok := parseAmount(strings.TrimSuffix(get(f.name), "+"))
			if word := get(f.name); word != "" && !(ok && n >= 0 && n < mostQueue) {
				return fail(f.name, "a number")
			}
			*f.to = int(n)
		}
		if j.Nodes == 0 && j.CPUs == 0 {
			return fail("NODES", "a number of nodes or CPUs above 0")
		}
		spent, ok := parseSpan([]byte(get("TIME")), 60)
		if !ok {
			return fail("TIME", "a time such as 1-02:03:04")
		}
		limit, ok := parseSpan([]byte(strings.ReplaceAll(get("TIME_LIMIT"), "NOT_SET", "")), 60)
		if !ok {
			return fail("TIME_LIMIT", "a time such as 1-02:03:04 or UNLIMITED")
		}
		j.Limit = max(limit, 0)
		for _, f := range []struct {
			name string
			to   *float64
		}{{"SUBMIT_TIME", &j.Submit}, {"START_TIME", &j.Start}} {
			if word := get(f.name); !unknown([]byte(word)) {
				if *f.to, ok = ParseTime(word, zone); !ok {
					return fail(f.name, "a time such as 2026-11-15T08:46:57")
				}
			}
		}
		if now = max(now, j.Submit); !j.Running {
			j.Start = 0
		} else if j.Start > 0 {
			now = max(now, j.Start+max(spent, 0))
		} else {
			j.Start = -max(spent, 0) // from now on, see below
		}
		id, _, limited := strings.Cut(get("JOBID"), "%")
		if limited {
			id += "]"
		}
		names, ok := expandNames(id, mostQueue>>10)
		if !ok {
			return fail("JOBID", "a number such as 254 or 254_[2-4]")
		}
		for _, j.ID = range names {
			jobs = append(jobs, j)
		}
		return nil
	})
	for i := range jobs {
		if j := &jobs[i]; j.Running && j.Start <= 0 {
			j.Start += now
		}
	}
	return jobs, now, err
}

// ReadNodes reads the output of sinfo, as text with a header or of --json, and returns how many nodes
// and CPUs can run jobs. A node that is listed with several partitions counts once.
func ReadNodes(file string) (nodes, cpus int, err error) {
	seen := map[string]bool{}
	err = eachRecord(file, "nodes", []string{"STATE"}, func(get func(string) string, fail func(f, want string) error) error {
		names, ok := expandNames(get("NODELIST"), maxNames)
		n := len(names)
		if get("NODELIST") == "" {
			x, fine := parseAmount(get("NODES"))
			n, ok = int(min(x, mostQueue)), fine
		}
		if !ok {
			return fail("NODELIST", "names of nodes such as n[01-04], or a number in NODES")
		}
		each, ok := parseAmount(strings.TrimSuffix(get("CPUS"), "+"))
		if get("CPUS") == "" {
			each, ok = 1, true
		}
		if !ok || each > mostQueue {
			return fail("CPUS", "the number of CPUs of a node")
		}
		state := strings.ToLower(get("STATE") + get("STATE_FLAGS"))
		for _, bad := range []string{"down", "drain", "drng", "fail", "maint", "unk", "reboot", "*"} {
			if strings.Contains(state, bad) {
				return nil
			}
		}
		for _, name := range names {
			if seen[name] {
				n--
			}
			seen[name] = true
		}
		nodes, cpus = nodes+n, cpus+n*int(each)
		return nil
	})
	return nodes, cpus, err
}

// eachRecord reads the rows of a text whose header has at least the given columns, or the objects of
// an array of a JSON object.
func eachRecord(file, array string, need []string,
	read func(get func(string) string, fail func(field, want string) error) error) error {
	return withLines(file, func(lines *workload.Lines) error {
		if start, err := lines.Peek(); err != nil {
			return err
		} else if strings.HasPrefix(strings.TrimSpace(string(start)), "{") {
			return eachObject(file, array, read)
		}
		var columns []string
		split := strings.Fields
		for {
			line, err := lines.Next()
			if err != nil {
				return err
			}
			if line == nil && columns == nil {
				return lines.Errorf("expected the output of squeue or sinfo with a header, got no line")
			} else if line == nil {
				return nil
			}
			if columns == nil {
				if strings.Contains(string(line), "|") {
					split = func(s string) []string { return strings.Split(s, "|") }
				}
				for _, name := range split(string(line)) {
					columns = append(columns, column(strings.TrimSpace(name)))
				}
				for _, name := range need {
					if !slices.Contains(columns, name) {
						return lines.Errorf("expected a header with a column %s, got %s", name, text.Quote(line))
					}
				}
				continue
			}
			row := split(string(line))
			if len(row) == 0 {
				continue
			}
			if len(row) < len(columns) {
				return lines.Errorf("expected %d columns, got %d", len(columns), len(row))
			}
			get := func(name string) string {
				if i := slices.Index(columns, name); i >= 0 {
					return strings.TrimSpace(row[i])
				}
				return ""
			}
			err = read(get, func(field, want string) error { return wrong(lines, field, want, get(field)) })
			if err != nil {
				return err
			}
		}
	})
}

// column returns the name by which a column of squeue, sinfo or their JSON is known here.
func column(name string) string {
	name = strings.ToUpper(name)
	switch name {
	case "ST", "JOB_STATE":
		return "STATE"
	case "JOB_ID", "JOBARRAYID":
		return "JOBID"
	case "USER_NAME", "USERNAME":
		return "USER"
	case "NODE_COUNT", "NUMNODES":
		return "NODES"
	case "MIN_CPUS", "NUMCPUS":
		return "CPUS"
	case "TIMELIMIT":
		return "TIME_LIMIT"
	case "SUBMITTIME":
		return "SUBMIT_TIME"
	case "STARTTIME":
		return "START_TIME"
	case "TIMEUSED", "TIME_USED":
		return "TIME"
	case "NAME", "HOSTNAMES":
		return "NODELIST"
	}
	return name
}

// eachObject reads the objects of an array. Numbers may be objects with a number, and states lists.
func eachObject(file, array string, read func(func(string) string, func(string, string) error) error) error {
	bad := func(message string) error { return &workload.Error{File: file, Message: message} }
	f, err := os.Open(file)
	if err != nil {
		return bad(text.Cause(err))
	}
	defer f.Close()
	all, err := io.ReadAll(io.LimitReader(f, mostQueue))
	if err != nil {
		return bad(text.Cause(err))
	}
	var doc map[string]json.RawMessage
	var list []map[string]any
	if json.Unmarshal(all, &doc) != nil || json.Unmarshal(doc[array], &list) != nil {
		return bad("expected the output of --json with an array " + array)
	}
	for i, object := range list {
		words := map[string]string{}
		for key, value := range object {
			if array == "nodes" || key != "name" && key != "nodes" { // these are not what the columns are
				words[column(key)] = plainWord(value)
			}
		}
		get := func(name string) string { return words[name] }
		err := read(get, func(field, want string) error {
			return bad(array + "[" + strconv.Itoa(i) + "]: " + field + ": expected " + want + ", got " + text.Quote([]byte(words[field])))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// plainWord returns a value of JSON as squeue would print it.
func plainWord(value any) string {
	switch x := value.(type) {
	case string:
		return x
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return strconv.FormatInt(int64(x), 10)
		}
		return strconv.FormatFloat(x, 'g', -1, 64)
	case []any:
		words := text.Each(x, plainWord)
		return strings.Join(words, "+")
	case map[string]any:
		if set, ok := x["set"].(bool); ok && !set || x["infinite"] == true {
			return ""
		}
		return plainWord(x["number"])
	}
	return ""
}
