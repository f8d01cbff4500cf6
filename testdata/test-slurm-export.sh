#!/bin/sh
# Installs exports on a small real Slurm with accounting, limits and preemption, and takes them back: with jobs that
# wait (all start afterwards), with jobs that run (undo.sh ends with 1, its second run finishes), with a job that is
# requeued after undo, and with kills of undo.sh, arrays, heterogeneous jobs and those of two partitions, and users with
# lists of their own. Limits of users and preemption are the same before, while the export is installed, and after.
# Without --modify-existing nothing is changed. Its cluster has four nodes of four processors on loopback.
# Stops exactly what it starts. Installs Debian's packages where they are missing. Needs root.
#
# Usage: test-slurm-export.sh PROGRAM
set -eu
revopt=$(realpath "$1")
PATH=$PATH:/usr/sbin
export TZ=UTC

for command in munged slurmctld slurmd sbatch slurmdbd mariadbd mariadb-install-db my_print_defaults; do
	if ! command -v "$command" >/dev/null; then
		apt-get install -y -q --no-install-recommends slurm-wlm munge slurmdbd mariadb-server-core mariadb-client-core >/dev/null
		break
	fi
done

tmp=$(mktemp -d)
chmod 711 "$tmp" # jobs run under several users
pids=            # the last one started first
nodes=
reason=
stop() {
	code=$?
	trap - INT TERM EXIT
	if [ -n "$nodes" ]; then # no job outlives its node
		timeout 10 squeue -h -o %A 2>/dev/null | timeout 10 xargs -r scancel 2>/dev/null || true
		timeout 20 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.2; done' 2>/dev/null || true
	fi
	for pid in $nodes $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	if [ "$code" -ne 0 ]; then
		tail -n 15 "$tmp"/*.log 2>/dev/null || true
		cat "$tmp"/*.out 2>/dev/null || true
		echo "test-slurm-export: failed ${reason:-in a command: its message is above the logs}" >&2
	fi
	rm -rf "$tmp"
	exit "$code"
}
trap stop EXIT
trap 'exit 130' INT TERM
begun=$(date +%s)
say() { echo "test-slurm-export: $* ($(($(date +%s) - begun)) s)"; }
fail() {
	reason="because $*"
	exit 1
}
await() { # SECONDS WHAT COMMAND...: until the command succeeds
	limit=$(($(date +%s) + $1)) awaited=$2
	shift 2
	until "$@"; do
		[ "$(date +%s)" -le "$limit" ] || { squeue -a -o '%i %u %a %q %T %r'; fail "waiting for $awaited"; }
		sleep 0.2
	done
}

base=$((19000 + $$ % 40 * 20)) # ports, apart from those of the other parts and below those that the system gives away
host=$(hostname -s)
mkdir "$tmp/state" "$tmp/spool" "$tmp/db"
head -c 1024 /dev/urandom >"$tmp/munge.key"
chmod 600 "$tmp/munge.key"
cat >"$tmp/slurmdbd.conf" <<CONF
DbdHost=localhost
DbdPort=$((base + 1))
SlurmUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
PidFile=$tmp/slurmdbd.pid
CONF
chmod 600 "$tmp/slurmdbd.conf"
cat >"$tmp/slurm.conf" <<CONF
ClusterName=export
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$base
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket,cred_expire=15
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool/%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=1
KillWait=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$((base + 1))
AccountingStoragePass=socket=$tmp/munge.socket
AccountingStorageEnforce=associations,limits,qos
DebugFlags=NO_CONF_HASH
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityWeightQOS=10000
PriorityMaxAge=00:10:00
PriorityCalcPeriod=1
PreemptType=preempt/qos
PreemptMode=REQUEUE
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,bf_continue,default_queue_depth=7
SlurmdParameters=config_overrides
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 2))-$((base + 5)) CPUs=4 State=UNKNOWN
PartitionName=batch Nodes=n[1-4] Default=YES State=UP
PartitionName=other Nodes=n[1-4] State=UP
CONF
export SLURM_CONF="$tmp/slurm.conf"
munged --foreground --force --num-threads 4 --key-file "$tmp/munge.key" --socket "$tmp/munge.socket" \
	--pid-file "$tmp/munged.pid" --seed-file "$tmp/munged.seed" --log-file "$tmp/munged.log" 2>"$tmp/munged-err.log" &
pids="$!"
# A server of MariaDB deletes all temporary tables in TMPDIR as it starts: each has a directory of its own.
mkdir "$tmp/db-tmp"
TMPDIR="$tmp/db-tmp" mariadb-install-db --no-defaults --user="$(id -un)" --auth-root-authentication-method=socket \
	--skip-test-db --datadir="$tmp/db" >"$tmp/db-install.log" 2>&1
TMPDIR="$tmp/db-tmp" mariadbd --no-defaults --user="$(id -un)" --datadir="$tmp/db" --skip-networking --socket="$tmp/db.socket" \
	--pid-file="$tmp/db.pid" >"$tmp/mariadbd.log" 2>&1 &
pids="$! $pids"
await 180 "munged and mariadbd" test -S "$tmp/munge.socket" -a -S "$tmp/db.socket"
MYSQL_UNIX_PORT="$tmp/db.socket" slurmdbd -D >"$tmp/slurmdbd.log" 2>&1 &
pids="$! $pids"
up() { timeout 20 sacctmgr -n show cluster >/dev/null 2>&1; }
await 180 slurmdbd up
manage() { sacctmgr -i "$@" >>"$tmp/sacctmgr.log"; }
manage add cluster export
manage add qos scavenger
manage add qos premium set priority=40 preempt=scavenger
# The QOS that jobs have by default: limits, flags, and its place in preemption.
manage modify qos normal set priority=5 MaxTRESPerUser=cpu=8 GrpTRES=cpu=16 MaxWall=1-00:00:00 UsageFactor=2 \
	MaxSubmitJobsPerUser=60 preempt=scavenger Flags=DenyOnLimit GraceTime=0 MaxJobsAccruePerUser=30
manage add qos boss set priority=50 preempt=normal,scavenger
manage add account chem,phys,bio cluster=export qos=normal,premium,scavenger
manage add user daemon,bin,mail,games account=chem,phys,bio cluster=export
slurmctld -D -i >"$tmp/slurmctld.log" 2>&1 &
pids="$! $pids"
for n in n1 n2 n3 n4; do
	slurmd -D -N "$n" >"$tmp/spool/$n.txt" 2>&1 &
	nodes="$! $nodes"
done
idle() { [ "$(sinfo -h -p batch -o '%t %D' 2>/dev/null)" = "idle 4" ]; }
await 180 "the nodes" idle
say "a cluster with limits and preemption is up"

# Three customers by their accounts.
cat >"$tmp/three.yaml" <<SCENARIO
server: {nodes: 16}
load: 0.9
simulation: {jobs: 500, replications: 2}
classes:
  - {name: chem, share: 0.4, length: {dist: exponential, mean: 10}, width: 4, price: 10, decay: 0.5}
  - {name: phys, share: 0.4, length: {dist: exponential, mean: 10}, width: 4, price: 5, decay: 0.05}
  - {name: bio, share: 0.2, length: {dist: exponential, mean: 10}, width: 4, price: 5, decay: 0.01}
SCENARIO
submit() { # OPTIONS: prints the number; scripts write nowhere
	sbatch --parsable -o /dev/null "$@"
}
drained() { [ -z "$(squeue -h -a)" ]; }
clean() {
	squeue -h -o %A | xargs -r scancel
	await 60 "an empty queue" drained
}
dump() { # all that an export may touch
	sacctmgr -P show qos
	sacctmgr -P show qos format=Name,LimitFactor,GrpJobsAccrue,MaxJobsAccruePU,MaxJobsAccruePA
	sacctmgr -P show assoc where cluster=export
	sacctmgr -P show assoc wopl where cluster=export
}
export_files() { # DIRECTORY OPTIONS...
	directory=$1
	shift
	"$revopt" export slurm "$tmp/three.yaml" --conf "$tmp/slurm.conf" --qos "$tmp/qos.txt" -o "$tmp/$directory" --quiet \
		--policy slurm:PriorityWeightQOS=20000:default_queue_depth=0:qos.chem.Priority=300:qos.phys.Priority=200:qos.bio.Priority=100 \
		"$@" >>"$tmp/export.out" 2>&1
}
running() { [ "$(squeue -h -a -t R -o %i | wc -l)" = "$1" ]; }
qos_of() { squeue -h -a -j "$1" -o %q | sort -u; }
dump >"$tmp/before.txt"

# What is the same before an export, while it is installed, and after: a user runs 8 cores, not 16; jobs of normal and
# of what replaces it preempt scavengers; boss preempts them.
same() { # WHEN QOS
	for n in 1 2 3; do
		submit -A chem --uid=daemon -n 4 -t 5 --wrap 'sleep 300' >"$tmp/job.txt"
	done
	await 60 "two jobs that run $1" running 2
	sleep 2
	running 2 || fail "a user runs $(squeue -h -t R -o %C | paste -sd +) cores, 8 are allowed, $1"
	[ "$(qos_of "$(cat "$tmp/job.txt")")" = "$2" ] || fail "a job has the QOS $(qos_of "$(cat "$tmp/job.txt")") $1"
	clean
	lower=$(submit -A phys --uid=bin --qos=scavenger -N 4 -n 16 -t 5 --requeue --wrap 'sleep 300')
	await 60 "a scavenger" running 1
	upper=$(submit -A chem --uid=daemon -n 8 -t 5 --wrap 'sleep 300')
	begins() { [ "$(squeue -h -j "$upper" -o %T)" = RUNNING ] && [ "$(squeue -h -j "$lower" -o %T)" != RUNNING ]; }
	await 60 "a job that preempts a scavenger $1" begins
	scancel "$lower"
	clean
}
boss() { # WHEN
	manage modify account where name=bio cluster=export set qos+=boss
	lower=$(submit -A chem --uid=daemon -n 8 -t 5 --requeue --wrap 'sleep 300')
	await 60 "a job of chem" running 1
	upper=$(submit -A bio --uid=games --qos=boss -N 4 -n 16 -t 5 --wrap 'sleep 300')
	begins() { [ "$(squeue -h -j "$upper" -o %T)" = RUNNING ] && [ "$(squeue -h -j "$lower" -o %T)" != RUNNING ]; }
	await 60 "a job of QOS boss that preempts others $1" begins
	clean
	manage modify account where name=bio cluster=export set qos-=boss
}
same "before the export" normal
boss "before the export"
dump | diff "$tmp/before.txt" -
say "a user runs 8 cores, and jobs preempt scavengers, before the export"

# Without --modify-existing nothing is changed.
sacctmgr -P show qos >"$tmp/qos.txt"
export_files careful
if sh "$tmp/careful/qos.sh" >"$tmp/careful.out" 2>&1 || ! grep -q 'account chem exists' "$tmp/careful.out"; then
	fail "qos.sh did not refuse accounts that exist"
fi
[ ! -e "$tmp/careful/former.txt" ] || fail "qos.sh noted a change without --modify-existing"
dump | diff "$tmp/before.txt" -
sh "$tmp/careful/undo.sh" >>"$tmp/careful.out" 2>&1
say "without --modify-existing qos.sh changes nothing"

install() { # DIRECTORY
	export_files "$1" --modify-existing
	sh "$tmp/$1/qos.sh" >"$tmp/$1.out" 2>&1 || fail "qos.sh of $1 failed"
}
undo() { # DIRECTORY CODE
	code=0
	sh "$tmp/$1/undo.sh" >"$tmp/undo.out" 2>&1 || code=$?
	[ "$code" = "$2" ] || fail "undo.sh ended with $code, not $2"
}
install first
sh "$tmp/first/qos.sh" >>"$tmp/first.out" 2>&1 # again: former values stay
for name in chem phys bio; do # a copy but for its name and priority
	sacctmgr -nP show qos where name=normal | cut -d '|' -f 3- >"$tmp/old.txt"
	sacctmgr -nP show qos where name="$name" | cut -d '|' -f 3- | diff "$tmp/old.txt" -
done
sacctmgr -nP show qos where name=boss format=preempt | tr , '\n' | grep -qx chem || fail "boss may not preempt chem"
grep -q '^SchedulerParameters=default_queue_depth=1000000,sched_interval=1,' "$tmp/first/priorities.conf" ||
	fail "priorities.conf has $(grep SchedulerParameters "$tmp/first/priorities.conf")"
grep -q 'default_queue_depth  *7  *1000000' "$tmp/first/README.md" || fail "README.md does not name default_queue_depth"
grep -q 'count in each of its copies apart, in all 4 times: GrpTRES=cpu=16' "$tmp/first.out" || fail "no word on GrpTRES"
same "while it is installed" chem
boss "while it is installed"
say "limits and preemption are the same while the export is installed"

# Waiting jobs: all start after undo. One is held, one depends on another, one is an array.
full=$(submit -A bio --uid=games --qos=premium -N 4 -n 16 -t 5 --wrap 'sleep 300')
await 60 "a full machine" running 1
waits=
for account in chem phys bio; do
	waits="$waits $(submit -A "$account" --uid=daemon -n 4 -t 1 --wrap true)"
	waits="$waits $(submit -A "$account" --uid=bin -n 1 -t 1 -a 1-5:2%2 --wrap true)"
done
held=$(submit -H -A phys --uid=mail -n 4 -t 1 --wrap true)
waits="$waits $held $(submit -A chem --uid=mail -n 4 -t 1 -d "afterany:$held" --wrap true)"
undo first 0
dump | diff "$tmp/before.txt" -
for job in $waits; do
	[ "$(qos_of "$job")" = normal ] || fail "job $job has the QOS $(qos_of "$job") after undo"
done
scontrol release "$held"
scancel "$full"
await 120 "the end of all jobs that waited" drained
for job in $waits; do
	sacct -nPX -j "$job" -o State | grep -qv COMPLETED && fail "job $job: $(sacct -nPX -j "$job" -o State)"
done
undo first 0 # again
same "after undo" normal
dump | diff "$tmp/before.txt" -
say "undo.sh with $(echo "$waits" | wc -w) jobs that wait: all have run, and QOS, accounts and users are what they were"

# Running jobs: the QOS stays for them, and a second run finishes. One of them is requeued in between.
install second
one=$(submit -A chem --uid=daemon -n 4 -t 5 --requeue --wrap 'sleep 300')
two=$(submit -A phys --uid=bin -n 4 -t 5 --requeue --wrap 'sleep 300')
many=$(submit -A phys --uid=bin -n 2 -t 5 -a 1-4 --wrap 'sleep 300')
await 60 "four jobs" running 4
undo second 1
grep -q "QOS chem stays, with priority 0, as jobs hold it: $one\." "$tmp/undo.out" || fail "undo.sh does not name job $one"
[ "$(sacctmgr -nP show qos where name=chem,phys,bio format=name,priority | sort | paste -sd ' ')" = "chem|0 phys|0" ] ||
	fail "after undo there are $(sacctmgr -nP show qos format=name,priority | paste -sd ' ')"
[ "$(squeue -h -r -j "$many" -o '%K %q' | sort | paste -sd ,)" = "1 phys,2 phys,3 normal,4 normal" ] ||
	fail "tasks of array $many have the QOS $(squeue -h -r -j "$many" -o '%K %q' | sort | paste -sd ,)"
scontrol requeue "$one"
back() { [ "$(squeue -h -j "$one" -o %T)" = PENDING ]; }
await 60 "a requeued job" back
scancel "$two" "$many"
gone() { [ -z "$(squeue -h -j "$two,$many" 2>/dev/null)" ]; }
await 60 "the end of the others" gone
undo second 0
[ "$(qos_of "$one")" = normal ] || fail "the requeued job has the QOS $(qos_of "$one")"
scontrol update JobId="$one" StartTime=now
await 150 "the start of the requeued job" running 1
clean
dump | diff "$tmp/before.txt" -
say "undo.sh with jobs that run names them and ends with 1; its second run moves a requeued one and finishes"

# Customers that accounts tell apart get priorities of these: no QOS is made, premium stays above, and undo has no job
# to move. A user has a priority of its own, which it loses and gets back.
code=0
"$revopt" export slurm "$tmp/three.yaml" --policy hol:backfill=true -o "$tmp/blind" --quiet >"$tmp/blind.out" 2>&1 || code=$?
[ "$code" = 2 ] && grep -q -e --conf "$tmp/blind.out" || fail "an export that changes weights without --conf ended with $code"
manage modify user where name=bin account=phys cluster=export set priority=70
dump >"$tmp/before.txt"
sacctmgr -P show assoc where cluster=export >"$tmp/assoc.txt"
accounts() { # FLAGS...
	"$revopt" export slurm "$tmp/three.yaml" --policy hol:backfill=true --conf "$tmp/slurm.conf" --qos "$tmp/qos.txt" \
		--assoc "$tmp/assoc.txt" --modify-existing -o "$tmp/accounts" --quiet "$@" >>"$tmp/export.out" 2>&1
}
code=0
accounts || code=$?
[ "$code" = 1 ] || fail "an export without reservations on a cluster that preempts jobs ended with $code"
accounts --anyway
cp "$tmp/slurm.conf" "$tmp/former.conf"
sed -n 's/^\([A-Za-z]*\)=.*/^\1=/p' "$tmp/accounts/priorities.conf" >"$tmp/replaced.txt"
grep -v -f "$tmp/replaced.txt" "$tmp/former.conf" >"$tmp/slurm.conf"
cat "$tmp/accounts/priorities.conf" >>"$tmp/slurm.conf"
sh "$tmp/accounts/qos.sh" >"$tmp/accounts.out" 2>&1 || fail "qos.sh of accounts failed"
scontrol reconfigure
sacctmgr -P show qos | diff "$tmp/qos.txt" - || fail "an export of priorities of accounts changed a QOS"
full=$(submit -A bio --uid=games --qos=premium -N 4 -n 16 -t 5 --wrap 'sleep 300')
await 60 "a full machine" running 1
for account in bio phys chem; do
	for name in normal premium; do
		submit -A "$account" --uid=bin --qos="$name" -J "$account-$name" -n 1 -t 1 --wrap true >/dev/null
	done
done
order=$(squeue -h -t PD -S -p -o %j | paste -sd ' ')
[ "$order" = "chem-premium phys-premium bio-premium chem-normal phys-normal bio-normal" ] || fail "the order is $order"
undo accounts 0
cp "$tmp/former.conf" "$tmp/slurm.conf"
scontrol reconfigure
dump | diff "$tmp/before.txt" -
clean
manage modify user where name=bin account=phys cluster=export set priority=-1
say "priorities of accounts: $order; undo.sh puts them back"

# A user with a list of QOS of its own, a sub-account with another default, jobs of all kinds, and kills of undo.sh.
manage modify user where name=bin account=chem cluster=export set qos=normal
manage add account sub parent=chem cluster=export qos=normal,premium defaultqos=premium
manage add user daemon account=sub cluster=export
dump >"$tmp/before.txt"
full=$(submit -A bio --uid=games --qos=premium -N 4 -n 16 -t 15 --wrap 'sleep 900')
await 60 "a full machine" running 1
for kill in 0.1 0.3 0.6 1 1.5 2 3; do
	install "kill$kill"
	submit -A chem --uid=bin -n 1 -t 1 --wrap true >/dev/null
	submit -A chem --uid=daemon -n 1 -t 1 -p batch,other --wrap true >/dev/null
	submit -A sub --uid=daemon -n 1 -t 1 --wrap true >/dev/null
	submit -A phys --uid=daemon -n 1 -t 1 : -n 1 --wrap true >/dev/null
	submit -A phys --uid=daemon -n 1 -t 1 -a 1,4,9,16,25,36,49,64,81%3 --wrap true >/dev/null
	timeout -s KILL "$kill" sh "$tmp/kill$kill/undo.sh" >"$tmp/killed.out" 2>&1 || true
	sleep 0.5
	undo "kill$kill" 0
	dump | diff "$tmp/before.txt" -
	[ "$(squeue -h -t PD -o '%a %q' | sort -u | paste -sd ,)" = "chem normal,phys normal,sub premium" ] ||
		fail "jobs wait in $(squeue -h -t PD -o '%a %q' | sort -u | paste -sd ,)"
done
scancel "$full"
await 180 "the end of all jobs" drained
sacct -anPX -o State -S now-1hour | grep -q -e FAILED -e NODE_FAIL && fail "jobs failed"
say "seven kills of undo.sh, and a second run each: no job is left behind"
