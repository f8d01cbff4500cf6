#!/bin/bash
# Compares three ways to order the queue of a real Slurm on the same jobs: by age alone, by the QOS that tune finds and
# export slurm writes, and steered by the policy value-bf. Each has a cluster of its own of 32 emulated nodes of one
# core on loopback; the three run at once, so that they meet the same load of this machine. The economies are
# testdata/steer/*.yaml. Money comes from sacct by the awk script below, never from revopt.
# Stops exactly what it starts. Installs Debian's packages where they are missing. Needs root.
#
# Usage: test-slurm-steer.sh PROGRAM ECONOMY SEED [DIR]   one comparison, and checks of safety beside it; with DIR, which
#                                                         gets the files of the comparison, this alone
#        test-slurm-steer.sh PROGRAM all DIR              three economies, two seeds each
#        test-slurm-steer.sh PROGRAM safety               the checks of safety alone
#        test-slurm-steer.sh PROGRAM requeued             that started jobs are requeued without factors, alone
#        test-slurm-steer.sh PROGRAM inside               the check of the order inside a customer alone
#        test-slurm-steer.sh PROGRAM switched             a trial that switches steering on and off, alone
#        test-slurm-steer.sh PROGRAM pending NUMBER       a pass over a queue of that many jobs
#        test-slurm-steer.sh PROGRAM kills NUMBER         that many kills at random points, each followed by an undo
#
# RESERVATIONS=no in the environment: no job gets a reservation, on any of the clusters (default yes, as Slurm does).
set -eEu
revopt=$(realpath "$1")
what=$2
seed=${3:-1}
keep=${4:-}
here=$(dirname "$(realpath "$0")")
PATH=$PATH:/usr/sbin
export TZ=UTC

if [ "$what" = all ]; then # three comparisons at a time
	mkdir -p "$seed"
	for s in 1 2; do
		for economy in linear grace mixed; do
			[ ! -s "$seed/$economy-$s/money.txt" ] || continue
			bash "$0" "$revopt" "$economy" "$s" "$seed/$economy-$s" >"$seed/$economy-$s.log" 2>&1 &
		done
		wait
	done
	cat "$seed"/*-[12]/money.txt
	exit
fi

for command in munged slurmctld slurmd sbatch slurmdbd mariadbd mariadb-install-db my_print_defaults python3; do
	if ! command -v "$command" >/dev/null; then
		apt-get install -y -q --no-install-recommends slurm-wlm munge slurmdbd mariadb-server-core mariadb-client-core \
			python3-minimal >/dev/null
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
	for pid in $helpers; do kill "$pid" 2>/dev/null || true; done
	for conf in "$tmp"/*/slurm.conf; do # no job outlives its node
		[ -e "$conf" ] || continue
		export SLURM_CONF="$conf"
		timeout 10 squeue -h -o %A 2>/dev/null | sort -u | timeout 10 xargs -r scancel 2>/dev/null || true
		timeout 20 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.5; done' 2>/dev/null || true
	done
	kill $nodes 2>/dev/null || true
	for pid in $nodes $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	if [ "$code" -ne 0 ]; then
		tail -n 15 "$tmp"/*.log "$tmp"/*/*.log 2>/dev/null || true
		echo "test-slurm-steer: failed ${reason:-in $failed: its message is above the logs}" >&2
	fi
	rm -rf "$tmp"
	exit "$code"
}
helpers=
failed=
trap 'failed="line $LINENO, $BASH_COMMAND"' ERR
trap stop EXIT
trap 'reason="because it was told to stop"; exit 130' INT TERM

begun=$(date +%s)
say() { echo "test-slurm-steer: $* ($(($(date +%s) - begun)) s)"; }
fail() { reason="because $*"; exit 1; }
await() { # SECONDS WHAT COMMAND...: until the command succeeds
	limit=$(($(date +%s) + $1)) awaited=$2
	shift 2
	until "$@"; do
		[ "$(date +%s)" -le "$limit" ] || { reason="waiting for $awaited"; exit 1; }
		sleep 0.3
	done
}

# Ports of four clusters, apart from those of other runs and below those that the system gives away.
base=$((11000 + $$ % 40 * 200))
host=$(hostname -s)
mkdir "$tmp/db"
head -c 1024 /dev/urandom >"$tmp/munge.key"
chmod 600 "$tmp/munge.key"
cat >"$tmp/slurmdbd.conf" <<CONF
DbdHost=localhost
DbdPort=$base
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

# A cluster of 32 nodes, by age alone. SchedulerParameters are the same for all, and tune knows them.
slurm=PriorityMaxAge=600:PriorityCalcPeriod=1:bf_interval=1:bf_resolution=1:sched_interval=1
parameters=sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,bf_continue
steered=value-bf:within=customer # as the cluster runs it
case ${RESERVATIONS:-yes} in
yes) ;;
no)
	steered=value-bf:reservations=0:within=customer
	slurm=$slurm:bf_min_prio_reserve=4000000000
	parameters=$parameters,bf_min_prio_reserve=4000000000
	;;
