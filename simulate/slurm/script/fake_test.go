package script

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// site is a Slurm in a file: sacctmgr, scontrol and squeue are this test's program under these names.
type site struct {
	QOS      map[string]map[string]string // by name: fields by column
	Assocs   []*assoc                     // parents before children
	Jobs     []*job
	Calls    int      // commands so far that do not begin with show
	Fault    string   // killed before, killed after, refused at, ignored; "": none
	FaultAt  int      // the command of the fault
	Reads    int      // calls so far that read
	Unread   string   // what becomes of one of them: fails, empty; "": nothing
	UnreadAt int      // the call
	Lie      string   // of squeue: fails, empty, none (a header alone); of scontrol: silent
	Fixed    int      // a job that cannot be moved
	Log      []string // commands that change something
}

type assoc struct {
	Account, User, Parent string
	Own                   []string // QOS; nil: those of the parent
	Plus                  []string // QOS beside those of the parent
	Default, Priority     string
}

type job struct {
	ID                        int
	Account, User, State, QOS string
}

const columnsOfQOS = "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|MaxTRESPU|MaxSubmitPU|MaxWall"

func TestMain(m *testing.M) {
	file := os.Getenv("FAKE_SLURM")
	name := filepath.Base(os.Args[0])
	if file == "" || name != "sacctmgr" && name != "scontrol" && name != "squeue" {
		os.Exit(m.Run())
	}
	s := load(file)
	// A full disk of the script is none of the fake's, see full.
	var limit syscall.Rlimit
	syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit)
	limit.Cur = limit.Max
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
	fault := ""
	if slices.Contains(os.Args, "show") || name == "squeue" {
		s.Reads++
		if s.Reads == s.UnreadAt && s.Unread != "" {
			s.save(file)
			os.Exit(map[string]int{"fails": 1}[s.Unread])
		}
	} else { // only these can leave something half done
		s.Calls++
		if s.FaultAt == s.Calls {
			fault = s.Fault
		}
	}
	code := 1
	if fault == "ignored" {
		code = 0
	} else if fault != "killed before" && fault != "refused at" {
		code = s.run(name, os.Args[1:])
	}
	if strings.HasPrefix(fault, "killed") {
		s.save(file)
		syscall.Kill(0, syscall.SIGKILL) // the group: the script and this
	}
	s.save(file)
	os.Exit(code)
}

func load(file string) *site {
	text, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	s := &site{}
	if err := json.Unmarshal(text, s); err != nil {
		panic(err)
	}
	return s
}

