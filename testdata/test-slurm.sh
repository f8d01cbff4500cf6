#!/bin/sh
# Runs an exported admission, and then a sweep as array jobs, on a real Slurm
# cluster of one node: this machine, on loopback, with all its files in a
# temporary directory. A task is killed on the way; the table must be that of the
# local engine to the byte. Stops exactly what it starts. Installs Debian's
# packages where Slurm is missing, which needs root.
#
# Usage: test-slurm.sh PROGRAM
set -eu
revopt=$(realpath "$1")
PATH=$PATH:/usr/sbin

for command in munged slurmctld slurmd sbatch; do
	if ! command -v "$command" >/dev/null; then
		apt-get install -y -q --no-install-recommends slurm-wlm munge >/dev/null
		break
	fi
done

tmp=$(mktemp -d)
pids=
engine=
stop() {
	code=$?
	if [ -n "$engine" ]; then # failed on the way
		"$revopt" sweep cancel "$tmp/sweep" || true
		pids="$engine $pids"
	fi
	for pid in $pids; do
		kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null || true
	done
	if [ "$code" -ne 0 ]; then
		tail -n 20 "$tmp"/*.log "$tmp"/sweep/slurm-*.log 2>/dev/null || true
	fi
	rm -rf "$tmp"
	exit "$code"
}
trap stop EXIT
trap 'exit 130' INT TERM

host=$(hostname -s)
base=$((20000 + $$ % 10000 * 2))
mkdir "$tmp/state" "$tmp/spool"
head -c 1024 /dev/urandom >"$tmp/munge.key"
chmod 600 "$tmp/munge.key"
cat >"$tmp/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$base
SlurmdPort=$((base + 1))
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket
CredType=cred/munge
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobSubmitPlugins=lua
SchedulerParameters=sched_min_interval=200000
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES State=UP
CONF
export SLURM_CONF="$tmp/slurm.conf"
"$revopt" export slurm nist-four -o "$tmp" >"$tmp/export.log"

munged --foreground --force --num-threads 2 --key-file "$tmp/munge.key" --socket "$tmp/munge.socket" \
	--pid-file "$tmp/munged.pid" --seed-file "$tmp/munged.seed" --log-file "$tmp/munged.log" 2>"$tmp/munged-err.log" &
pids="$!"
until [ -S "$tmp/munge.socket" ]; do
	kill -0 "$pids"
	sleep 0.1
done
slurmctld -D -i >"$tmp/slurmctld.log" 2>&1 &
pids="$! $pids"
slurmd -D >"$tmp/slurmd.log" 2>&1 &
pids="$! $pids"

tries=0
until [ "$(sinfo -h -o %t 2>/dev/null)" = idle ]; do
	tries=$((tries + 1))
	if [ "$tries" -gt 100 ]; then
		echo "test-slurm: the node does not come up" >&2
		exit 1
	fi
	sleep 0.3
done
echo "test-slurm: $(sbatch --version), one node is up"

# The exported admission: jobs that ask for different times are let in by lot, and
# the same jobs submitted again have the same answers.
cat >"$tmp/accounts.yaml" <<SCENARIO
server: {parallel: 1, residual: multiserver}
load: 1.5
classes:
  - {name: chem, share: 0.5, length: {dist: exponential, mean: 100}, price: 10, decay: 0.05}
  - {name: Phys, share: 0.5, length: {dist: exponential, mean: 100}, price: 5, decay: 0.01}
SCENARIO
submit() { # ACCOUNT NAME: the time limits of the jobs of 200 that are let in
	for minutes in $(seq 200); do
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
for case in chem:77:123 Phys:8:35 other:200:200; do
	account=${case%%:*} range=${case#*:}
	submit "$account" first >"$tmp/$account.first"
	submit "$account" again >"$tmp/$account.again"
	cmp "$tmp/$account.first" "$tmp/$account.again"
	in=$(wc -l <"$tmp/$account.first")
	echo "test-slurm: 200 jobs of $account, $in let in, the same ones again; expected ${range%:*} to ${range#*:}"
	if [ "$in" -lt "${range%:*}" ] || [ "$in" -gt "${range#*:}" ]; then
		exit 1
	fi
done
"$revopt" export slurm "$tmp/accounts.yaml" --admission chem=0,Phys=0 --dry-run -o "$tmp" >"$tmp/export.log"
touch -d '1 minute' "$tmp/job_submit.lua" # Slurm looks at seconds
sbatch -Q --hold -A chem -o /dev/null --wrap true >/dev/null
grep -q 'revopt: would refuse a job of user' "$tmp/slurmctld.log"
echo "test-slurm: a dry run refuses nothing, and says what it would refuse"
"$revopt" export slurm "$tmp/accounts.yaml" --control threshold -o "$tmp" >"$tmp/export.log"
touch -d '2 minutes' "$tmp/job_submit.lua"
most=$(sed -n 's/.*name = "chem", admit = 1, waiting = \([0-9]*\).*/\1/p' "$tmp/job_submit.lua")
sbatch -Q -n 2 -J long -o /dev/null --wrap 'sleep 600' >/dev/null # the machine is full
until [ "$(squeue -h -n long -o %t)" = R ]; do
	sleep 0.2
done
pending=0
while [ "$pending" -le "$most" ] && sbatch -Q -n 2 -A chem -o /dev/null --wrap true >/dev/null 2>"$tmp/refused"; do
	pending=$((pending + 1))
done
if [ "$pending" -ne "$most" ]; then
	echo "test-slurm: let in $pending jobs that wait, expected $most" >&2
	exit 1
fi
cat "$tmp/refused"
# Later, when Slurm's own table has them, they are not counted twice.
sleep 1.1
sbatch -Q --hold -o /dev/null --wrap true >/dev/null
if sbatch -Q -n 2 -A chem -o /dev/null --wrap true >/dev/null 2>"$tmp/refused"; then
	exit 1
fi
grep "than $most; now $most:" "$tmp/refused" || { cat "$tmp/refused"; exit 1; }
scancel -u "$(id -un)"
until [ "$(sinfo -h -o %t)" = idle ]; do
	sleep 0.2
done
echo "test-slurm: $pending waited when the limit refused the next"

cat >"$tmp/study.yaml" <<STUDY
scenario: nist-cluster
set: {simulation.jobs: 100000}
vary: {load: 0.5:1.4:0.1}
policies: [hol, {fcfs: {backfill: true}}]
seeds: 10
metrics: [revenue_per_second, mean_wait]
STUDY
"$revopt" sweep "$tmp/study.yaml" -o "$tmp/local" --quiet
"$revopt" sweep "$tmp/study.yaml" -o "$tmp/sweep" --engine slurm --tasks 4 2>"$tmp/engine.log" &
engine=$!
until [ -s "$tmp/sweep/journal-2-of-4" ]; do
	kill -0 "$engine"
	sleep 0.1
done
read -r job <"$tmp/sweep/slurm-jobs"
scancel --signal=KILL --full "${job}_2"
echo "test-slurm: killed task 2 of job $job"
wait "$engine"
engine=
cat "$tmp/engine.log"
if [ "$(grep '^Slurm job' "$tmp/engine.log" | tail -n 1 | cut -d: -f2)" != " shards 2 of 4" ]; then
	echo "test-slurm: expected shard 2, and no other, to be submitted again" >&2
	exit 1
fi
cmp "$tmp/local/table.csv" "$tmp/sweep/table.csv"
"$revopt" sweep status "$tmp/sweep" | sed "s|$tmp/||"
echo "test-slurm: the table is that of the local engine"

# Searches and a precision: cells that wait for others stay on one shard.
cat >"$tmp/staged.yaml" <<STUDY
scenario: nist-cluster
set: {simulation.jobs: 2000}
vary: {load: [0.7, 1.1, 1.5]}
admissions: [all, analytic, {simulated: {jobs: 200, replications: 4, step: 0.1}}]
seeds: {precision: 2%, most: 80}
metrics: [revenue_per_second]
STUDY
"$revopt" sweep "$tmp/staged.yaml" -o "$tmp/staged-local" --quiet
"$revopt" sweep "$tmp/staged.yaml" -o "$tmp/staged" --engine slurm --tasks 2 2>"$tmp/engine.log"
cat "$tmp/engine.log"
cmp "$tmp/staged-local/table.csv" "$tmp/staged/table.csv"
cmp "$tmp/staged-local/admissions.csv" "$tmp/staged/admissions.csv"
echo "test-slurm: so are the tables of a sweep with searches and a precision"