*) fail "RESERVATIONS is $RESERVATIONS: expected yes or no" ;;
esac
configure() { # NAME PORT
	mkdir -p "$tmp/$1/state" "$tmp/$1/spool"
	cat >"$tmp/$1/slurm.conf" <<CONF
ClusterName=$1
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$2
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket,cred_expire=15
CredType=cred/munge
StateSaveLocation=$tmp/$1/state
SlurmdSpoolDir=$tmp/$1/spool/%n
SlurmctldPidFile=$tmp/$1/slurmctld.pid
SlurmdPidFile=$tmp/$1/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=1
MaxJobCount=20000
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort=$base
AccountingStoragePass=socket=$tmp/munge.socket
AccountingStorageEnforce=associations,limits,qos
DebugFlags=NO_CONF_HASH
PriorityType=priority/multifactor
PriorityWeightAge=1000
PriorityMaxAge=00:10:00
PriorityCalcPeriod=1
PriorityWeightPartition=1000000
SchedulerType=sched/backfill
SchedulerParameters=$parameters
SlurmdParameters=config_overrides
NodeName=n[1-32] NodeHostname=$host NodeAddr=127.0.0.1 Port=$(($2 + 1))-$(($2 + 32)) CPUs=1 State=UNKNOWN
PartitionName=batch Nodes=n[1-32] Default=YES State=UP
CONF
}
on() { # CLUSTER COMMAND...
	cluster=$1
	shift
	SLURM_CONF="$tmp/$cluster/slurm.conf" "$@"
}
controller() { # CLUSTER: starts its slurmctld
	SLURM_CONF="$tmp/$1/slurm.conf" slurmctld -D -i >>"$tmp/$1/slurmctld.log" 2>&1 &
	echo $! >"$tmp/$1/pid"
	pids="$! $pids"
}
idle() { [ "$(on "$1" sinfo -h -o '%t %D' 2>/dev/null)" = "idle 32" ]; }
empty() { [ -z "$(on "$1" squeue -h 2>/dev/null || echo unknown)" ]; }
clusters() { # NAME...
	port=$base
	for name in "$@"; do
		port=$((port + 40))
		configure "$name" "$port"
	done
	cp "$tmp/slurmdbd.conf" "$tmp/$1/"
	if [ -z "$(cat "$tmp/dbd" 2>/dev/null)" ]; then
		SLURM_CONF="$tmp/$1/slurm.conf" MYSQL_UNIX_PORT="$tmp/db.socket" slurmdbd -D >"$tmp/slurmdbd.log" 2>&1 &
		pids="$! $pids"
		echo $! >"$tmp/dbd"
	fi
	export SLURM_CONF="$tmp/$1/slurm.conf"
	up() { timeout 20 sacctmgr -n show cluster >/dev/null 2>&1; }
	await 180 slurmdbd up
	{
		sacctmgr -i add cluster "$(echo "$@" | tr ' ' ,)"
		sacctmgr -i add account urgent,standard,cheap,other
		sacctmgr -i add user daemon,bin,mail,root account=urgent,standard,cheap,other
	} >"$tmp/sacctmgr.log"
	for name in "$@"; do
		controller "$name"
		for n in $(seq 32); do
			SLURM_CONF="$tmp/$name/slurm.conf" slurmd -D -N "n$n" >"$tmp/$name/spool/n$n.txt" 2>&1 &
			nodes="$! $nodes"
		done
	done
	for name in "$@"; do
		await 180 "the nodes of $name" idle "$name"
	done
	say "$(sbatch --version), $# clusters of 32 nodes and accounting are up"
}

# The jobs of an economy and seed: index, submission (s), customer, nodes, run time (s), time limit (min).
jobs() { # ECONOMY SEED
	"$revopt" simulate "$here/steer/$1.yaml" --seed "$2" --replications 1 --policy easy --records "$tmp/records.csv" --quiet >/dev/null
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["job"], $at["submit"], $at["class"], $at["processors"], $at["runtime"], int($at["runtime"] / 10) + 1 }' \
		"$tmp/records.csv" | sort -n -k 2
}
# A command of Slurm that fails because its controller or munge is busy is tried again; what it said is printed.
again() { # COMMAND...
	for try in 1 2 3 4; do
		if "$@"; then return; fi
		echo "test-slurm-steer: tried again: $*" >&2
		sleep 1
	done
	"$@"
}
submit() { again sbatch --parsable -D / -o /dev/null "$@"; }
play() { # CLUSTER BEGIN: submits the jobs that it reads, at their times after BEGIN
	export SLURM_CONF="$tmp/$1/slurm.conf"
	while read -r index at customer width seconds minutes; do
		sleep "$(awk -v at="$at" -v begin="$2" -v now="$(date +%s.%N)" 'BEGIN { wait = begin + at - now; print (wait > 0 ? wait : 0) }')"
		case $customer in urgent) user=daemon ;; standard) user=bin ;; *) user=mail ;; esac
		submit --uid="$user" -A "$customer" -J "j$index" -N "$width" -t "$minutes" --wrap "sleep $seconds" >>"$tmp/$1/submitted.txt"
	done
}

# Value of the jobs of sacct: of every customer of an economy its price per node-hour, grace period and loss per hour.
# Run times are those asked for; waits are Start less Submit. Prints value, mean wait and jobs, of all and by customer.
cat >"$tmp/money.awk" <<'AWK'
FILENAME == economy {
	if ($1 == "-" && $2 == "name:") name = $3
	if ($1 == "price:") price[name] = number($3)
	if ($1 == "grace:") grace[name] = number($2)
	if ($1 == "decay:") loss[name] = number($3) / 100
	next
}
FILENAME == jobs { seconds["j" $1] = $5; next }
{
	split($0, field, "|")
	wait = field[5] - field[4]; late = wait - grace[field[2]]; late = late > 0 ? late : 0
	worth = 1 - loss[field[2]] * late / 3600
	worth = price[field[2]] * field[3] * seconds[field[1]] / 3600 * (worth > 0 ? worth : 0)
	sum += worth; waits += wait; n++
	by[field[2]] += worth; waited[field[2]] += wait; count[field[2]]++
	longest[field[2]] = wait > longest[field[2]] ? wait : longest[field[2]]
}
END {
	printf "%.4f %.1f %d\n", sum, waits / n, n
	for (c in by) printf "# %s value %.4f of %d jobs, mean wait %.1f s, longest %d s\n", c, by[c], count[c], waited[c] / count[c], longest[c] | "sort"
}
function number(text) { gsub(/[^0-9.]/, "", text); return text + 0 }
AWK
money() { # CLUSTER ECONOMY
	on "$1" env SLURM_TIME_FORMAT=%s sacct -anPX -S now-1day -E now+1day -o JobName,Account,NNodes,Submit,Start,End,State |
		grep '^j[0-9]' >"$tmp/$1/sacct.txt"
	awk -v economy="$here/steer/$2.yaml" -v jobs="$tmp/jobs.txt" -f "$tmp/money.awk" "$here/steer/$2.yaml" "$tmp/jobs.txt" "$tmp/$1/sacct.txt"
}
settled() { [ "$(on "$1" sacct -anPX -S now-1day -E now+1day -o JobName,End | grep '^j[0-9]' | grep -vc -e Unknown -e None)" -eq "$2" ]; }
predicted() { # POLICY...: value of the same jobs by the simulator, $
	for policy in "$@"; do
		"$revopt" simulate "$here/steer/$what.yaml" --seed "$seed" --replications 1 --policy "$policy" --records "$tmp/records.csv" --quiet >/dev/null
		awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { sum += $at["utility"] } END { printf "%.4f\n", sum }' "$tmp/records.csv"
	done
}