func (s *site) save(file string) {
	text, err := json.Marshal(s)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

func (s *site) run(name string, args []string) int {
	line := strings.Join(args, " ")
	switch {
	case name == "squeue":
		return s.squeue()
	case line == "show config":
		fmt.Println("ClusterName = c1\nSchedulerParameters = bf_window=7,defer,max_rpc_cnt=9")
	case line == "show job":
		return s.showJobs()
	case name == "scontrol":
		s.Log = append(s.Log, "scontrol "+line)
		return s.move(args)
	case slices.Contains(args, "show"):
		return s.show(args)
	default:
		s.Log = append(s.Log, "sacctmgr "+line)
		return s.manage(args)
	}
	return 0
}

func (s *site) squeue() int {
	switch s.Lie {
	case "fails":
		return 1
	case "empty":
		return 0
	}
	fmt.Println("ARRAY_JOB_ID|JOBID|STATE|QOS")
	for _, j := range s.Jobs {
		if s.Lie != "none" {
			fmt.Printf("%d|%d|%s|%s\n", j.ID, j.ID, j.State, j.QOS)
		}
	}
	return 0
}

func (s *site) showJobs() int {
	if s.Lie == "silent" {
		return 0
	}
	if len(s.Jobs) == 0 {
		fmt.Println("No jobs in the system")
	}
	for _, j := range s.Jobs {
		fmt.Printf("JobId=%d JobName=x QOS=other\n   Priority=1 Nice=0 Account=%s QOS=%s WCKey=*\n   JobState=%s Reason=None\n",
			j.ID, j.Account, j.QOS, j.State)
	}
	return 0
}

// words returns the assignments after a word.
func words(args []string, after string) map[string]string {
	found := map[string]string{}
	i := slices.Index(args, after)
	for _, arg := range args[i+1:] {
		if arg == "set" {
			break
		}
		key, value, _ := strings.Cut(arg, "=")
		found[strings.ToLower(key)] = value
	}
	return found
}

// column returns a column of a row, by its name in any case.
func column(row map[string]string, name string) string {
	for key, value := range row {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

func (s *site) show(args []string) int {
	where := words(args, "where")
	if !slices.Contains(args, "where") {
		where = words(args, "show")
	}
	format := where["format"]
	if format == "" {
		format = strings.ReplaceAll(columnsOfQOS, "|", ",")
		fmt.Println(columnsOfQOS)
	}
	var rows []map[string]string
	if slices.Contains(args, "qos") {
		for _, name := range slices.Sorted(maps.Keys(s.QOS)) {
			row := maps.Clone(s.QOS[name])
			row["Name"] = name
			if where["name"] == "" || where["name"] == name {
				rows = append(rows, row)
			}
		}
	} else {
		rows = s.assocRows(where, slices.Contains(args, "wopl"), slices.Contains(args, "withsub"))
	}
	known := strings.ToLower(strings.ReplaceAll(columnsOfQOS, "|", ",") + ",account,user,partition,qos,defaultqos,priority,")
	for _, row := range rows {
		var values []string
		for name := range strings.SplitSeq(format, ",") {
			if !strings.Contains(known, strings.ToLower(name)) {
				return 1
			}
			values = append(values, column(row, name))
		}
		fmt.Println(strings.Join(values, "|"))
	}
	return 0
}

func (s *site) assocRows(where map[string]string, own, below bool) (rows []map[string]string) {
	for _, a := range s.Assocs {
		account, byAccount := where["account"]
		user, byUser := where["user"]
		inside := a.Account == account || below && s.within(a.Account, account)
		if byAccount && !inside || byUser && a.User != user {
			continue
		}
		list, by := s.allowed(a), s.byDefault(a)
		if own {
			list, by = slices.Concat(a.Own, a.Plus), a.Default
		}
		slices.Sort(list)
		rows = append(rows, map[string]string{"Account": a.Account, "User": a.User, "QOS": strings.Join(list, ","),
			"DefaultQOS": by, "Priority": a.Priority})
	}
	return rows
}

func (s *site) parent(a *assoc) *assoc {
	name := a.Parent
	if a.User != "" {
		name = a.Account
	}
	i := slices.IndexFunc(s.Assocs, func(b *assoc) bool { return b.Account == name && b.User == "" && b != a })
	if i < 0 {
		return nil
	}
	return s.Assocs[i]
}

func (s *site) within(account, above string) bool {
	for _, a := range s.Assocs {
		if a.Account == account && a.User == "" {
			return a.Parent == above || a.Parent != "" && s.within(a.Parent, above)
		}
	}
	return false
}

func (s *site) allowed(a *assoc) []string {
	list := slices.Clone(a.Own)
	if up := s.parent(a); a.Own == nil && up != nil {
		list = s.allowed(up)
	}
	return append(list, a.Plus...)
}

func (s *site) byDefault(a *assoc) string {
	if up := s.parent(a); a.Default == "" && up != nil {
		return s.byDefault(up)
	}
	return a.Default
}

// given returns the QOS of a job that names none.
func (s *site) given(account, user string) string {
	for _, a := range s.Assocs {
		if a.Account == account && a.User == user {
			return cmp.Or(s.byDefault(a), "normal")
		}
	}
	return ""
}

func (s *site) manage(args []string) int {
	where, set := words(args, "where"), words(args, "set")
	switch args[1] + " " + args[2] {
	case "add qos":
		s.QOS[args[3]] = map[string]string{"Priority": "0", "GraceTime": "00:00:00", "PreemptMode": "cluster", "UsageFactor": "1.0"}
		s.change(args[3], set)
	case "modify qos":
		if s.QOS[where["name"]] == nil {
			return 1
		}
		s.change(where["name"], set)
	case "delete qos":
		return s.remove(where["name"])
	default:
		return s.assign(where, args[2], set)
	}
	return 0
}

func (s *site) change(name string, set map[string]string) {
	for key, value := range set {
		switch seconds, _ := strconv.Atoi(value); key {
		case "preempt+":
			s.QOS[name]["Preempt"] = strings.TrimPrefix(s.QOS[name]["Preempt"]+","+value, ",")
			continue
		case "gracetime":
			value = fmt.Sprintf("00:%02d:%02d", seconds/60, seconds%60)
		case "maxsubmitjobsperuser":
			key = "MaxSubmitPU"
		}
		for column := range strings.SplitSeq(columnsOfQOS, "|") {
			if strings.EqualFold(column, key) {
				s.QOS[name][column] = value
			}
		}
	}
}

// remove deletes a QOS as Slurm does: not if it is a default, and jobs that hold it lose it.
func (s *site) remove(name string) int {
	if s.QOS[name] == nil || slices.ContainsFunc(s.Assocs, func(a *assoc) bool { return a.Default == name }) {
		return 1
	}
	delete(s.QOS, name)
	gone := func(list []string) []string { return slices.DeleteFunc(list, func(q string) bool { return q == name }) }
	for _, q := range s.QOS {
		q["Preempt"] = strings.Join(gone(strings.Split(q["Preempt"], ",")), ",")
	}
	for _, a := range s.Assocs {
		a.Own, a.Plus = gone(a.Own), gone(a.Plus)
	}
	for _, j := range s.Jobs {
		if j.QOS == name {
			j.QOS = "(null)"
		}
	}
	return 0
}

// assign sets a field of associations. A default QOS that is not allowed to all below is refused with exit code 0.
func (s *site) assign(where map[string]string, kind string, set map[string]string) int {
	changed := 0
	for _, a := range s.Assocs {
		if kind == "account" && (a.Account != where["name"] || a.User != "") ||
			kind == "user" && (a.User != where["name"] || a.Account != where["account"]) {
			continue
		}
		changed++
		for key, value := range set {
			switch key {
			case "qos+":
				if a.Own != nil {
					a.Own = append(a.Own, value)
				} else {
					a.Plus = append(a.Plus, value)
				}
			case "qos-":
				a.Own = slices.DeleteFunc(a.Own, func(q string) bool { return q == value })
				a.Plus = slices.DeleteFunc(a.Plus, func(q string) bool { return q == value })
			case "defaultqos":
				value = strings.TrimPrefix(value, "-1")
				for _, b := range s.Assocs {
					under := b == a || kind == "account" && (b.Account == a.Account || s.within(b.Account, a.Account))
					if value != "" && under && !slices.Contains(s.allowed(b), value) {
						return 0
					}
				}
				a.Default = value
			case "priority":
				a.Priority = strings.TrimPrefix(value, "-1")
			}
		}
	}
	if changed == 0 {
		return 1
	}
	return 0
}

func (s *site) move(args []string) int {
	set := words(args, "update")
	for _, j := range s.Jobs {
		if strconv.Itoa(j.ID) != set["jobid"] {
			continue
		}
		if j.State != "PENDING" || j.ID == s.Fixed {
			return 1
		}
		j.QOS = cmp.Or(set["qos"], s.given(j.Account, j.User))
		return 0
	}
	return 1
}
