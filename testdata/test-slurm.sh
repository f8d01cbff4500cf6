#!/bin/bash
# Runs Slurm with its accounting on this machine, 64 nodes of one processor and two
# with GPUs and memory on loopback, with all its files in a temporary directory, and
# on it: a workload whose log is imported and compared with EASY (test-slurm-log.sh),
# jobs with GPUs and memory whose units are recomputed (test-slurm-gres.sh), exported
# priorities and an exported admission, and sweeps as array jobs. On
# clusters of their own, test-slurm-export.sh undoes exports while jobs wait and run.
# Stops exactly what it starts. Installs Debian's packages where they are missing.
# Needs root.
#
# Usage: test-slurm.sh PROGRAM [FILE]
# FILE gets the log, as sacct prints it.
set -eEu
revopt=$(realpath "$1")
keep=${2:-}
here=$(dirname "$(realpath "$0")")
PATH=$PATH:/usr/sbin

for command in munged slurmctld slurmd sbatch slurmdbd mariadbd mariadb-install-db my_print_defaults python3; do
	if ! command -v "$command" >/dev/null; then
		apt-get install -y -q --no-install-recommends slurm-wlm munge slurmdbd mariadb-server-core mariadb-client-core python3 >/dev/null
		break
	fi
done

tmp=$(mktemp -d)
chmod 711 "$tmp" # jobs run under several users
pids=            # the last one started first
reason=
nodes=
engine=
stop() {
	code=$?
	trap - INT TERM
	if [ -n "$engine" ]; then # failed on the way
		"$revopt" sweep cancel "$tmp/sweep" || true
		pids="$engine $pids"
	fi
	if [ -n "$nodes" ]; then # no job outlives its node
		timeout 10 squeue -h -o %i 2>/dev/null | timeout 10 xargs -r scancel 2>/dev/null || true
		timeout 20 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.2; done' 2>/dev/null || true
	fi
	kill $nodes 2>/dev/null || true
	for pid in $nodes $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	exec >&3 2>&4 # so that the copy of the output ends
	timeout 5 tail --pid="$copy" -f /dev/null || true
	if [ "$code" -ne 0 ]; then
		tail -n 20 "$tmp"/*.log "$tmp"/*/slurm-*.log "$tmp"/site/*.log 2>/dev/null || true
		echo "test-slurm: the last lines before it failed:"
		tail -n 15 "$tmp/output.txt"
		echo "test-slurm: failed ${reason:-in $failed}" >&2
	fi
	rm -rf "$tmp"
	exit "$code"
}
mkfifo "$tmp/output"
tee "$tmp/output.txt" <"$tmp/output" &
copy=$!
exec 3>&1 4>&2 >"$tmp/output" 2>&1
failed=
trap 'failed="${BASH_SOURCE##*/}, line $LINENO: $BASH_COMMAND"' ERR
trap stop EXIT
trap 'reason="because it was told to stop"; exit 130' INT TERM

say() { echo "test-slurm: $* ($(($(date +%s) - begun)) s)"; }

await() { # SECONDS WHAT COMMAND...: until the command succeeds
	limit=$(($(date +%s) + $1)) what=$2
	shift 2
	until "$@"; do
		if [ "$(date +%s)" -gt "$limit" ]; then
			reason="waiting for $what"
			exit 1
		fi
		sleep 0.2
	done
}

# Rows of sacct lag, those of a requeued job more than others: true where none has changed for two seconds.
steady() {
	sacct -aPD $span -o "$columns" >"$tmp/steady.txt"
	sleep 2
	sacct -aPD $span -o "$columns" | cmp -s - "$tmp/steady.txt"
}