compare() { # ECONOMY SEED
	jobs "$1" "$2" >"$tmp/jobs.txt"
	"$revopt" tune "$here/steer/$1.yaml" --seed 99 --replications 20 --vary qos,age --quiet --json \
		--policy "slurm:$slurm" >"$tmp/tuned.json"
	label=$(sed -n 's/^    "policy": "\(.*\)",$/\1/p' "$tmp/tuned.json")
	echo PriorityType=priority/multifactor >"$tmp/plain.conf"
	"$revopt" export slurm "$here/steer/$1.yaml" --policy "$label" --conf "$tmp/plain.conf" --modify-existing -o "$tmp/tuned" --quiet >"$tmp/export.log"
	say "tuned: $label"
	if [ -n "$keep" ]; then
		clusters age static steered
	else
		clusters age static steered chaos
	fi
	sed -e '/^PriorityWeightQOS/d' "$tmp/static/slurm.conf" >"$tmp/next.conf"
	grep '^PriorityWeightQOS' "$tmp/tuned/priorities.conf" >>"$tmp/next.conf"
	mv "$tmp/next.conf" "$tmp/static/slurm.conf"
	on static sh "$tmp/tuned/qos.sh" >"$tmp/qos.log"
	on static scontrol reconfigure
	# The advice, which takes a while, is in the journal before the first job comes.
	on steered "$revopt" steer "$here/steer/$1.yaml" --policy value-bf --apply --anyway --once \
		--journal "$tmp/steered/steer.journal" >"$tmp/steered/advice.txt" 2>&1
	grep -i 'static' "$tmp/steered/advice.txt" || true
	begin=$(($(date +%s) + 5))
	for name in age static steered; do
		play "$name" "$begin" <"$tmp/jobs.txt" 2>"$tmp/$name/play.log" &
		helpers="$helpers $!"
	done
	playing=$helpers
	sleep 5
	steering
	if [ -z "$keep" ]; then
		safety
		requeued
		inside
		switched
	fi
	for pid in $playing; do wait "$pid"; done
	for name in age static steered; do
		await 600 "the end of the jobs of $name" empty "$name"
		await 180 "the rows of sacct of $name" settled "$name" "$(wc -l <"$tmp/jobs.txt")"
	done
	on steered env SLURM_TIME_FORMAT=%s sacct -anPX -S now-1day -E now+1day -o JobIDRaw,Start | tr '|' ' ' | grep -v Unknown >"$tmp/steered/ids.txt"
	for name in age static steered; do money "$name" "$1" >"$tmp/$name/money.txt"; done
	predicted easy "slurm:$slurm" "$label" "$steered" >"$tmp/predicted.txt"
	{
		echo "$1 $2 real $(head -qn 1 "$tmp"/age/money.txt "$tmp"/static/money.txt "$tmp"/steered/money.txt | cut -d ' ' -f 1,2 | tr '\n' ' ')" \
			"predicted $(tr '\n' ' ' <"$tmp/predicted.txt") load $(cut -d ' ' -f 1 /proc/loadavg)"
	} >"$tmp/money.txt"
	say "value $(tr '\n' ' ' <"$tmp/money.txt")"
	cat "$tmp"/steered/money.txt
	if [ -n "$keep" ]; then
		mkdir -p "$keep"
		for name in age static steered; do
			cp "$tmp/$name/sacct.txt" "$keep/$name.txt"
			cp "$tmp/$name/money.txt" "$keep/$name-money.txt"
		done
		cp "$tmp/money.txt" "$tmp/jobs.txt" "$tmp/static/slurm.conf" "$tmp"/steered/ids.txt "$tmp"/steered/*.journal* "$tmp"/steered/steer*.log "$keep/" 2>/dev/null || true
	fi
	still
}
# Steers the third cluster until its queue is empty.
steering() {
	SLURM_CONF="$tmp/steered/slurm.conf" "$revopt" steer "$here/steer/$what.yaml" --policy value-bf --apply --anyway --every 2s \
		--journal "$tmp/steered/steer.journal" >"$tmp/steered/steer.log" 2>&1 &
	steerer=$!
	helpers="$helpers $steerer"
}
still() {
	kill -0 "$steerer" || fail "steer ended before the jobs did: $(tail -n 3 "$tmp/steered/steer.log")"
	kill "$steerer"
	wait "$steerer" || true
	python3 "$tmp/check.py" "$tmp/steered/steer.journal" "$tmp/steered/ids.txt" "$here/steer/$what.yaml" || doubt "the order of the policy"
	awk -v a="$(head -n 1 "$tmp/age/money.txt")" -v b="$(head -n 1 "$tmp/static/money.txt")" -v c="$(head -n 1 "$tmp/steered/money.txt")" \
		'BEGIN { exit !(c + 0 > a + 0 && c + 0 > 0.9 * b) }' || doubt "more value than by age, and at least 0.9 of that of the static QOS"
}

# Jobs of seconds on a busy machine start late: what they show then is no verdict.
doubt() { # EXPECTED
	if awk -v cores="$(nproc)" '{ exit !($1 > 2 * cores || $2 > 2 * cores) }' /proc/loadavg; then
		say "NOISY, load $(cut -d ' ' -f 1 /proc/loadavg): expected $1"
	else
		fail "the comparison does not show $1"
	fi
}

# What a journal and sacct say together: pairs in the order of the policy at the end of passes that were not cut short;
# jobs that were known to a pass and started while an older one of their customer and width, known too, waited that could
# start; and newcomers that did so before a pass knew them. A job with a longer time limit cannot start where backfill
# lets a shorter one run before a reservation, and one that is worth nothing any more is given up and comes last.
# Starts are whole seconds.
cat >"$tmp/check.py" <<'PY'
import json, sys
CYCLE = 2 # s in which a cycle of the scheduler that began before a pass may still start jobs in the former order
known, jobs, fresh, pairs, agree, passes, longest = {}, {}, [], 0, 0, 0, 0.0
calls = changes = 0
for line in open(sys.argv[1]):
    r = json.loads(line)
    for s in r.get("seen") or []:
        jobs.setdefault(s["job"], s)
        fresh.append(s["job"])
    b = r.get("beat")
    if b:
        for j in fresh:
            known.setdefault(j, r["time"] + CYCLE)
        fresh = []
        passes += 1
        calls += b["calls"]
        changes += b["changed"]
        longest = max(longest, b["seconds"])
        if not b.get("cut") and not b.get("busy"):
            pairs += b["pairs"]
            agree += b["agree"]
life, name, grace = {}, "", 0.0 # s of waiting after which a job of a customer is worth nothing
for line in open(sys.argv[3]):
    word = line.replace("-", " ").split()
    if word[:1] == ["name:"]:
        name = word[1]
    elif word[:1] == ["grace:"]:
        grace = float(word[1])
    elif word[:1] == ["decay:"]:
        life[name] = grace + 3600 * 100 / float(word[2].strip("%}"))
start = {}
for line in open(sys.argv[2]):
    name, at = line.split()
    start[int(name)] = int(at)
faults = newcomers = 0
for j, s in jobs.items():
    if j not in start:
        continue
    older = [k for k, o in jobs.items() if (o["submit"], k) < (s["submit"], j) and o["customer"] == s["customer"] and
             o["width"] == s["width"] and k in start and start[k] > start[j] + 1 and o["limit"] <= s["limit"] and
             start[j] - o["submit"] < life[s["customer"]]]
    if any(k in known and known[k] <= start[j] for k in older) and known.get(j, 1e18) <= start[j]:
        faults += 1
        print("fault:", j, [k for k in older])
    elif older:
        newcomers += 1
share = agree / pairs if pairs else 1
print("%d passes, longest %.2f s, %.1f calls each, %d changes; %d of %d pairs (%.1f %%) in the order of the policy; "
      "%d overtook an older job of their customer and width that was known, %d did before a pass knew them" %
      (passes, longest, calls / max(passes, 1), changes, agree, pairs, 100 * share, faults, newcomers))
sys.exit(faults > 0 or share < 0.98)
PY

# A queue that stands still: a job on all nodes of an account that is nobody's customer, and behind it jobs of all
# customers, an array, one that waits for another job, one that its user holds, one with a time to begin, one whose
# factor another party has set, and one with a name that would be commands if it were not quoted.
queue() { # CLUSTER JOBS
	export SLURM_CONF="$tmp/$1/slurm.conf"
	blocker=$(submit -A other -N 32 -t 600 -J blocker --wrap 'sleep 36000')
	running() { [ "$(squeue -h -j "$blocker" -o %t)" = R ]; }
	await 60 "a full machine" running
	awk -v jobs="$2" 'BEGIN { split("urgent standard cheap", name)
		for (i = 0; i < jobs; i++) print name[1 + i * 7 % 3], 2 ^ (i * 5 % 4), 1 + i % 3 }' |
		while read -r customer width minutes; do
			submit -A "$customer" -N "$width" -t "$minutes" -J plain --wrap 'sleep 1' </dev/null >/dev/null
		done
	array=$(submit -A urgent -N 1 -t 1 --array=1-3 -J array --wrap 'sleep 1')
	# Lists of tasks that are no ranges: none of them ends a run.
	submit -A cheap -N 1 -t 1 --array=1-99:2 -J step --wrap 'sleep 1' >/dev/null
	submit -A cheap -N 1 -t 1 --array=0-15:4%2 -J limited --wrap 'sleep 1' >/dev/null
	submit -A other -N 1 -t 1 --array=1,4,9,16,25,36,49,64,81,100,121,144,169,196,225,256 -J irregular --wrap 'sleep 1' >/dev/null
	parted=$(submit -A urgent -N 1 -t 1 --array=1-5 -J parted --wrap 'sleep 1')
	again scontrol hold "${parted}_3" # its user holds a task
	waits=$(submit -A urgent -N 1 -t 1 -d "afterany:$blocker" -J waits --wrap 'sleep 1')
	halted=$(submit -A urgent -N 1 -t 1 --hold -J halted --wrap 'sleep 1')
	later=$(submit -A urgent -N 1 -t 1 --begin=now+5hours -J later --wrap 'sleep 1')
	theirs=$(submit -A urgent -N 1 -t 1 -J theirs --wrap 'sleep 1')
	hostile=$(submit -A cheap -N 1 -t 1 -J "x
update JobId=$theirs SiteFactor=-9" --comment "y
update JobId=$theirs SiteFactor=-8;|\$(touch $tmp/injected)" --wrap 'sleep 1')
	again scontrol update JobId="$theirs" SiteFactor=77
	sleep 2
	factors >"$tmp/before.txt"
}
factors() { sprio -h -o '%i %S' | sort -n; }
same() { # WHEN: the site factors are those of before
	factors >"$tmp/after.txt"
	diff "$tmp/before.txt" "$tmp/after.txt" || fail "site factors differ $1"
	[ ! -e "$tmp/injected" ] || fail "a name was run as a command"
}
updates() { sdiag | sed -n 's/.*REQUEST_UPDATE_JOB *([0-9 ]*) *count:\([0-9]*\).*/\1/p' | grep . || echo 0; }
steer() { # FLAGS...
	"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" "$@"
}
undo() { "$revopt" steer --undo --journal "$tmp/chaos.journal"; }
safety() {
	queue chaos 24
	steer --policy hol --apply --anyway --once >"$tmp/chaos/once.log"
	# The order of hol is known without revopt: urgent, standard, cheap lose 12,000 %, 360,000 % and 3,000 % of 6, 3 and 2 $ per hour; first
	# come, first served within a customer.
	squeue -h -t PD -S -p,i -n plain -o '%i %a %Q' >"$tmp/chaos/order.txt"
	cat "$tmp/chaos/once.log"
	awk '{ id[NR] = $1; rank[NR] = $2 == "standard" ? 1 : $2 == "urgent" ? 2 : 3; priority[NR] = $3 }
		END { for (i = 1; i < NR; i++) for (j = i + 1; j <= NR; j++) { pairs++
			good += rank[i] < rank[j] || rank[i] == rank[j] && id[i] < id[j] && (priority[i] > priority[j] || id[i] < id[j]) }
			print good " of " pairs " pairs"; exit !(good >= 0.98 * pairs && pairs > 200) }' "$tmp/chaos/order.txt" >"$tmp/chaos/pairs.txt" ||
		fail "Slurm has $(cat "$tmp/chaos/pairs.txt") in the order of hol"
	for try in 1 2 3; do # ages that Slurm computes anew between two passes may move a job
		before=$(updates)
		steer --policy hol --apply --anyway --once >"$tmp/chaos/again.log"
		sent=$(($(updates) - before))
		[ "$sent" != 0 ] || break
	done
	[ "$sent" = 0 ] || fail "three passes over a queue in order have sent updates, the last one $sent"
	squeue -h -a -t PD -n array,plain -o '%a %j %Q' | awk '$2 == "array" { array = $3 } $1 == "cheap" { cheap = $3 > cheap ? $3 : cheap }
		END { exit !(array > cheap) }' || fail "the array of a better payer stands below cheap jobs"
	[ "$(squeue -h -a --array-unique -t PD -n array | wc -l)" -eq 1 ] || fail "the array was split"
	for job in $parted $waits $halted $later $theirs; do
		grep "^$job" "$tmp/before.txt" >"$tmp/chaos/was.txt" || true
		factors | grep "^$job" | diff "$tmp/chaos/was.txt" - || fail "the factor of job $job was changed"
	done
	undo >"$tmp/chaos/undo.log"
	same "after undo"
	say "hol: $(cat "$tmp/chaos/pairs.txt") as Slurm has them; a second pass sends nothing; undo leaves nothing, others' factors stay"

	# Killed in the middle, then undone.
	"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" --policy value-bf --apply --anyway --every 1s \
		>"$tmp/chaos/loop.log" 2>&1 &
	loop=$!
	changed() { ! factors | diff -q "$tmp/before.txt" - >/dev/null; }
	await 180 "the first changes" changed
	kill -KILL "$loop"
	wait "$loop" || true
	undo >>"$tmp/chaos/undo.log"
	same "after kill -9 and undo"

	# A user's hold and release, and a restart of the controller, while it steers. The next start undoes what is left.
	"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" --policy value-bf --apply --anyway --every 1s \
		>"$tmp/chaos/loop.log" 2>&1 &
	loop=$!
	await 180 "the first changes" changed
	mine=$(squeue -h -t PD -n plain -o %i | head -n 1)
	scontrol hold "$mine"
	sleep 3
	[ "$(squeue -h -j "$mine" -o %r)" = JobHeldAdmin ] || [ "$(squeue -h -j "$mine" -o %r)" = JobHeldUser ] || fail "the hold of job $mine was taken away"
	scontrol release "$mine"
	kill "$(cat "$tmp/chaos/pid")"
	wait "$(cat "$tmp/chaos/pid")" || true
	sleep 2
	controller chaos
	back() { timeout 20 squeue -h >/dev/null 2>&1; }
	await 60 "the controller" back
	sleep 3
	if kill -0 "$loop" 2>/dev/null; then
		kept="it went on"
		kill "$loop"
	else
		kept="it ended: $(tail -n 1 "$tmp/chaos/loop.log")"
	fi
	wait "$loop" || true
	undo >>"$tmp/chaos/undo.log"
	same "after a restart of slurmctld and TERM"
	say "kill -9 and undo, a user's hold, a restart of slurmctld ($kept): nothing left behind"

	# It hangs: the watchdog of export steer stops it and undoes.
	"$revopt" export steer "$here/steer/mixed.yaml" --policy value-bf --program "$revopt" -o "$tmp/service" >/dev/null
	sed -i -e "s|^JOURNAL=.*|JOURNAL=$tmp/chaos.journal|" -e 's/^OLD=.*/OLD=4/' "$tmp/service/steer.env"
	"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" --policy value-bf --apply --anyway --every 1s \
		>"$tmp/chaos/loop.log" 2>&1 &
	loop=$!
	await 180 "the first changes" changed
	kill -STOP "$loop"
	sleep 6
	sh "$tmp/service/watchdog.sh" >"$tmp/chaos/watchdog.log" 2>&1
	kill -CONT "$loop" 2>/dev/null || true
	wait "$loop" || true
	same "after the watchdog"
	say "$(head -n 1 "$tmp/chaos/watchdog.log" | sed "s|$tmp/||")"

	# Another party changes a factor that steer has set: it restores the others and ends.
	"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" --policy value-bf --apply --anyway --every 1s \
		>"$tmp/chaos/loop.log" 2>&1 &
	loop=$!
	await 180 "the first changes" changed
	sleep 2
	taken=$(factors | awk '$2 != 0 && $2 != 77 { print $1; exit }')
	passes() { grep -c '"kind":"pass"' "$tmp/chaos.journal"; }
	insist() { # Slurm compares nothing before it sets a factor: a pass that has read the former one may overwrite this one
		again scontrol update JobId="$taken" SiteFactor=555
		last=$(passes)
	}
	ended() {
		kill -0 "$loop" 2>/dev/null || return 0
		[ "$(passes)" -lt $((last + 2)) ] || insist
		return 1
	}
	insist
	await 180 "the end of steer after another party's change" ended
	wait "$loop" && fail "steer went on although another party changed a factor"
	[ "$(factors | sed -n "s/^$taken //p")" -eq 555 ] || fail "the factor of another party was changed"
	scontrol update JobId="$taken" SiteFactor="$(sed -n "s/^$taken //p" "$tmp/before.txt")"
	same "after another party's change"
	say "another party's change: $(tail -n 1 "$tmp/chaos/loop.log")"
	scancel -u "$(id -un)"
	await 120 "an empty queue" empty chaos
}

# Steered jobs that have started are requeued without their factors: after an undo while they run, and after a pass that
# sees them run. Jobs of another party take the nodes, so that those that are requeued wait.
requeued() {
	export SLURM_CONF="$tmp/chaos/slurm.conf"
	for how in undo pass; do
		blocker=$(submit -A other -N 32 -t 600 -J blocker --wrap 'sleep 36000')
		running() { [ "$(squeue -h -j "$blocker" -o %t)" = R ]; }
		await 60 "a full machine" running
		low=$(submit --requeue -A cheap -N 1 -t 60 -J low --wrap 'sleep 3600')
		tasks=$(submit --requeue -A urgent -N 1 -t 60 --array=1-7:3 -J tasks --wrap 'sleep 3600')
		high=$(submit --requeue -A standard -N 1 -t 60 -J high --wrap 'sleep 3600')
		sleep 2
		steer --policy hol --apply --anyway --once >"$tmp/chaos/requeue-$how.log"
		[ "$(factors | awk '$2 != 0' | wc -l)" -ge 2 ] || fail "fewer than two jobs were steered: $(factors)"
		scancel "$blocker"
		started() { [ "$(squeue -h -t R -n low,tasks,high | wc -l)" -eq 5 ]; }
		await 60 "five running jobs" started
		case $how in
		undo) undo >"$tmp/chaos/requeue-undo.txt" ;;
		pass) steer --policy hol --apply --anyway --once >"$tmp/chaos/requeue-pass.txt" ;;
		esac
		others=
		for i in $(seq 40); do
			job=$(submit -A other -N 1 -t 60 -J other --wrap 'sleep 3600')
			others="$others $job"
			echo "update JobId=$job SiteFactor=900000"
		done >"$tmp/chaos/others.txt"
		scontrol <"$tmp/chaos/others.txt" >/dev/null 2>&1
		full() { [ "$(squeue -h -t R | wc -l)" -eq 32 ]; }
		await 60 "jobs of another party on all nodes" full
		for job in $low $tasks $high; do scontrol requeue "$job"; done
		waiting() { [ "$(factors | awk '$2 != 900000' | wc -l)" -ge 3 ]; }
		await 120 "requeued jobs that wait" waiting
		factors | awk '$2 != 900000 && $2 != 0' >"$tmp/chaos/leaked.txt"
		[ ! -s "$tmp/chaos/leaked.txt" ] || fail "jobs have factors after $how and requeue: $(cat "$tmp/chaos/leaked.txt")"
		scancel -u "$(id -un)"
		await 120 "an empty queue" empty chaos
	done
	undo >>"$tmp/chaos/undo.log"
	say "started jobs and tasks of an array are requeued with factor 0 after undo ($(sed -n 2p "$tmp/chaos/requeue-undo.txt")) and after a pass"
}

