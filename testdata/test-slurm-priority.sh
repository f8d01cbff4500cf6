# A part of test-slurm.sh: a second cluster on the same nodes, with multifactor
# priorities: three QOS, two of them with a limit, two accounts with unequal shares, two
# partitions, and a node that goes down. Every start of its log is compared with the
# policies slurm and easy.

# The workload, from one seed, written before its first run: seconds since the action
# before, and the action. Jobs have a QOS, account, user, partition, nodes, run time (s)
# and time limit (min). No job of the QOS cheap is wider than its limit of 16.
mkdir "$tmp/site"
workload() { # SEED JOBS GAP
	awk -v state="$1" -v jobs="$2" -v gap="$3" 'BEGIN {
	for (i = 1; i <= jobs; i++) {
		time += -gap * log(1 - draw())
		q = draw(); qos = q < 0.2 ? "urgent" : q < 0.7 ? "standard" : "cheap"
		u = draw(); user = u < 0.35 ? "chem daemon" : u < 0.5 ? "chem bin" : u < 0.8 ? "phys mail" : "phys games"
		big = draw() < 0.6
		kind = draw()
		width = kind < 0.12 && qos != "cheap" ? (big ? 17 + int(16 * draw()) : 13 + int(12 * draw())) : kind < 0.4 ? 5 + int(8 * draw()) : 1 + int(4 * draw())
		print time, "submit", qos, user, big ? "big" : "small", width, 4 + int(12 * draw()), 1 + int(5 * draw())
	}
	if (jobs > 100) print "40 state down\n85 state resume"
}
function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }' | sort -n |
		awk '{ time = $1; $1 = time - last; last = time; print }'
}
act() { # does the actions that it reads
	while read -r gap action rest; do
		sleep "$gap"
		# shellcheck disable=SC2086
		case $action in
		submit)
			set -- $rest
			submit --qos="$1" -A "$2" --uid="$3" -p "$4" -N "$5" -t "$7" --wrap "sleep $6" >/dev/null
			;;
		state) scontrol update nodename=n3 state="$rest" reason=test ;;
		esac
	done
}

# Starts a cluster that has no past, under a new name.
site() { # NAME
	kill "$controller"
	wait "$controller" || true
	rm -rf "$tmp/site/state"
	mkdir "$tmp/site/state"
	sed -e '/^JobSubmitPlugins/d' -e '/Gres/d' -e '/^PartitionName/d' -e "s/^ClusterName=.*/ClusterName=$1/" \
		-e "s|^StateSaveLocation=.*|StateSaveLocation=$tmp/site/state|" -e 's/^ReturnToService=.*/ReturnToService=1/' \
		-e 's/^AuthInfo=.*/&,cred_expire=15/' -e 's/^PriorityType=.*/PriorityType=priority\/multifactor/' \
		"$tmp/slurm.conf" >"$tmp/site/slurm.conf"
	cat >>"$tmp/site/slurm.conf" <<CONF
FirstJobId=10001
DebugFlags=NO_CONF_HASH
PriorityWeightAge=1000
PriorityWeightFairshare=2000
PriorityWeightJobSize=500
PriorityWeightQOS=1500
PriorityWeightPartition=300
PriorityMaxAge=00:02:00
PriorityDecayHalfLife=00:05:00
PriorityCalcPeriod=1
PartitionName=big Nodes=n[1-40] Default=YES State=UP PriorityJobFactor=10
PartitionName=small Nodes=n[41-64] State=UP PriorityJobFactor=4
CONF
	export SLURM_CONF="$tmp/site/slurm.conf"
	{
		sacctmgr -i add cluster "$1"
		sacctmgr -i add account chem cluster="$1" fairshare=60 qos=urgent,standard,cheap
		sacctmgr -i add account phys cluster="$1" fairshare=20 qos=urgent,standard,cheap
		sacctmgr -i add user daemon,bin account=chem cluster="$1"
		sacctmgr -i add user mail,games account=phys cluster="$1"
	} >>"$tmp/sacctmgr.log"
	slurmctld -D -i >>"$tmp/site/slurmctld.log" 2>&1 &
	controller=$!
	pids="$controller $pids"
	await 180 "the nodes of cluster $1" idle
	say "cluster $1 with multifactor priorities is up"
}
idle() { [ "$(sinfo -h -o '%t %D' 2>/dev/null)" = "idle 64" ]; }
sacctmgr -i add qos urgent set priority=100 maxjobsperuser=2 >>"$tmp/sacctmgr.log"
sacctmgr -i add qos standard set priority=50 >>"$tmp/sacctmgr.log"
sacctmgr -i add qos cheap set priority=0 grptres=cpu=16 >>"$tmp/sacctmgr.log"

