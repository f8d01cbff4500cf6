#!/bin/sh
# Compares three ways to order the queue of a real Slurm on the same jobs: by age alone, by the QOS that tune finds and
# export slurm writes, and steered by the policy value-bf. Each has a cluster of its own of 32 emulated nodes of one
# core on loopback; the three run at once, so that they meet the same load of this machine. The economies are
# testdata/steer/*.yaml. Money comes from sacct by the awk script below, never from revopt.
# Stops exactly what it starts. Installs Debian's packages where they are missing. Needs root.
#
# Usage: test-slurm-steer.sh PROGRAM ECONOMY SEED [DIR]   one comparison, then the checks of safety; DIR gets its files
#        test-slurm-steer.sh PROGRAM all DIR              three economies, two seeds each: the table of docs/steer.md
#        test-slurm-steer.sh PROGRAM pending NUMBER       a pass over a queue of that many jobs
#        test-slurm-steer.sh PROGRAM kills NUMBER         that many kills at random points, each followed by an undo
set -eu
revopt=$(realpath "$1")
what=$2
seed=${3:-1}
keep=${4:-}
here=$(dirname "$(realpath "$0")")
PATH=$PATH:/usr/sbin
export TZ=UTC

if [ "$what" = all ]; then # two comparisons at a time
	mkdir -p "$seed"
	for s in 1 2; do
		for economy in linear grace mixed; do
			[ ! -s "$seed/$economy-$s/money.txt" ] || continue
			sh "$0" "$revopt" "$economy" "$s" "$seed/$economy-$s" >"$seed/$economy-$s.log" 2>&1 &
			[ "$economy" = linear ] || wait
		done
	done
	wait
	cat "$seed"/*-[12]/money.txt
	exit
fi

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
	for pid in $helpers; do kill "$pid" 2>/dev/null || true; done
	for conf in "$tmp"/*/slurm.conf; do # no job outlives its node
		[ -e "$conf" ] || continue
		export SLURM_CONF="$conf"
		timeout 10 scancel -u daemon,bin,mail,root 2>/dev/null || true
		timeout 20 sh -c 'while [ -n "$(squeue -h)" ]; do sleep 0.5; done' 2>/dev/null || true
	done
	kill $nodes 2>/dev/null || true
	for pid in $nodes $pids; do
		kill "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	if [ "$code" -ne 0 ]; then
		tail -n 15 "$tmp"/*.log "$tmp"/*/*.log 2>/dev/null || true
		echo "test-slurm-steer: failed ${reason:-in a command: its message is above the logs}" >&2
	fi
	rm -rf "$tmp"
	exit "$code"
}
helpers=
trap stop EXIT
trap 'exit 130' INT TERM

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
mariadb-install-db --no-defaults --user="$(id -un)" --auth-root-authentication-method=socket --skip-test-db \
	--datadir="$tmp/db" >"$tmp/db-install.log" 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$tmp/db" --skip-networking --socket="$tmp/db.socket" \
	--pid-file="$tmp/db.pid" >"$tmp/mariadbd.log" 2>&1 &
pids="$! $pids"
await 180 "munged and mariadbd" test -S "$tmp/munge.socket" -a -S "$tmp/db.socket"

# A cluster of 32 nodes, by age alone. SchedulerParameters are the same for all.
parameters=sched_interval=1,sched_min_interval=0,bf_interval=1,bf_resolution=1,bf_continue
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
submit() { sbatch --parsable -Q -D / -o /dev/null "$@"; }
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
		--policy slurm:PriorityMaxAge=600:PriorityCalcPeriod=1:bf_interval=1:bf_resolution=1:sched_interval=1 >"$tmp/tuned.json"
	label=$(sed -n 's/^  "label": "\(.*\)",$/\1/p' "$tmp/tuned.json")
	"$revopt" export slurm "$here/steer/$1.yaml" --policy "$label" --modify-existing -o "$tmp/tuned" --quiet >"$tmp/export.log"
	say "tuned: $label"
	clusters age static steered
	sed -e '/^PriorityWeightQOS/d' "$tmp/static/slurm.conf" >"$tmp/next.conf"
	grep '^PriorityWeightQOS' "$tmp/tuned/priorities.conf" >>"$tmp/next.conf"
	mv "$tmp/next.conf" "$tmp/static/slurm.conf"
	on static sh "$tmp/tuned/qos.sh" >"$tmp/qos.log"
	on static scontrol reconfigure
	begin=$(($(date +%s) + 5))
	for name in age static steered; do
		play "$name" "$begin" <"$tmp/jobs.txt" 2>"$tmp/$name/play.log" &
		helpers="$helpers $!"
	done
	playing="$helpers"
	sleep 5
	steering
	for pid in $playing; do wait "$pid"; done
	for name in age static steered; do
		await 600 "the end of the jobs of $name" empty "$name"
		await 180 "the rows of sacct of $name" settled "$name" "$(wc -l <"$tmp/jobs.txt")"
	done
	still
	for name in age static steered; do money "$name" "$1" >"$tmp/$name/money.txt"; done
	predicted easy "$label" value-bf value-bf:within=fifo >"$tmp/predicted.txt"
	{
		echo "$1 $2 real $(head -qn 1 "$tmp"/age/money.txt "$tmp"/static/money.txt "$tmp"/steered/money.txt | cut -d ' ' -f 1,2 | tr '\n' ' ')" \
			"predicted $(tr '\n' ' ' <"$tmp/predicted.txt") load $(cut -d ' ' -f 1 /proc/loadavg)"
	} >"$tmp/money.txt"
	cat "$tmp/money.txt" "$tmp"/steered/money.txt
	if [ -n "$keep" ]; then
		mkdir -p "$keep"
		for name in age static steered; do
			cp "$tmp/$name/sacct.txt" "$keep/$name.txt"
			cp "$tmp/$name/money.txt" "$keep/$name-money.txt"
		done
		cp "$tmp/money.txt" "$tmp/jobs.txt" "$tmp"/steered/*.journal* "$tmp"/steered/steer*.log "$keep/" 2>/dev/null || true
	fi
}
steering() { :; }
still() { :; }

case $what in
linear | grace | mixed) compare "$what" "$seed" ;;
esac