# Order inside a customer: two QOS, nice, a job in two partitions, and jobs that others may preempt. The accounts exchange
# their places; inside an account, and between jobs and those that may preempt them, Slurm's own order stays.
inside() {
	export SLURM_CONF="$tmp/chaos/slurm.conf"
	{
		sacctmgr -i add qos usual,high,scav
		sacctmgr -i modify qos usual set priority=1 preempt=scav
		sacctmgr -i modify qos high set priority=2 preempt=scav
		sacctmgr -i modify user root where cluster=chaos set qos=usual,high,scav defaultqos=usual
	} >"$tmp/chaos/qos.log"
	cat >>"$SLURM_CONF" <<CONF
PriorityWeightQOS=100000
PreemptType=preempt/qos
PreemptMode=REQUEUE
PartitionName=long Nodes=n[1-32] State=UP
CONF
	kill "$(cat "$tmp/chaos/pid")"
	wait "$(cat "$tmp/chaos/pid")" || true
	controller chaos
	back() { timeout 20 squeue -h >/dev/null 2>&1; }
	await 60 "the controller" back
	blocker=$(submit -A other -N 32 -t 600 -J blocker --wrap 'sleep 36000')
	running() { [ "$(squeue -h -j "$blocker" -o %t)" = R ]; }
	await 60 "a full machine" running
	for customer in cheap urgent standard; do
		for flags in --nice=20000 "" --qos=high --qos=scav "" --nice=3000 "--qos=scav --nice=-60000" --qos=high; do
			submit -A "$customer" -N 1 -t 1 $flags --wrap 'sleep 1' </dev/null >>"$tmp/chaos/inside.txt"
		done
	done
	both=$(submit -A standard -N 1 -t 1 -p batch,long --wrap 'sleep 1')
	listed() { [ "$(sprio -h -o %i | sort -u | wc -l)" -eq $(($(wc -l <"$tmp/chaos/inside.txt") + 1)) ]; }
	await 120 "the jobs in sprio" listed
	standings() { squeue -h -t PD -o '%i %a %q %P' | sort >"$tmp/chaos/jobs.txt"; sprio -h -o '%i %Y %S' | sort | join - "$tmp/chaos/jobs.txt"; }
	standings >"$tmp/chaos/own.txt"
	factors >"$tmp/before.txt"
	steer --policy hol --apply --anyway --once >"$tmp/chaos/inside.log"
	standings >"$tmp/chaos/steered.txt"
	python3 - "$tmp/chaos/own.txt" "$tmp/chaos/steered.txt" "$both" <<'PY' || fail "the order inside a customer is not Slurm's: $(cat "$tmp/chaos/inside.log")"
import sys
def read(name):
    rows = {}
    for line in open(name):
        job, priority, factor, account, qos, partition = line.split()
        rows[int(job)] = (int(priority), int(factor), account, qos)
    return rows
own, after = read(sys.argv[1]), read(sys.argv[2])
both = int(sys.argv[3])
assert after[both][1] == 0, "a job in two partitions has a factor"
del own[both], after[both]
place = lambda rows: {job: i for i, job in enumerate(sorted(rows, key=lambda j: (-rows[j][0], j)))}
was, now = place(own), place(after)
moved = bad = 0
for a in own:
    for b in own:
        if was[a] < was[b] and now[a] > now[b]:
            related = (own[a][3] == "scav") != (own[b][3] == "scav")
            if related or own[a][2] == own[b][2]:
                bad += 1
                print("job", b, own[b], "passes job", a, own[a])
            moved += 1
print("%d jobs, %d pairs of two accounts exchanged, %d of one account or with a preemptor" % (len(own), moved, bad))
sys.exit(bad > 0 or moved < 10)
PY
	steer --policy hol --apply --anyway --once --order-all >"$tmp/chaos/all.log"
	undo >"$tmp/chaos/undo.log"
	same "after undo"
	say "order inside a customer: Slurm's own"
	scancel -u "$(id -un)"
	await 120 "an empty queue" empty chaos
}

