#!/bin/sh
# Puts back what qos.sh by revopt {{version}} has changed, as former.txt has it: first accounts, users and QOS of the
# site, the last change first. Then waiting jobs go from the QOS that qos.sh has made to those that their accounts and
# users now give them, and each of these QOS that no job holds is deleted. One that running jobs hold stays, with
# priority 0: run undo.sh again when they have ended. Running it twice is harmless.
cd "$(dirname "$0")" || exit 1
unset SQUEUE_ACCOUNT SQUEUE_ARRAY SQUEUE_FORMAT SQUEUE_FORMAT2 SQUEUE_LICENSES SQUEUE_NAMES SQUEUE_PARTITION SQUEUE_QOS \
  SQUEUE_STATES SQUEUE_USERS SLURM_CLUSTERS
say() { echo "undo.sh: $*" >&2; }
stop() {
  say "$*"
  exit 1
}
cluster=$(scontrol show config </dev/null | sed -n 's/^ClusterName *= *//p')
test -n "$cluster" || stop "no answer of slurmctld: nothing is changed"
ask() { sacctmgr -nP show "$@" </dev/null; }
silent() { stop "no answer of sacctmgr: no QOS is deleted; run undo.sh again"; }
has() { # LIST NAME: the list has the name, between commas
  case ",$1," in *",$2,"*) return 0 ;; esac
  return 1
}
set_to() { # FIELD VALUE: as sacctmgr reads it; -1 is none
  case $1:$2 in
  *TRES*:*"{{tres}}="*) echo "$1=$2" ;;
  *TRES*:) echo "$1={{tres}}=-1" ;;
  *TRES*:*) echo "$1={{tres}}=-1,$2" ;;
  Preempt:) echo "Preempt=" ;;
  GraceTime:*) echo "$2" | awk -F '[-:]' '{ s = $NF + 60 * $(NF - 1) + 3600 * $(NF - 2)
    print "GraceTime=" s + (NF > 3 ? 86400 * $1 : 0) }' ;;
  *:) echo "$1=-1" ;;
  *) echo "$1=$2" ;;
  esac
}
gone() { # LINE COLUMNS...: the list of all has no such line; an empty list is no answer
  line=$1
  shift
  all=$(ask "$@") || silent
  test -n "$all" && ! echo "$all" | grep -Fqxi -e "$line" || silent
}
put_back() { # KIND NAME FIELD VALUE
  if test "$1" = qos; then
    known=$(ask qos where name="$2" format=name) || silent
    if test -z "$known"; then
      gone "$2" qos format=name
      return
    fi
    sacctmgr -i modify qos where name="$2" set "$(set_to "$3" "$4")" || return 1
    test "$3" != Priority || test "$(ask qos where name="$2" format=Priority)" = "$4" || {
      say "QOS $2 does not get Priority=$4: sacctmgr has not changed it"
      return 1
    }
    return
  fi
  field=${3%% *} account=${3#* }
  partition=${account#* } account=${account%% *}
  if test "$1" = account; then
    line="$2||"
    set -- "$1" "$2" "$4" account="$2" user= cluster="$cluster"
  else
    line="$account|$2|$partition"
    set -- "$1" "$2" "$4" user="$2" account="$account" ${partition:+partition="$partition"} cluster="$cluster"
  fi
  kind=$1 name=$2 value=$3
  shift 3
  known=$(ask assoc where "$@" format=account,qos) || silent
  if test -z "$known"; then
    gone "$line" assoc where cluster="$cluster" format=account,user,partition
    return
  fi
  case $field in
  +*)
    set="qos-=${field#+}"
    has "$(echo "$known" | head -n 1 | cut -d '|' -f 2)" "${field#+}" || return 0
    ;;
  *) set=$(set_to "$field" "$value") ;;
  esac
  if test "$kind" = account; then
    sacctmgr -i modify account where name="$name" cluster="$cluster" set "$set"
  else
    sacctmgr -i modify user where name="$name" account="$account" ${partition:+partition="$partition"} cluster="$cluster" set "$set"
  fi || return 1
  is_back "$field" "$value" "$@" || {
    say "$kind $name does not get $set: sacctmgr has not changed it"
    return 1
  }
}
is_back() { # FIELD VALUE WHERE...: the association has it; sacctmgr exits 0 also where it changes nothing
  field=$1 value=$2
  shift 2
  case $field in
  +*) now=$(ask assoc wopl where "$@" format=qos) && ! has "$(echo "$now" | head -n 1)" "${field#+}" ;;
  Priority | DefaultQOS) now=$(ask assoc wopl where "$@" format="$field") && test "$(echo "$now" | head -n 1)" = "$value" ;;
  esac
}
whole() { # drops a last line of former.txt that a full disk has torn: its change was not made
  test -s former.txt && test -n "$(tail -c 1 former.txt)" || return 0
  sed '$d' former.txt >former.new && mv former.new former.txt || stop "former.txt cannot be written"
}
whole
made() { awk -F '|' '$1 == "qos" && $3 == "new"' former.txt; }
restore() { # everything but new QOS; on a full disk former.txt stays as it is, and all is put back again later
  rows=$(sed -n '1!G;h;$p' former.txt | awk -F '|' '$1 != "qos" || $3 != "new"')
  read=0 failed=0 left=
  while IFS='|' read -r kind_of name_of what value_of; do
    read=$((read + 1))
    if test -n "$kind_of" && ! put_back "$kind_of" "$name_of" "$what" "$value_of" </dev/null; then
      failed=$((failed + 1))
      left="$kind_of|$name_of|$what|$value_of
$left"
    fi
  done <<ROWS
$rows
ROWS
  test "$read" = "$(printf '%s\n' "$rows" | wc -l)" || stop "former.txt cannot be read: run undo.sh again"
  { made && printf '%s' "$left"; } >former.new
  test "$(wc -l <former.new)" = $(($(made | wc -l) + failed)) && mv former.new former.txt ||
    stop "former.txt cannot be written, and no QOS is deleted: make room on the disk and run undo.sh again"
  test "$failed" = 0 ||
    stop "$failed values are not put back, see above, and no QOS is deleted; former.txt has them: run undo.sh again"
}

