package slurm

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// Files as the manual pages of Slurm 22.05 describe them, and as its sacctmgr prints them.
const (
	confFile = `# slurm.conf
ClusterName=test # a comment
SlurmctldHost=head(10.0.0.1)
SchedulerType=sched/backfill
PriorityType = priority/multifactor
priorityweightqos=1000 PriorityWeightAge=100
PriorityMaxAge=1-0
PriorityFlags=NO_FAIR_TREE,DEPTH_OBLIVIOUS
SchedulerParameters="bf_continue,bf_window=2880,\
bf_interval=60,bf_max_job_array_resv=5,default_queue_depth=1000"
PreemptType=preempt/partition_prio

PartitionName=batch Nodes=n[1-64] PRIORITYJOBFACTOR=10 Default=YES
Include nodes.conf
`
	qosFile = "Name|Priority|GraceTime|Preempt|PreemptMode|Flags|UsageFactor|GrpTRES|MaxWall|MaxTRESPU|" +
		`MaxJobsPU|MaxSubmitPU
normal|0|00:00:00||cluster||1.000000|||||
gold|100|00:02:00|normal,low|cluster|DenyOnLimit|2.000000|cpu=100,mem=4T,node=4|1-00:00:00|cpu=8|5|10
`
	assocFile = `Cluster|Account|User|ParentName|Share|GrpTRES|QOS
test|root|||1||normal
test|root|root||1||normal
test|chem||root|10||normal
test|org||chem|30|cpu=20|normal
test|org|bin||3||normal
test|chem|bin||parent||normal
test|chem|ann||parent||normal
`
)