# Six pairs of spans with and without steering, killed in the middle of one and begun again. No job has a factor late in a
# span without steering, the journal has every pair before it begins, and an own program gets the scores of the report
# from sacct and the journal.
cat >"$tmp/score.py" <<'PY'
import calendar, json, sys, time
journal, sacct, economy, told = sys.argv[1:]
price, grace, loss, name = {}, {}, {}, ""
for line in open(economy):
    word = line.replace("-", " ").split()
    number = lambda text: float("".join(c for c in text if c in "0123456789."))
    if word[:1] == ["name:"]:
        name = word[1]
    elif word[:1] == ["price:"]:
        price[name] = number(word[2])
    elif word[:1] == ["grace:"]:
        grace[name] = number(word[1])
    elif word[:1] == ["decay:"]:
        loss[name] = number(word[2]) / 100 / 3600
plan, pairs, jobs, beats, now = None, {}, {}, [], 0
for line in open(journal):
    r = json.loads(line)
    now = max(now, r["time"])
    plan = (r.get("start") or {}).get("trial") or plan
    for p in r.get("pairs") or []:
        if r["time"] <= p["from"]:
            pairs.setdefault(p["number"], p)
    for s in r.get("seen") or []:
        jobs.setdefault(s["job"], s)
    if r["kind"] == "pass":
        beats.append(r["time"])
