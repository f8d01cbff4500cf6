#!/bin/sh
# Watchdog by revopt %s: undoes what steer has changed if the last pass in its journal is too old, and stops a steer
# that hangs. Once, or with --loop every minute for sites without systemd. Settings are in steer.env beside it.
set -u
cd "$(dirname "$0")" || exit 1
set -a # the programs of Slurm and revopt see the settings too, such as SLURM_CONF
. ./steer.env
set +a
watch() {
  test -s "$JOURNAL" || return 0
  now=$(date +%%s)
  last=$(tail -c 20000000 "$JOURNAL" | sed -n 's/^{"kind":"pass","time":\([0-9]*\).*/\1/p' | tail -n 1)
  first=$(sed -n '1s/^{"kind":"[a-z]*","time":\([0-9]*\).*/\1/p' "$JOURNAL")
  last=${last:-${first:-0}}
  test $((now - last)) -gt "$OLD" || return 0
  # A steer that has the journal and makes no pass hangs. Its number is in the last record of a start, or in the first
  # record of a journal that was begun anew.
  if ! flock -n "$JOURNAL" true; then
    process=$(sed -nE 's/^\{"kind":"(start|taken)".*"process":([0-9]+).*/\2/p' "$JOURNAL" | tail -n 1)
    begun=$(sed -nE 's/^\{"kind":"(start|taken)","time":([0-9]+).*/\2/p' "$JOURNAL" | tail -n 1)
    test $((now - ${begun:-0})) -gt "$OLD" || return 0 # it has just started
    if tr '\0' ' ' <"/proc/${process:-none}/cmdline" 2>/dev/null | grep -q ' steer '; then
      echo "watchdog.sh: the last pass is $((now - last)) s old: process $process is stopped" >&2
      kill "$process"
      for i in 1 2 3 4 5 6 7 8 9 10; do
        flock -n "$JOURNAL" true && break
        sleep 1
      done
      flock -n "$JOURNAL" true || kill -KILL "$process"
    fi
  fi
  echo "watchdog.sh: the last pass is $((now - last)) s old: undo" >&2
  "$REVOPT" steer --undo --journal "$JOURNAL"
}
if test "${1:-}" = --loop; then
  while :; do
    watch
    sleep 60
  done
fi
watch
