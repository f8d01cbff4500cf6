#!/bin/sh
# Timer by revopt %s: it moves jobs that have waited for %s into the QOS %[3]s, which comes before all others. Run it every
# minute, as an operator of Slurm, by cron: * * * * * sh /PATH/overdue.sh
# overdue.sh --undo moves the jobs that still wait back into their former QOS, which overdue.txt has.
limit=%[4]d # s
qos=%[3]s
cd "$(dirname "$0")" || exit 1
if test "${1:-}" = --undo; then
  test -f overdue.txt || exit 0
  failed=0
  while IFS='|' read -r job former; do
    if test "$(squeue -h -j "$job" -t PD -o %%q 2>/dev/null </dev/null | head -n 1)" = "$qos"; then
      scontrol update JobId="$job" QOS="$former" </dev/null || failed=1
    fi
  done <overdue.txt
  if test "$failed" = 0; then
    rm overdue.txt
  else
    echo "overdue.sh: some jobs stay in $qos, see above; overdue.txt stays" >&2
  fi
  exit "$failed"
fi
now=$(date +%%s)
SLURM_TIME_FORMAT=%%s squeue -h -t PD -o '%%i|%%V|%%q|%%Q|%%r|%%E' | sed 's/%%[0-9]*\]|/]|/' |
  while IFS='|' read -r job submitted former priority reason dependency; do
    case $submitted in '' | 0* | *[!0-9]* | ????????????????*) continue ;; esac
    case $reason in JobHeld* | BeginTime | Dependency*) continue ;; esac
    case $dependency in '' | '(null)') ;; *) continue ;; esac
    if test "$former" != "$qos" && test "$priority" -gt 0 && test $((now - submitted)) -ge "$limit"; then
      if ! grep -Fqx -e "$job|$former" overdue.txt 2>/dev/null; then
        printf '%%s|%%s\n' "$job" "$former" >>overdue.txt
      fi
      scontrol update JobId="$job" QOS="$qos" </dev/null
    fi
  done
