#!/bin/sh
# Timer by revopt {{version}}: it moves jobs that have waited for {{wait}} into the QOS {{qos}}, which comes before all others. Run it every
# minute, as an operator of Slurm, by cron: * * * * * sh /PATH/overdue.sh
# overdue.sh --undo moves the jobs that still wait back into their former QOS, which overdue.txt has, and ends the timer;
# undo.sh does that too.
limit={{limit}} # s
qos={{qos}}
cd "$(dirname "$0")" || exit 1
holds() { # NUMBER: a job or array waits in the QOS
  squeue -h -a -j "$1" -t PD -o %q 2>/dev/null </dev/null | grep -Fqx -e "$qos"
}
if test "${1:-}" = --undo; then
  touch overdue.off
  test -f overdue.txt || exit 0
  failed=0
  while IFS='|' read -r job former; do
    if holds "$job"; then
      scontrol update JobId="$job" QOS="$former" </dev/null # it refuses running tasks of an array, which stay
      ! holds "$job" || failed=1
    fi
  done <overdue.txt
  if test "$failed" = 0; then
    rm overdue.txt
  else
    echo "overdue.sh: some jobs stay in $qos, see above; overdue.txt stays" >&2
  fi
  exit "$failed"
fi
test ! -f overdue.off || exit 0 # undone
now=$(date +%s)
SLURM_TIME_FORMAT=%s squeue -h -a -t PD -o '%F|%V|%q|%Q|%r|%E' |
  while IFS='|' read -r job submitted former priority reason dependency; do
    case $submitted in '' | 0* | *[!0-9]* | ????????????????*) continue ;; esac
    case $reason in JobHeld* | BeginTime | Dependency*) continue ;; esac
    case $dependency in '' | '(null)') ;; *) continue ;; esac
    if test "$former" != "$qos" && test "$priority" -gt 0 && test $((now - submitted)) -ge "$limit"; then
      if ! grep -Fqx -e "$job|$former" overdue.txt 2>/dev/null; then
        printf '%s|%s\n' "$job" "$former" >>overdue.txt
      fi
      scontrol update JobId="$job" QOS="$qos" </dev/null
    fi
  done