# Runs a workload and keeps its log.
run() { # SEED JOBS GAP
	span="-S $(date +%FT%T) -E now+2days"
	workload "$@" | act
	await 300 "the end of the jobs" drained
	rows=$2
	settled() { [ "$(sacct -anPX $span -o End | grep -vc -e Unknown -e None)" -eq "$rows" ]; }
	await 180 "the rows of sacct" settled
	sacct -aPDX $span -o "$columns,Priority,NodeList" >"$tmp/site/sacct.txt"
	sacctmgr -P show qos >"$tmp/site/qos.txt"
	sacctmgr -P show assoc where cluster="$cluster" >"$tmp/site/assoc.txt"
	[ -z "$keep" ] || cp -r "$tmp/site" "$keep.site$1"
}
compare() { # STARTS LEAST: of so many starts at least, slurm is to allow this share, and easy fewer
	found=$(steps "$tmp/site/sacct.txt" 64 "slurm:conf=${3:-$tmp/site/slurm.conf}:qos=$tmp/site/qos.txt:assoc=$tmp/site/assoc.txt" easy \
		--pool big=40 --pool small=24 | awk -v starts="$1" -v least="$2" '{ allowed[NR] = $1; all = $2 }
		END { print allowed[1] " of " all " starts, easy " allowed[2]
			exit !(all >= starts && allowed[1] >= least * all && allowed[2] < allowed[1]) }')
}
like_slurm() {
	cluster=${cluster:-site}x
	site "$cluster"
	run 31 130 0.8
	compare 130 0.9 # the states have no past usage
}
export TZ=UTC
attempts 2 "slurm to allow 90 % of the starts and easy fewer" like_slurm
say "slurm allows $found"

# Settings exported and installed. They have neither ages nor fair share, so the past does not matter.
cat >"$tmp/site/stated.yaml" <<SCENARIO
trace: {file: "$tmp/site/jobs.swf"}
pools: [{name: big, units: 40, of: {partition: [big]}}, {name: small, units: 24, of: {partition: [small]}}]
classes:
  - {name: urgent, of: {queue: [urgent]}, price: {per_unit_hour: 2}, decay: {per_hour: 10000%}, max_penalty: 0}
  - {name: standard, of: {queue: [standard]}, price: {per_unit_hour: 1}, decay: {per_hour: 2000%}, max_penalty: 0}
  - {name: cheap, of: {queue: [cheap]}, price: {per_unit_hour: 1}, decay: {per_hour: 20000%}, max_penalty: 0}
SCENARIO
"$revopt" trace import "$here/slurm-site/sacct.txt" --nodes 64 -o "$tmp/site/jobs.swf" --quiet >/dev/null
label=slurm:PriorityWeightQOS=1000:qos.urgent.Priority=100:qos.cheap.Priority=50:bf_interval=1:bf_resolution=1:sched_interval=1:bf_job_part_count_reserve=1
{ # a site without weights
	sed -e '/^Priority/d' "$tmp/site/slurm.conf"
	echo PriorityType=priority/multifactor
} >"$tmp/site/plain.conf"
"$revopt" export slurm "$tmp/site/stated.yaml" --policy "$label" --conf "$tmp/site/plain.conf" --modify-existing -o "$tmp/site/stated" --quiet >>"$tmp/export.log"
sed -e '/^Priority/d' -e '/^SchedulerParameters/d' "$tmp/site/slurm.conf" >"$tmp/site/next.conf"
sed 's/^SchedulerParameters=.*/&,sched_min_interval=0,bf_continue/' "$tmp/site/stated/priorities.conf" >>"$tmp/site/next.conf"
mv "$tmp/site/next.conf" "$tmp/site/slurm.conf"
scontrol reconfigure
sacctmgr -i modify qos where name=urgent,standard,cheap set priority=0 >>"$tmp/qos.log" # as in the simulation before
sh "$tmp/site/stated/qos.sh" >>"$tmp/qos.log"
sacctmgr -P show qos >"$tmp/site/qos.txt"
{ scontrol show config | awk '/^PriorityWeight/ { print $1, $3 }'; cut -d '|' -f 1,2 "$tmp/site/qos.txt"; } | sort >"$tmp/site/found.txt"
echo "$label" | tr : '\n' | sed -n -e 's/^qos\.\(.*\)\.Priority=/\1|/p' -e 's/^\(PriorityWeight.*\)=/\1 /p' | sort >"$tmp/site/wanted.txt"
if ! [ -s "$tmp/site/wanted.txt" ] || [ -n "$(comm -23 "$tmp/site/wanted.txt" "$tmp/site/found.txt")" ]; then
	reason="because the real Slurm does not have the stated settings: $label"
	exit 1
fi
stated() {
	run 32 35 0.5
	compare 35 0.9
}
attempts 3 "slurm to allow 32 of the 35 starts with stated settings and easy fewer" stated
say "with stated settings, slurm allows $found"

. "$here/test-slurm-install.sh"
unset TZ