func slurmPolicy(t *testing.T) policy.Spec {
	spec, err := policy.Lookup(catalog.Standard(), "slurm")
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestReadSettings(t *testing.T) {
	files := map[string]string{
		"conf": written(t, "slurm.conf", confFile), "qos": written(t, "qos.txt", qosFile),
		"assoc": written(t, "assoc.txt", assocFile),
	}
	got, err := ReadSettings(slurmPolicy(t), files)
	if err != nil {
		t.Fatal(err)
	}
	want := policy.Settings{
		"file.conf": "Include,PriorityFlags=DEPTH_OBLIVIOUS,bf_max_job_array_resv," +
			"PreemptType=preempt/partition_prio",
		"file.PriorityType": "priority/multifactor", "file.PreemptType": "preempt/none",
		"file.PriorityWeightQOS": "1000", "file.PriorityWeightAge": "100", "file.PriorityMaxAge": "1-0",
		"file.PriorityFlags": "NO_FAIR_TREE", "file.bf_continue": "true", "file.bf_window": "2880",
		"file.bf_interval": "60", "file.default_queue_depth": "1000", "file.partition.batch.PriorityJobFactor": "10",

		"file.qos":                 "GrpTRES=mem,MaxWall,Flags",
		"file.qos.normal.Priority": "0", "file.qos.normal.GraceTime": "00:00:00",
		"file.qos.normal.PreemptMode": "cluster", "file.qos.normal.UsageFactor": "1.000000",
		"file.qos.gold.Priority": "100", "file.qos.gold.GraceTime": "00:02:00", "file.qos.gold.Preempt": "normal,low",
		"file.qos.gold.PreemptMode": "cluster", "file.qos.gold.UsageFactor": "2.000000",
		"file.qos.gold.GrpTRES": "cpu=100,node=4", "file.qos.gold.MaxTRESPU": "cpu=8",
		"file.qos.gold.MaxJobsPU": "5", "file.qos.gold.MaxSubmitPU": "10",

		"file.assoc":              "Share=parent,QOS,further accounts of users",
		"file.account.chem.Share": "10", "file.account.org.Share": "30", "file.account.org.ParentName": "chem",
		"file.account.org.GrpTRES": "cpu=20", "file.user.bin.Share": "3", "file.account.chem.Priority": "-1",
		"file.account.org.Priority": "-1", "file.account.root.Priority": "-1",
		"file.user.ann.Account": "chem", "file.user.bin.Account": "org+chem", "file.user.root.Account": "root",
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: got %q, want %q", name, got[name], want[name])
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
	got["conf"] = files["conf"]
	if all, err := slurmPolicy(t).Resolve(got); err != nil {
		t.Errorf("%v: %v", all, err)
	}
	// Options of the policy that Slurm does not have are none of slurm.conf.
	odd := written(t, "f", "estimates=exact conf=x\nqos.gold.Priority=5\nSchedulerParameters=overrun=kill,\n")
	got, err = ReadSettings(slurmPolicy(t), map[string]string{"conf": odd})
	if err != nil || len(got) != 3 || got["file.conf"] != "qos.gold.Priority,overrun" {
		t.Errorf("got %v, %v", got, err)
	}
	// Without its lines a file means what Slurm does without them.
	empty := written(t, "slurm.conf", "\ufeff# nothing\r\n\r\n")
	got, err = ReadSettings(slurmPolicy(t), map[string]string{"conf": empty})
	defaults := policy.Settings{"file.PriorityType": "priority/basic", "file.PreemptType": "preempt/none"}
	if err != nil || !reflect.DeepEqual(got, defaults) {
		t.Errorf("got %v, %v, want %v", got, err, defaults)
	}
}

func TestHostileSettings(t *testing.T) {
	const qos, assoc = "Name|Priority|GrpTRES|Preempt\n", "Account|User|ParentName|Share\n"
	for _, c := range []struct{ option, file, want string }{
		{"conf", "\x7fELF\x02\x00\x01", "f:1: expected words KEY=VALUE"},
		{"conf", "\x1f\x8b\x08\x00", "f:1: the compressed file"},
		{"conf", "PriorityWeightAge\n", "f:1: expected words KEY=VALUE"},
		{"conf", "\nPriorityWeightAge=\n", "f:2: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=x\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=-5\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=NaN\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=Inf\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=1e309\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=\"1\x00\"\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=$(reboot)\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=1;reboot\n", "f:1: PriorityWeightAge: expected a number"},
		{"conf", "PriorityWeightAge=\"1\n", "f:1: expected words KEY=VALUE"},
		{"conf", "PriorityMaxAge=7-0-0\n", "f:1: PriorityMaxAge: expected a time"},
		{"conf", "PriorityMaxAge=99999999999999999999\n", "f:1: PriorityMaxAge: expected a time"},
		{"conf", "PriorityMaxAge=1:2:3:4\n", "f:1: PriorityMaxAge: expected a time"},
		{"conf", "PriorityFavorSmall=maybe\n", "f:1: PriorityFavorSmall: expected no or yes"},
		{"conf", "SchedulerParameters=bf_window=x\n", "f:1: bf_window: expected a whole number"},
		{"conf", "SchedulerParameters=bf_window\n", "f:1: bf_window: expected a whole number"},
		{"conf", "a=b\nSchedulerParameters=defer=2\n", "f:2: defer: expected"},
		{"conf", "SchedulerParameters=bf_interval=1e3\n", "f:1: bf_interval: expected a whole number"},
		{"conf", "PartitionName=a;b Nodes=x\n", "f:1: PartitionName: expected a name"},
		{"conf", "PartitionName=\n", "f:1: PartitionName: expected a name"},
		{"conf", "PartitionName=\"a\x1b[2J\" PriorityJobFactor=1\n", "f:1: PartitionName: expected a name"},
		{"conf", "PartitionName=a PriorityJobFactor=-1\n", "f:1: PriorityJobFactor: expected a whole number"},
		{"conf", "a=b \\\n" + strings.Repeat("x", conf.MaxLine), "f:2: expected lines of at most"},
		{"conf", "\x1b]0;title\x07\n", "f:1: expected words KEY=VALUE"},
		{"conf", "\u202ePriorityWeightAge=1\n", "f:1: expected words KEY=VALUE"},

		{"qos", "", "f:1: expected the header of sacctmgr show qos -P with a column Name"},
		{"qos", "normal|0|\n", "f:1: expected the header of sacctmgr show qos"},
		{"qos", "      Name   Priority\n------- ------\n", "f:1: expected the header of sacctmgr show qos"},
		{"qos", "\x00\x00\x00", "f:1: expected the header of sacctmgr show qos"},
		{"qos", qos + "gold|1\n", "f:2: expected 4 fields, got 2"},
		{"qos", qos + "gold|1|||\n", "f:2: expected 4 fields, got 5"},
		{"qos", qos + "|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "go ld|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "\"gold\"|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "$(reboot)|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "gold;reboot|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "gold:backfill=true|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "go\x1b[31mld|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + strings.Repeat("g", 300) + "|1||\n", "f:2: Name: expected a name"},
		{"qos", qos + "gold|1||\ngold|2||\n", "f:3: Name: expected every name once"},
		{"qos", qos + "gold|-1||\n", "f:2: Priority: expected a whole number"},
		{"qos", qos + "gold|1.5||\n", "f:2: Priority: expected a whole number"},
		{"qos", qos + "gold|NaN||\n", "f:2: Priority: expected a whole number"},
		{"qos", qos + "gold|4294967296||\n", "f:2: Priority: expected a whole number from 0 to 4294967295, got"},
		{"conf", "PriorityWeightAge=4294967296\n", "f:1: PriorityWeightAge: expected a number from 0 on and below"},
		{"qos", qos + "gold|1|cpu=x|\n", "f:2: GrpTRES: expected a number of units"},
		{"qos", qos + "gold|1|cpu=-1|\n", "f:2: GrpTRES: expected a number of units"},
		{"qos", qos + "gold|1|cpu=1e308|\n", "f:2: GrpTRES: expected a number of units"},
		{"qos", qos + "gold|1||a,$(b)\n", "f:2: Preempt: expected a name"},

		{"assoc", "", "f:1: expected the header of sacctmgr show assoc -P with a column Account"},
		{"assoc", assoc + "a||b|1\nb||a|1\n", "f:3: ParentName: expected no circle"},
		{"assoc", assoc + "a||a|1\n", "f:2: ParentName: expected no circle"},
		{"assoc", assoc + "a|||1\na|||2\n", "f:3: Account: expected every name once"},
		{"assoc", assoc + "a|||-1\n", "f:2: Share: expected a number"},
		{"assoc", assoc + "a|||1e999\n", "f:2: Share: expected a number"},
		{"assoc", assoc + "a||`b`|1\n", "f:2: ParentName: expected a name"},
		{"assoc", assoc + "a|'u'||1\n", "f:2: User: expected a name"},
		{"assoc", assoc + "a\x00|||1\n", "f:2: Account: expected a name"},
	} {
		path := written(t, "f", c.file)
		got, err := ReadSettings(slurmPolicy(t), map[string]string{c.option: path})
		bad, ok := err.(*workload.Error)
		if !ok || !strings.HasPrefix(strings.TrimPrefix(err.Error(), filepath.Dir(path)+"/"), c.want) {
			t.Errorf("%s %.80q: got %v, %v, want %s", c.option, c.file, got, err, c.want)
			continue
		}
		odd := func(r rune) bool { return !unicode.IsPrint(r) }
		if strings.ContainsFunc(bad.Message, odd) || len(bad.Message) > 250 {
			t.Errorf("%s %.80q: message %q", c.option, c.file, bad.Message)
		}
	}
	for _, option := range SettingFiles() {
		for _, path := range []string{t.TempDir(), os.DevNull, "/dev/zero", "/missing"} {
			_, err := ReadSettings(slurmPolicy(t), map[string]string{option: path})
			if err == nil || !strings.HasPrefix(err.Error(), path+":") {
				t.Errorf("%s %s: got %v", option, path, err)
			}
		}
	}
	// Names that are left out are shown without control characters, and not all of them.
	file := "Name|Max\x1b[2J|Max " + strings.Repeat("long", 99) + "\ngold|1|2\n"
	got, err := ReadSettings(slurmPolicy(t), map[string]string{"qos": written(t, "f", file)})
	if want := "Max [2J,Max" + strings.Repeat("long", 9) + "l"; err != nil || got["file.qos"] != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}