run = {}
for line in list(open(sacct))[1:]:
    job, start, end = line.strip().split("|")
    if "Unknown" not in (start, end) and "None" not in (start, end):
        run[int(job)] = tuple(calendar.timegm(time.strptime(at, "%Y-%m-%dT%H:%M:%S")) for at in (start, end))
        now = max(now, run[int(job)][1])
waits = sorted((run[j][0], run[j][0] - s["submit"]) for j, s in jobs.items() if j in run)
def closed(end):
    at = end
    while True:
        later = end + max([wait for start, wait in waits if start <= at], default=0)
        if later <= at:
            return at
        at = later
own = {}
for n, p in sorted(pairs.items()):
    at = closed(p["to"])
    if at > now or not any(p["from"] <= b < p["to"] for b in beats):
        continue
    for first in (True, False):
        begin, end = (p["from"], p["switch"]) if first else (p["switch"], p["to"])
        paid = full = 0.0
        for j, s in jobs.items():
            if s["customer"] and j in run and begin + plan["margin"] <= s["submit"] < end - plan["margin"]:
                length = max(run[j][1] - run[j][0], 1)
                wait = max(min(run[j][0], at) - s["submit"], 0)
                late = max(wait - grace[s["customer"]], 0)
                worth = price[s["customer"]] * s["width"] * length / 3600
                full += worth
                paid += worth * max(1 - loss[s["customer"]] * late, 0)
        own[n + 1, "steered" if p["on_first"] == first else "site's own"] = (paid, full)
