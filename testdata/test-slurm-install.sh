# A part of test-slurm.sh: the export of hol:backfill=true, installed beside the weights of a site. Every start is
# compared with the simulation of the installed files, and after undo.sh accounts and QOS are what they were.

cluster=${cluster}hol
site "$cluster"
sed -e '/^PriorityWeight\(Age\|Fairshare\)/!b' -e 's/=.*/=100/' -e '/Fairshare/d' "$tmp/site/slurm.conf" >"$tmp/site/next.conf"
sed -e '/^PriorityWeight\(JobSize\|Partition\)/d' "$tmp/site/next.conf" >"$tmp/site/slurm.conf" # ages stay, whose order is hol's
sacctmgr -i add account bio cluster="$cluster" qos=standard defaultqos=standard >>"$tmp/sacctmgr.log"
sacctmgr -i add user games,mail account=bio cluster="$cluster" >>"$tmp/sacctmgr.log"
sacctmgr -i modify account where name=chem,phys cluster="$cluster" set defaultqos=standard >>"$tmp/sacctmgr.log"
scontrol reconfigure
cat >"$tmp/site/hol.yaml" <<SCENARIO
server: {nodes: 64}
load: 0.9
simulation: {jobs: 500, replications: 2}
classes:
  - {name: chem, share: 0.4, length: {dist: exponential, mean: 10}, width: 4, price: 10, decay: 0.5}
  - {name: phys, share: 0.4, length: {dist: exponential, mean: 10}, width: 4, price: 5, decay: 0.05}
  - {name: bio, share: 0.2, length: {dist: exponential, mean: 10}, width: 16, price: 5, decay: 0.01}
SCENARIO
dump() { # FILE
	sacctmgr dump "$cluster" file="$1" >/dev/null 2>&1
	sacctmgr -P show qos >>"$1"
	sacctmgr -P show assoc where cluster="$cluster" format=account,user,partition,share,priority,qos,defaultqos,parentname >>"$1"
}
dump "$tmp/site/before.txt"
sacctmgr -P show qos >"$tmp/site/qos.txt"
sacctmgr -P show assoc where cluster="$cluster" >"$tmp/site/assoc.txt"
"$revopt" export slurm "$tmp/site/hol.yaml" --policy hol:backfill=true --conf "$tmp/site/slurm.conf" --qos "$tmp/site/qos.txt" \
	-o "$tmp/site/careful" --quiet >>"$tmp/export.log"
if sh "$tmp/site/careful/qos.sh" >>"$tmp/qos.log" 2>"$tmp/site/left.txt" || ! grep -q 'account chem exists' "$tmp/site/left.txt"; then
	reason="because qos.sh did not refuse accounts that exist"
	exit 1
fi
test ! -e "$tmp/site/careful/former.txt" # nothing is changed
"$revopt" export slurm "$tmp/site/hol.yaml" --policy hol:backfill=true --conf "$tmp/site/slurm.conf" --qos "$tmp/site/qos.txt" \
	--assoc "$tmp/site/assoc.txt" --modify-existing -o "$tmp/site/hol" --quiet >>"$tmp/export.log"
cp "$tmp/site/slurm.conf" "$tmp/site/former.conf"
sed -n 's/^\([A-Za-z]*\)=.*/^\1=/p' "$tmp/site/hol/priorities.conf" >"$tmp/site/replaced.txt"
grep -v -f "$tmp/site/replaced.txt" "$tmp/site/former.conf" >"$tmp/site/slurm.conf"
cat "$tmp/site/hol/priorities.conf" >>"$tmp/site/slurm.conf"
sh "$tmp/site/hol/qos.sh" >>"$tmp/qos.log"
sh "$tmp/site/hol/qos.sh" >>"$tmp/qos.log" # again: former values stay
scontrol reconfigure
scontrol show config | grep -q 'bf_min_prio_reserve=4000000000'
say "hol:backfill=true is exported and installed: $(grep -v '^#' "$tmp/site/hol/priorities.conf" | grep -c .) lines"

# The customers by their accounts.
installed() {
	span="-S $(date +%FT%T) -E now+2days"
	awk -v state=33 -v jobs=80 'BEGIN {
		split("chem chem phys phys bio", account); split("daemon bin mail games games", user)
		for (i = 1; i <= jobs; i++) {
			gap = -0.55 * log(1 - draw()); who = 1 + int(5 * draw()); big = draw() < 0.6; kind = draw()
			width = kind < 0.12 ? (big ? 17 + int(16 * draw()) : 13 + int(12 * draw())) : kind < 0.4 ? 5 + int(8 * draw()) : 1 + int(4 * draw())
			print gap, account[who], user[who], big ? "big" : "small", width, 4 + int(12 * draw()), 1 + int(5 * draw())
		}
	}
	function draw() { state = state * 16807 % 2147483647; return state / 2147483647 }' |
		while read -r gap account user partition width seconds minutes; do
			sleep "$gap"
			submit -A "$account" --uid="$user" -p "$partition" -N "$width" -t "$minutes" --wrap "sleep $seconds" >/dev/null
		done
	await 300 "the end of the jobs" drained
	settled() { [ "$(sacct -anPX $span -o End | grep -vc -e Unknown -e None)" -eq 80 ]; }
	await 180 "the rows of sacct" settled
	sacct -aPDX $span -o "$columns,Priority,NodeList" >"$tmp/site/sacct.txt"
	sacctmgr -P show qos >"$tmp/site/qos.txt"
	sacctmgr -P show assoc where cluster="$cluster" >"$tmp/site/assoc.txt"
	[ -z "$keep" ] || cp -r "$tmp/site" "$keep.hol"
	compare 80 0.95 "$tmp/site/hol/priorities.conf"
}
attempts 2 "hol:backfill=true to allow 95 % of the starts and easy fewer" installed
say "hol:backfill=true as installed allows $found"
sh "$tmp/site/hol/undo.sh" >"$tmp/site/undo.log"

cp "$tmp/site/former.conf" "$tmp/site/slurm.conf"
scontrol reconfigure
dump "$tmp/site/after.txt"
diff "$tmp/site/before.txt" "$tmp/site/after.txt"
say "undo.sh leaves accounts, users and QOS as they were"