# Real jobs of seconds are compared with a simulation to 2 s. A busy machine may be slower than
# that: the measurement is then repeated, and reported as noisy where the load is high.
attempts() { # TIMES WHAT COMMAND...: until the command succeeds
	times=$1 expected=$2
	shift 2
	until "$@"; do
		times=$((times - 1))
		if [ "$times" -gt 0 ]; then
			say "expected $expected, got $found: again"
		elif busy; then
			say "NOISY, load $(cut -d ' ' -f 1 /proc/loadavg): expected $expected, got $found"
			return 0
		else
			reason="for a measurement: expected $expected, got $found"
			exit 1
		fi
	done
}
steps() { python3 "$here/steps.py" "$revopt" "$@"; } # LOG UNITS POLICY...: the starts that policies allow
busy() { awk -v cores="$(nproc)" '{ exit !($1 > 2 * cores) }' /proc/loadavg; }

begun=$(date +%s)
host=$(hostname -s)
base=$((20000 + $$ % 100 * 100)) # ports, below those that the system gives away
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
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$base
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool/%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$((base + 1))
AccountingStoragePass=socket=$tmp/munge.socket
AccountingStorageTRES=gres/gpu
AccountingStorageEnforce=associations,limits,qos
JobSubmitPlugins=lua
PriorityType=priority/basic
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,bf_continue,bf_job_part_count_reserve=1
SlurmdParameters=config_overrides
NodeName=n[1-64] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 2))-$((base + 65)) CPUs=1 State=UNKNOWN
PartitionName=batch Nodes=n[1-64] Default=YES State=UP
GresTypes=gpu
NodeName=g[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 66))-$((base + 67)) CPUs=16 RealMemory=65536 Gres=gpu:4 State=UNKNOWN
PartitionName=gpu Nodes=g[1-2] State=UP TRESBillingWeights=CPU=1.0,Mem=0.25G,GRES/gpu=8.0
CONF
touch "$tmp/gpu0" "$tmp/gpu1" "$tmp/gpu2" "$tmp/gpu3" # stand for devices
echo "NodeName=g[1-2] Name=gpu File=$tmp/gpu[0-3]" >"$tmp/gres.conf"
export SLURM_CONF="$tmp/slurm.conf"
"$revopt" export slurm nist-four --anyway -o "$tmp" >"$tmp/export.log"

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
sacctmgr -i add cluster test >"$tmp/sacctmgr.log"
sacctmgr -i add qos high,low >>"$tmp/sacctmgr.log"
sacctmgr -i add account chem,phys,bio,other qos=normal,high,low >>"$tmp/sacctmgr.log"
sacctmgr -i add user daemon,bin,mail,games,root account=chem,phys,bio,other >>"$tmp/sacctmgr.log"
slurmctld -D -i >"$tmp/slurmctld.log" 2>&1 &
controller=$!
pids="$controller $pids"
for n in $(seq -f n%g 64) g1 g2; do
	slurmd -D -N "$n" >"$tmp/spool/$n.txt" 2>&1 &
	nodes="$! $nodes"
done
idle() { [ "$(sinfo -h -p batch -o '%t %D' 2>/dev/null)" = "idle 64" ]; }
await 180 "the nodes" idle
say "$(sbatch --version), 64 nodes and accounting are up"

. "$here/test-slurm-log.sh"
. "$here/test-slurm-gres.sh"

# The exported admission: jobs that ask for different times are let in by lot, and
# the same jobs submitted again have the same answers.
cat >"$tmp/accounts.yaml" <<SCENARIO
server: {parallel: 1, residual: multiserver}
load: 1.5
classes:
  - {name: chem, share: 0.5, length: {dist: exponential, mean: 100}, price: 10, decay: 0.05}
  - {name: Phys, share: 0.5, length: {dist: exponential, mean: 100}, price: 5, decay: 0.01}
