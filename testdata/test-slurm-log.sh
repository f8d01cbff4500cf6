# A part of test-slurm.sh: jobs of seconds under Slurm's backfill, their log
# imported, compared field by field with what sacct prints, and every start with
# what EASY would have done.

# Jobs: gap before the submission (s), nodes, run time (s), time limit (min), user,
# account, QOS. Always the same ones: minimal standard random numbers.
awk -v jobs=120 'BEGIN {
	state = 19
	split("daemon bin mail games", user); split("chem phys bio", account); split("normal high low", qos)
	for (i = 1; i <= jobs; i++) {
		kind = draw()
		width = kind < 0.08 ? 17 + int(48 * draw()) : kind < 0.33 ? 5 + int(12 * draw()) : 1 + int(4 * draw())
		print -0.55 * log(1 - draw()), width, 3 + int(6 * draw()), 1 + int(5 * draw()), user[1 + int(4 * draw())], account[1 + int(3 * draw())], qos[1 + int(3 * draw())]
	}
}
function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }' >"$tmp/jobs.txt"
submit() { sbatch --parsable -D / -o /dev/null "$@"; }
drained() { [ -z "$(squeue -h)" ] && idle; }
jobs() { # runs them
	while read -r gap width seconds minutes user account qos; do
		sleep "$gap"
		submit --uid="$user" -A "$account" --qos="$qos" -N "$width" -t "$minutes" --wrap "sleep $seconds" >/dev/null
	done <"$tmp/jobs.txt"
	await 300 "the end of the jobs" drained
}
jobs

# The other ways of jobs: an array, a failure, a dependency, a hold, a start in the
# future, a cancel while it runs and a requeue.
submit -A bio -t 1 --array=1-3 --wrap 'sleep 1' >/dev/null
submit -A bio -t 1 --wrap 'exit 3' >/dev/null
first=$(submit -A chem -t 2 -N 8 --wrap 'sleep 4')
submit -A chem -t 1 -N 64 -d "afterany:$first" --wrap 'sleep 1' >/dev/null
scancel "$(submit -A phys -t 1 --begin=now+1hour --wrap true)"
held=$(submit -A phys -N 5 -t 1 --hold --wrap 'sleep 1')
first=$(submit -A phys -N 2 -t UNLIMITED --wrap 'sleep 600')
again=$(submit -A phys -N 3 -t 1 --requeue --wrap 'sleep 600')
state() { [ "$(squeue -h -j "$1" -o %t)" = "$2" ]; }
await 180 "the start of job $first" state "$first" R
await 180 "the start of job $again" state "$again" R
sleep 1
scontrol release "$held"
scontrol requeue "$again"
await 180 "the requeue of job $again" state "$again" PD
scancel "$first" "$again"
await 120 "an empty queue" drained

# Rows of sacct lag by some seconds; of jobs that were never eligible they are beyond now.
export TZ=UTC
span="-S $(date -d "@$begun" +%FT%T) -E now+2days"
columns=JobID,JobIDRaw,User,Account,Partition,QOS,Submit,Eligible,Start,End,Elapsed,Timelimit,TimelimitRaw,NNodes,NCPUS,ReqTRES,AllocTRES,State,ExitCode
settled() { # all have ended, and both runs of the requeued one are there
	[ "$(sacct -anPX $span -o End | grep -vc -e Unknown -e None)" -eq 130 ] &&
		[ "$(sacct -anPXD $span -j "$again" -o End | grep -vc -e Unknown -e None)" -eq 2 ] && steady
}
await 180 "the rows of sacct" settled
sacct -aPD $span -o "$columns" >"$tmp/sacct.txt"
[ -z "$keep" ] || cp "$tmp/sacct.txt" "$keep"
"$revopt" trace import "$tmp/sacct.txt" --nodes 64 -o "$tmp/jobs.swf" >/dev/null 2>"$tmp/import.log"
sed "s|$tmp/||" "$tmp/import.log"

# Job, submission, start, end, processors, limit, status, account, user, QOS: from the
# trace, and from sacct with times in seconds and without steps and duplicates.
awk '/^;/ { if ($2 == "UnixStartTime:") base = $3; name[$2, $3] = $4; next }
	{ begin = base + $2 + $3; print $1, base + $2, $4 < 0 ? "-" : begin, begin + ($4 < 0 ? 0 : $4), $5 < 0 ? $8 : $5, $9, $11,
		name["Account:", $14], name["User:", $12], name["Queue:", $15] }' "$tmp/jobs.swf" | sort >"$tmp/imported.txt"
SLURM_TIME_FORMAT=%s sacct -anPX $span -o JobIDRaw,Submit,Start,End,ReqCPUS,TimelimitRaw,State,Account,User,QOS,AllocTRES |
	awk -F '|' '{ status = $7 == "COMPLETED" ? 1 : $7 ~ /^CANCELLED/ ? 5 : 0
	print $1, $2, $11 == "" ? "-" : $3, $4, $5, $6 ~ /^[0-9]+$/ ? 60 * $6 : -1, status, $8, $9, $10 }' | sort >"$tmp/printed.txt"
diff "$tmp/printed.txt" "$tmp/imported.txt"
say "$(wc -l <"$tmp/imported.txt") jobs in the trace, to the second what sacct prints"

easy_allows() { # measures the log, the next time that of the jobs once more
	if [ -n "$measured" ]; then
		span="-S $(date +%FT%T) -E now+2days"
		settled() { [ "$(sacct -anPX $span -o End | grep -vc -e Unknown -e None)" -ge 120 ]; } # a job canceled before its time is among them
		jobs
		await 180 "the rows of sacct" settled
		sacct -aPD $span -o "$columns" >"$tmp/sacct.txt"
	fi
	measured=yes
	found=$(steps "$tmp/sacct.txt" 64 easy | awk '{ print $1 " of " $2; exit !($2 >= 120 && $1 >= 0.9 * $2) }')
}
measured=
attempts 3 "easy to allow 90 % of the starts within 2 s" easy_allows
say "easy allows $found starts within 2 s"
unset TZ