# Prints array or job number, job number, state and QOS of every job. An answer without a header is none.
queue() {
  rows=$(SLURM_BITSTR_LEN=0 squeue -a -t all -o '%F|%A|%T|%q' </dev/null) || return 1
  case $rows in *'|STATE|QOS'*) ;; *) return 1 ;; esac
  echo "$rows" | awk -F '|' 'NR > 1 && $3 !~ /^(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|DEADLINE|OUT_OF_MEMORY|REVOKED)$/'
}
# Prints the jobs of the queue that hold a QOS, those that wait or those that do not.
holders() { # QUEUE QOS waiting|running
  echo "$1" | awk -F '|' -v qos="$2" -v what="$3" '$4 == qos {
    waits = $3 ~ /^(PENDING|REQUEUED|REQUEUE_HOLD|REQUEUE_FED|RESV_DEL_HOLD|SPECIAL_EXIT)$/
    number = what == "waiting" ? $1 : $2
    if (waits == (what == "waiting") && !seen[number]++) print number }'
}
# Reports whether slurmctld itself knows a job of a QOS that has not ended: a second witness before QOS are deleted.
held() { # QOS
  jobs=$(scontrol show job </dev/null) || stop "no answer of slurmctld: no more QOS is deleted; run undo.sh again"
  case $jobs in JobId=* | *'No jobs in the system'*) ;; *) stop "no answer of slurmctld: no more QOS is deleted; run undo.sh again" ;; esac
  echo "$jobs" | awk -v qos="QOS=$1" '
    /^ *Priority=/ { its = ""; for (i = 1; i <= NF; i++) if ($i ~ /^QOS=/) its = $i }
    /^ *JobState=/ && its == qos && $1 !~ /=(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL|PREEMPTED|BOOT_FAIL|DEADLINE|OUT_OF_MEMORY|REVOKED)$/ { n = 1 }
    END { exit !n }'
}
# Gives waiting jobs the QOS of their associations.
move() { # NUMBER...
  for job; do
    scontrol update JobId="$job" QOS= </dev/null # it refuses running tasks of an array, which stay
  done
}
unread() { stop "no answer of squeue: no QOS is deleted; run undo.sh again"; }
move_all() {
  for try in 1 2 3; do
    now=$(queue) || unread
    stuck=
    for name in $(echo "$names" | tr , ' '); do
      waiting=$(holders "$now" "$name" waiting)
      test -z "$waiting" || stuck="$stuck $(echo $waiting)"
      test "$try" = 3 || test -z "$waiting" || move $waiting
    done
    test -n "$stuck" || return 0
    test "$try" != 2 || sleep 2
  done
  stop "these waiting jobs could not be moved:$stuck. No QOS is deleted; run undo.sh again"
}
remove() { # QOS: deletes it if no job holds it
  now=$(queue) || unread
  jobs=$(holders "$now" "$1" waiting; holders "$now" "$1" running)
  if test -n "$jobs" || held "$1"; then
    sacctmgr -i modify qos where name="$1" set priority=0 </dev/null
    say "QOS $1 stays, with priority 0, as jobs hold it: $(echo ${jobs:-unknown}). Run undo.sh again when they have ended"
    stays=$((stays + 1))
    return
  fi
  if ! sacctmgr -i delete qos where name="$1" </dev/null || test -n "$(ask qos where name="$1" format=name)"; then
    say "QOS $1 stays: sacctmgr does not delete it, see above. Run undo.sh again"
    stays=$((stays + 1))
    return
  fi
  awk -F '|' -v name="$1" '$1 != "qos" || $2 != name || $3 != "new"' former.txt >former.new && mv former.new former.txt
}
stays=0
if test -f former.txt; then
  restore
  every=$(ask qos format=name) || silent
  test -n "$every" || silent
  names=$(made | cut -d '|' -f 2 | grep -Fx -e "$every" | paste -sd , -)
  if test -n "$names"; then
    move_all
    for name in $(echo "$names" | tr , ' '); do
      remove "$name"
    done
  fi
  test "$stays" != 0 || mv former.txt former.done
else
  say "no former.txt: there is nothing to put back"
fi
cat <<'LINES'
{{last}}
LINES
test "$stays" = 0