answer = json.load(open(told))
rows = {(int(row["pair"]), row["order"]): (row["paid"], row["at_once"]) for row in answer["tables"]["blocks"]}
assert set(rows) == set(own), "the report has the spans %s, sacct %s" % (sorted(rows), sorted(own))
for key in own:
    for a, b in zip(own[key], rows[key]):
        assert abs(a - b) <= 1e-6 * max(abs(a), 1e-9), "span %s: the report has %s $, sacct %s" % (key, rows[key], own[key])
differences = []
for n in sorted({n for n, order in own}):
    on, off = own[n, "steered"], own[n, "site's own"]
    if on[1] > 0 and off[1] > 0:
        differences.append(on[0] / on[1] - off[0] / off[1])
mean = sum(differences) / len(differences)
all = answer["tables"]["gains"][0]["gain"]
all = all["mean"] if isinstance(all, dict) else all
assert abs(all - mean) < 1e-9, "the report has a gain of %s, sacct %g" % (all, mean)
print("%d pairs closed of %d, %d jobs, gain %+.1f %%, as an own program has it from sacct" % (len(differences), len(pairs), len(run), 100 * mean))
PY
switched() {
	export SLURM_CONF="$tmp/chaos/slurm.conf"
	trial="$tmp/switched.journal"
	switching() {
		"$revopt" steer "$here/steer/linear.yaml" --journal "$trial" --policy hol --apply --anyway --every 0.8 --switch 8 --margin 1 --seed 7 \
			>>"$tmp/chaos/switched.log" 2>&1 &
		loop=$!
		helpers="$helpers $loop"
	}
	switching
	await 60 "the trial" grep -sq '"kind":"pairs"' "$trial"
	began=$(sed -n 's/.*"trial":{"begin":\([0-9]*\).*/\1/p' "$trial" | head -n 1)
	killed=
	for i in $(seq 1000); do
		[ "$(date +%s)" -lt $((began + 96)) ] || break
		case $((i % 3)) in 0) customer=urgent width=8 ;; 1) customer=standard width=16 ;; 2) customer=cheap width=16 ;; esac
		submit -A "$customer" -N "$width" -t 1 -J switched --wrap "sleep $((1 + i % 2))" >/dev/null
		if [ -z "$killed" ] && [ "$(date +%s)" -ge $((began + 36)) ]; then
			kill -KILL "$loop"
			wait "$loop" || true
			killed=yes
			switching
		fi
		sleep 0.7
	done
	await 120 "an empty queue" empty chaos
	closed() {
		kill -0 "$loop" || fail "the trial ended: $(tail -n 3 "$tmp/chaos/switched.log")"
		TZ=UTC sacct -anPX -S now-1hour -E now+1hour --name=switched -o JobIDRaw,End | grep -q -e Unknown -e None && return 1
		TZ=UTC sacct -aPX -S now-1hour -E now+1hour --name=switched -o JobIDRaw,Start,End >"$tmp/switched.txt"
		"$revopt" steer report "$trial" "$here/steer/linear.yaml" --sacct "$tmp/switched.txt" --json >"$tmp/switched.json"
		[ "$(grep -c '"order": "steered"' "$tmp/switched.json")" -ge 6 ]
	}
	await 120 "six closed pairs" closed
	kill "$loop"
	wait "$loop" || true
	"$revopt" steer --undo --journal "$trial" >>"$tmp/chaos/undo.log"
	"$revopt" steer report "$trial" "$here/steer/linear.yaml" --sacct "$tmp/switched.txt" --json --html "$tmp/switched.html" >"$tmp/switched.json"
	python3 "$tmp/score.py" "$trial" "$tmp/switched.txt" "$here/steer/linear.yaml" "$tmp/switched.json" >"$tmp/switched-score.txt" ||
		fail "the report of the trial differs from sacct"
	say "switched on and off, killed once: $(cat "$tmp/switched-score.txt")"
	grep -q '"off":true' "$trial" || fail "no span was without steering"
	factors | awk '$2 != 0' >"$tmp/chaos/leaked.txt"
	[ ! -s "$tmp/chaos/leaked.txt" ] || fail "jobs have factors after the trial: $(cat "$tmp/chaos/leaked.txt")"
	[ -z "$keep" ] || cp "$trial" "$tmp/switched.txt" "$tmp/switched.html" "$keep/"
}