SCENARIO
ask() { # ACCOUNT NAME JOBS: the time limits of the jobs that are let in
	for minutes in $(seq "$3"); do
		if sbatch -Q --hold -A "$1" -t "$minutes" -J "$2" -o /dev/null --wrap true >/dev/null 2>"$tmp/refused"; then
			echo "$minutes"
		elif ! grep -q "revopt: .* jobs of $1 are let in" "$tmp/refused"; then
			cat "$tmp/refused" >&2
			exit 1
		fi
	done
}
"$revopt" export slurm "$tmp/accounts.yaml" --admission chem=0.5,Phys=0.1 -o "$tmp" >"$tmp/export.log"
# Binomial intervals of 99.9 % around 100 and 20 of 200, from the distribution itself.
while read -r account jobs least most; do
	ask "$account" first "$jobs" >"$tmp/$account.first"
	ask "$account" again "$jobs" >"$tmp/$account.again"
	cmp "$tmp/$account.first" "$tmp/$account.again"
	in=$(wc -l <"$tmp/$account.first")
	say "$jobs jobs of $account, $in let in, the same ones again; expected $least to $most"
	if [ "$in" -lt "$least" ] || [ "$in" -gt "$most" ]; then
		exit 1
	fi
done <<CASES
chem 200 77 123
Phys 200 8 35
other 50 50 50
CASES
"$revopt" export slurm "$tmp/accounts.yaml" --admission chem=0,Phys=0 --dry-run -o "$tmp" >"$tmp/export.log"
touch -d '1 minute' "$tmp/job_submit.lua" # Slurm looks at seconds
sbatch -Q --hold -A chem -o /dev/null --wrap true >/dev/null
grep -q 'revopt: would refuse a job of user' "$tmp/slurmctld.log"
say "a dry run refuses nothing, and says what it would refuse"
scancel -u "$(id -un)"
await 180 "an idle machine" idle

cat >"$tmp/study.yaml" <<STUDY
scenario: nist-cluster
set: {simulation.jobs: 10000}
vary: {load: 0.5:1.4:0.02}
policies: [hol, {fcfs: {backfill: true}}]
seeds: 10
metrics: [revenue, mean_wait]
STUDY
"$revopt" sweep "$tmp/study.yaml" -o "$tmp/local" --quiet
"$revopt" sweep "$tmp/study.yaml" -o "$tmp/sweep" --engine slurm --tasks 4 2>"$tmp/engine.log" &
engine=$!
running() {
	kill -0 "$engine" 2>/dev/null || { reason="because the sweep ended before its task 2 was seen"; exit 1; }
	[ -s "$tmp/sweep/journal-2-of-4" ]
}
await 120 "task 2" running
read -r job <"$tmp/sweep/slurm-jobs"
scancel --signal=KILL --full "${job}_2"
say "killed task 2 of job $job"
wait "$engine"
engine=
cat "$tmp/engine.log"
if [ "$(grep '^Slurm job' "$tmp/engine.log" | tail -n 1 | cut -d: -f2)" != " shards 2 of 4" ]; then
	echo "test-slurm: expected shard 2, and no other, to be submitted again" >&2
	exit 1
fi
cmp "$tmp/local/table.csv" "$tmp/sweep/table.csv"
"$revopt" sweep status "$tmp/sweep" | sed "s|$tmp/||"
say "the table is that of the local engine"

# Searches and a precision: a point stays on one shard.
cat >"$tmp/staged.yaml" <<STUDY
scenario: nist-cluster
set: {simulation.jobs: 2000}
vary: {load: [0.7, 1.1, 1.5]}
admissions: [all, analytic, simulated]
seeds: {precision: 2%, most: 80}
metrics: [revenue]
STUDY
"$revopt" sweep "$tmp/staged.yaml" -o "$tmp/staged-local" --quiet
"$revopt" sweep "$tmp/staged.yaml" -o "$tmp/staged" --engine slurm --tasks 2 2>"$tmp/engine.log"
cat "$tmp/engine.log"
cmp "$tmp/staged-local/table.csv" "$tmp/staged/table.csv"
cmp "$tmp/staged-local/admissions.csv" "$tmp/staged/admissions.csv"
say "so are the tables of a sweep with searches and a precision"

. "$here/test-slurm-priority.sh"

(
	unset SLURM_CONF
	sh "$here/test-slurm-export.sh" "$revopt"
)
