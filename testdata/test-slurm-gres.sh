# A part of test-slurm.sh: jobs with GPUs and memory in the partition gpu, beside those of
# test-slurm-log.sh. The units of all jobs in the trace are recomputed from what sacct
# prints.

started=$(date +%s)
submit -p gpu -A bio -t 1 -N 2 -c 16 --gres=gpu:4 --mem=60G --wrap 'sleep 2' >/dev/null
submit -p gpu -A bio -t 1 -c 2 --gres=gpu:3 --mem=9G --wrap 'sleep 1' >/dev/null
submit -p gpu -A bio -t 1 -c 3 --gpus=2 --mem-per-cpu=1500M --wrap 'sleep 1' >/dev/null
submit -p gpu -A chem -t 1 --mem=33000M --wrap 'sleep 1' >/dev/null
submit -p gpu -A chem -t 1 -n 5 --mem=0 --wrap 'sleep 1' >/dev/null
submit -p gpu -A phys -t 1 -N 2 --gres=gpu:1 --mem=500M --wrap 'sleep 1' >/dev/null
scancel "$(submit -p gpu -A phys -t 1 -N 2 --gres=gpu:4 --mem=1G --begin=now+1hour --wrap true)"
await 120 "the end of the jobs with GPUs" drained
export TZ=UTC
settled() { [ "$(sacct -anPX -r gpu $span -o End | grep -vc -e Unknown -e None)" -eq 7 ] && steady; }
await 180 "the rows of the jobs with GPUs" settled
sacct -aPD $span -o "$columns" >"$tmp/gres.txt"

# The units of a kind that a list of resources has, at least 1.
cat >"$tmp/units.awk" <<'AWK'
function amount(list, name, value) {
	if (!match("," list, "," name "=[^,]*")) return 0
	value = substr("," list, RSTART + length(name) + 2, RLENGTH - length(name) - 2)
	return value * (value ~ /T$/ ? 2 ^ 40 : value ~ /G$/ ? 2 ^ 30 : value ~ /M$/ ? 2 ^ 20 : value ~ /K$/ ? 2 ^ 10 : 1)
}
function units(list, x) {
	if (list == "") return -1
	x = amount(list, kind == "gpu" ? "gres/gpu" : kind)
	return x <= 1 ? 1 : x == int(x) ? x : int(x) + 1
}
{ print $1, units($3), units($2) }
AWK
for kind in gpu billing; do
	"$revopt" trace import "$tmp/gres.txt" --units "$kind" -o "$tmp/$kind.swf" --quiet >/dev/null
	awk '!/^;/ { print $1, $5, $8 }' "$tmp/$kind.swf" | sort >"$tmp/imported.txt"
	sacct -anPX $span -o JobIDRaw,ReqTRES,AllocTRES | awk -F '|' -v kind="$kind" -f "$tmp/units.awk" | sort >"$tmp/printed.txt"
	diff "$tmp/printed.txt" "$tmp/imported.txt"
	say "--units $kind: $(awk '{ sum += $2 > 0 ? $2 : 0 } END { print sum }' "$tmp/imported.txt") units of $(wc -l <"$tmp/imported.txt") jobs, recomputed from sacct"
done

# Of the partition gpu, most jobs hold GPUs: at most all eight were in use.
"$revopt" init "$tmp/gres.txt" --pools partition -o "$tmp/pools.yaml" --quiet >/dev/null
grep '{name: "gpu", units: 8, unit: gpu, of: {partition: \["gpu"\]}}' "$tmp/pools.yaml"
"$revopt" simulate "$tmp/pools.yaml" --policy easy --quiet >/dev/null
unset TZ