# Kills at random points of one pass after another: each is followed by an undo, after which nothing is left.
kills() { # NUMBER
	queue chaos 60
	caught=0
	for i in $(seq "$1"); do
		policy=$(echo value-bf hol | cut -d ' ' -f $((1 + i % 2)))
		"$revopt" steer "$here/steer/mixed.yaml" --journal "$tmp/chaos.journal" --policy "$policy" --apply --anyway --every 1s >"$tmp/chaos/loop.log" 2>&1 &
		loop=$!
		sleep "$(awk -v i="$i" 'BEGIN { srand(i); print 1.5 * rand() }')"
		kill -KILL "$loop" 2>/dev/null || true
		wait "$loop" 2>/dev/null || true
		if ! factors | diff -q "$tmp/before.txt" - >/dev/null; then caught=$((caught + 1)); fi
		[ ! -e "$tmp/chaos.journal" ] || undo >>"$tmp/chaos/undo.log"
		same "after kill $i and undo"
	done
	say "$1 kills, $caught with factors set; nothing left behind after any undo"
	scancel -u "$(id -un)"
}

# Passes over a long queue: time, calls, updates and processor time of the controller, and a pass that changes nothing.
pending() { # JOBS
	queue chaos "$1"
	say "$(squeue -h -t PD | wc -l) jobs wait"
	spent() { awk '{ printf "%.2f", ($14 + $15) / 100 }' "/proc/$(cat "$tmp/chaos/pid")/stat"; }
	for pass in first second third; do
		was=$(spent) sent=$(updates)
		begin=$(date +%s.%N)
		steer --policy value-bf --apply --anyway --once >"$tmp/chaos/$pass.log"
		say "$pass pass: $(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }') s in all," \
			"$(grep '"kind":"pass"' "$tmp/chaos.journal" | tail -n 1 | sed 's/.*"beat"://')," \
			"$(($(updates) - sent)) updates, $(awk -v a="$was" -v b="$(spent)" 'BEGIN { printf "%.2f", b - a }') s of the controller," \
			"load $(cut -d ' ' -f 1 /proc/loadavg)"
	done
	sdiag | sed -n '/REQUEST_UPDATE_JOB\|REQUEST_JOB_INFO\|REQUEST_PRIORITY/p'
	begin=$(date +%s.%N)
	undo >"$tmp/chaos/undo.log"
	say "undo: $(awk -v a="$begin" -v b="$(date +%s.%N)" 'BEGIN { printf "%.2f", b - a }') s"
	same "after undo"
	scancel -u "$(id -un)"
}

case $what in
linear | grace | mixed) compare "$what" "$seed" ;;
safety)
	clusters chaos
	safety
	requeued
	;;
requeued)
	clusters chaos
	requeued
	;;
inside | switched)
	clusters chaos
	"$what"
	;;
kills | pending)
	clusters chaos
	"$what" "$seed"
	;;
esac
