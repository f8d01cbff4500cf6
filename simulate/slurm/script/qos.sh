#!/bin/sh
# QOS, priorities, limits and shares by revopt {{version}} for scenario {{scenario}}. It looks at
# everything before the first change, and changes nothing if a step could not be done. Former values are kept in
# former.txt, beside this script, before each change; undo.sh puts them back.
modify={{modify}} # yes: QOS, accounts and users that exist are changed too
top={{top}} # the largest priority of these QOS; 0: they have none
most={{most}} # the largest priority of these accounts and users; 0: they have none
cd "$(dirname "$0")" || exit 1
acting=no
stop() {
  echo "qos.sh: $*" >&2
  if test "$acting" = yes; then
    echo "qos.sh: some steps are done: mend the cause and run qos.sh again, or take them back with sh undo.sh" >&2
  else
    echo "qos.sh: nothing is changed" >&2
  fi
  exit 1
}
cluster=$(scontrol show config </dev/null | sed -n 's/^ClusterName *= *//p')
test -n "$cluster" || stop "no answer of slurmctld"
problems=0
problem() {
  echo "qos.sh: $*" >&2
  problems=$((problems + 1))
}
ask() { sacctmgr -nP show "$@" </dev/null; }
silent() { stop "no answer of sacctmgr"; }
has() { # LIST NAME: the list has the name, between commas
  case ",$1," in *",$2,"*) return 0 ;; esac
  return 1
}
noted() { # KIND NAME FIELD
  test -f former.txt && cut -d '|' -f 1-3 former.txt | grep -Fqx "$1|$2|$3"
}
note() { # KIND NAME FIELD VALUE: what it was before the first run
  noted "$1" "$2" "$3" || add_line "$1|$2|$3|$4" || stop "former.txt cannot be written"
}
add_line() { # LINE: all of it is in former.txt, or nothing
  touch former.txt && cat former.txt >former.new && printf '%s\n' "$1" >>former.new && mv former.new former.txt
}
whole() { # drops a last line of former.txt that a full disk has torn: its change was not made
  test -s former.txt && test -n "$(tail -c 1 former.txt)" || return 0
  sed '$d' former.txt >former.new && mv former.new former.txt || stop "former.txt cannot be written"
}
whole

# The first pass, over all steps, finds what is in the way, and the QOS that each new one replaces. The second one acts.
listed() { # prints the names of all QOS, between commas; every cluster has one
  all=$(ask qos format=name) && test -n "$all" && echo "$all" | paste -sd , -
}
every=$(listed) || silent
fresh= # new QOS, one in a line
old=   # lines NEW|OLD|OF: the QOS that NEW replaces, and whose default it is
ranked= # accounts and users that get priorities, lines KIND|NAME
lost=  # accounts and users that the cluster does not have, lines KIND|NAME
found=0 missing=0
qos() { # NAME FIELD=VALUE
  if test "$acting" = no; then
    plan_qos "$1" "$2"
  else
    noted qos "$1" new || keep "$1" "${2%%=*}"
    sacctmgr -i modify qos where name="$1" set "$2" </dev/null || stop "QOS $1 does not get $2: see above"
  fi
}
keep() { # NAME FIELD: notes what a QOS of the site has; a value may be empty, a row may not
  row=$(ask qos where name="$1" format="name,$2") || silent
  case $row in *"|"*) note qos "$1" "$2" "${row#*|}" ;; *) silent ;; esac
}
plan_qos() {
  if noted qos "$1" new || ! has "$every" "$1"; then
    echo "$fresh" | grep -Fqx -e "$1" || fresh="$fresh
$1"
  elif test "$modify" != yes; then
    problem "QOS $1 exists, and $2 would change it: revopt export slurm --modify-existing allows that"
  fi
}
# Calls the rest for every association of an account or user: $account, $partition, and in $one and $two the columns.
each() { # account|user NAME COLUMNS COMMAND...
  kind=$1 name=$2
  if test "$1" = account; then
    rows=$(ask assoc wopl where account="$2" user= cluster="$cluster" format="account,partition,$3") || silent
  else
    rows=$(ask assoc wopl where user="$2" cluster="$cluster" format="account,partition,$3") || silent
  fi
  shift 3
  if test -z "$rows"; then
    if test "$acting" = yes; then
      echo "$lost" | grep -Fqx -e "$kind|$name" || silent # it was there before
      return
    fi
    echo "qos.sh: there is no $kind $name on cluster $cluster: it is left out" >&2
    lost="$lost
$kind|$name"
    missing=$((missing + 1))
    return
  fi
  found=$((found + 1))
  if test "$acting" = no && test "$modify" != yes; then
    problem "$kind $name exists and would be changed: revopt export slurm --modify-existing allows that"
  fi
  while IFS='|' read -r account partition one two; do
    "$@"
  done <<ROWS
$rows
ROWS
}
change() { # account|user NAME ACCOUNT PARTITION FIELD=VALUE
  if test "$1" = account; then
    sacctmgr -i modify account where name="$2" cluster="$cluster" set "$5" </dev/null
  else
    sacctmgr -i modify user where name="$2" account="$3" ${4:+partition="$4"} cluster="$cluster" set "$5" </dev/null
  fi || stop "$1 $2 does not get $5: see above"
}
share() { # account|user NAME Priority=VALUE
  ranked="$ranked
$1|$2"
  each "$1" "$2" priority set_share "$3"
}
set_share() {
  test "$acting" = yes || return 0
  note "$kind" "$name" "${1%%=*} $account $partition" "$one"
  change "$kind" "$name" "$account" "$partition" "$1"
}
# Its jobs may have the QOS, and have it where they ask for none; those of a user in these accounts, or in all but these.
member() { # account|user NAME QOS [default|'' [in|but ACCOUNTS]]
  each "$1" "$2" qos,defaultqos set_member "$3" "${4:-}" "${5:-}" "${6:-}"
}
set_member() {
  case $3 in
  in) has "$4" "$account" || return 0 ;;
  but) ! has "$4" "$account" || return 0 ;;
  esac
  if test "$acting" = no; then
    former=$(effective "$kind" "$name" "$account" "$partition") || silent
    test "$former" = "$1" || old="$old
$1|$former|$kind $name"
    return
  fi
  allow "$1"
  if test "$2" = default; then
    note "$kind" "$name" "DefaultQOS $account $partition" "$two"
    change "$kind" "$name" "$account" "$partition" "defaultqos=$1"
    now=$(effective "$kind" "$name" "$account" "$partition") || silent
    test "$now" = "$1" || stop "$kind $name does not get the default QOS $1: see above" # sacctmgr exits 0 then
  fi
}
association() { # account|user NAME ACCOUNT PARTITION COLUMNS: with what it inherits
  if test "$1" = account; then
    ask assoc where account="$2" user= cluster="$cluster" format="$5"
  else
    ask assoc where user="$2" account="$3" ${4:+partition="$4"} cluster="$cluster" format="$5"
  fi
}
# Prints the QOS of a job that asks for none: the default of its association, the only one allowed, that of the cluster.
effective() { # account|user NAME ACCOUNT PARTITION
  row=$(association "$1" "$2" "$3" "$4" defaultqos,qos) && test -n "$row" || return 1
  row=$(echo "$row" | head -n 1)
  list=${row#*|}
  if test -n "${row%%|*}"; then
    echo "${row%%|*}"
  elif test -n "$list" && test "${list%,*}" = "$list"; then
    echo "$list"
  else
    usual
  fi
}
usual() { # prints the default QOS of the cluster
  row=$(ask assoc where account=root user= cluster="$cluster" format=account,defaultqos) && test -n "$row" || return 1
  row=${row#*|}
  echo "${row:-normal}"
}
# Allows a QOS to an association and, as sacctmgr refuses a default QOS that users of the account may not have, to those
# below it with lists of their own.
allow() { # QOS
  if test "$kind" = account; then
    list=$(ask assoc withsub where account="$name" cluster="$cluster" format=account,user,partition,qos) || silent
  else
    list=$(association user "$name" "$account" "$partition" account,user,partition,qos) || silent
  fi
  while IFS='|' read -r in who where may; do
    has "$may" "$1" || allow_one "$1"
  done <<LIST
$list
LIST
}
allow_one() { # QOS; the association is $in, $who and $where
  if test -z "$who"; then
    set -- account "$in" "$1"
    own=$(ask assoc wopl where account="$in" user= cluster="$cluster" format=qos) || silent
  else
    set -- user "$who" "$1"
    own=$(ask assoc wopl where user="$who" account="$in" ${where:+partition="$where"} cluster="$cluster" format=qos) ||
      silent
    # The account above may have given it already.
    may=$(association user "$who" "$in" "$where" qos) || silent
    ! has "$(echo "$may" | head -n 1)" "$3" || return 0
  fi
  note "$1" "$2" "+$3 $in $where" "$(echo "$own" | head -n 1)"
  change "$1" "$2" "$in" "$where" "qos+=$3"
}

# A new QOS is a copy of the one that it replaces: limits, preemption, flags and all other columns.
seconds() { echo "$1" | awk -F '[-:]' '{ print $NF + 60 * $(NF - 1) + 3600 * $(NF - 2) + (NF > 3 ? 86400 * $1 : 0) }'; }
columns() { # prints the columns of a QOS that this sacctmgr has, between commas
  head=$(sacctmgr -P show qos where name="$1" </dev/null) || return 1
  head=$(echo "$head" | head -n 1 | tr '|' '\n' | grep -vx Name | paste -sd , -)
  for more in LimitFactor GrpJobsAccrue MaxJobsAccruePU MaxJobsAccruePA MaxTRESRunMinsPU MaxTRESRunMinsPA MinPrio; do
    if ask qos where name="$1" format="$more" >/dev/null 2>&1; then
      has "$head" "$more" || head=$head,$more
    fi
  done
  echo "$head"
}
row_of() { ask qos where name="$1" format="$2"; }
copy() { # NEW OLD: makes NEW, if it is not there
  now=$(listed) || silent
  ! has "$now" "$1" || return 0
  if test -z "$2"; then # the cluster has no default QOS
    note qos "$1" new ''
    sacctmgr -i add qos "$1" </dev/null || stop "sacctmgr does not make QOS $1: see above"
    return
  fi
  fields=$(columns "$2") || silent
  values=$(row_of "$2" "$fields") || silent
  new=$1 model=$2
  set --
  while IFS='|' read -r field value; do
    case $field in
    GraceTime) value=$(seconds "$value") ;;
    MaxSubmitPU) field=MaxSubmitJobsPerUser ;;
    MaxSubmitPA) field=MaxSubmitJobsPerAccount ;;
    esac
    test -z "$value" || set -- "$@" "$field=$value"
  done <<FIELDS
$(echo "$fields" | tr , '\n' | awk -v row="$values" 'BEGIN { n = split(row, value, "|") } { print $1 "|" value[NR] }')
FIELDS
  note qos "$new" new "$model"
  if ! sacctmgr -i add qos "$new" set "$@" </dev/null || test "$(row_of "$new" "$fields")" != "$values"; then
    sacctmgr -i delete qos where name="$new" </dev/null
    now=$(listed) || silent
    has "$now" "$new" || forget "qos|$new|new|"
    stop "sacctmgr does not make QOS $new like $model: see above"
  fi
}
forget() { # BEGINNING of a line of former.txt
  awk -v line="$1" 'index($0, line) != 1' former.txt >former.new && mv former.new former.txt
}
# Adds a new QOS to the lists of those that may preempt the old one. It leaves them when it is deleted.
preempt() { # NEW OLD
  test -n "$2" || return 0
  lists=$(ask qos format=name,preempt) || silent
  while IFS='|' read -r who list; do
    if ! has "$list" "$2" || has "$list" "$1" || test "$who" = "$1"; then
      continue
    elif test "$acting" = no; then
      test "$modify" = yes ||
        problem "QOS $who may preempt $2, and would get the right to preempt $1: revopt export slurm --modify-existing allows that"
    else
      sacctmgr -i modify qos where name="$who" set "preempt+=$1" </dev/null || stop "QOS $who cannot preempt $1: see above"
    fi
  done <<LISTS
$lists
LISTS
}
models() { # prints a line NEW|OLD for each new QOS, or says which accounts and users contradict each other
  for new in $fresh; do
    if noted qos "$new" new; then
      model=$(awk -F '|' -v new="$new" '$1 == "qos" && $2 == new && $3 == "new" { print $4 }' former.txt)
    else
      model=$(echo "$old" | awk -F '|' -v new="$new" '$1 == new && !seen[$2]++ { print $2 }')
      if test -z "$model"; then
        model=$(usual) || return 1
        has "$every" "$model" || model=
      fi
    fi
    if test "$(echo "$model" | wc -l)" -gt 1; then
      echo "$old" | awk -F '|' -v new="$new" '$1 == new { print "qos.sh: QOS " new " would replace " $2 ", the default of " $3 }' >&2
      return 2
    fi
    echo "$new|$model"
  done
}
# Limits of all jobs of a QOS, or of a user or account in it, count in each new QOS apart.
counted() { # OLD
  limits=$(ask qos where name="$1" format=GrpTRES,GrpTRESMins,GrpTRESRunMins,GrpJobs,GrpSubmit,GrpWall,MaxTRESPU,MaxJobsPU,MaxTRESPA,MaxJobsPA |
    awk -F '|' '{ split("GrpTRES GrpTRESMins GrpTRESRunMins GrpJobs GrpSubmit GrpWall MaxTRESPU MaxJobsPU MaxTRESPA MaxJobsPA", name, " ")
      for (i = 1; i <= NF; i++) if ($i != "") printf " %s=%s", name[i], $i }')
  apart=$(echo "$pairs" | awk -F '|' -v old="$1" '$2 == old { printf " %s", $1 }')
  if test -n "$limits"; then
    echo "qos.sh: these limits of QOS $1 count in each of its copies apart, in all $(echo "$1$apart" | wc -w) times:$limits" \
      "(copies:$apart)" >&2
  fi
}
# SchedulerParameters is one line of slurm.conf: what the cluster has, and priorities.conf does not speak of, joins it.
keep_parameters() {
  test -f priorities.conf && grep -q '^SchedulerParameters=' priorities.conf || return 0
  spoken=$(sed -n '/SchedulerParameters/p' priorities.conf | tr '=, ' '\n\n\n' | paste -sd , -)
  kept=
  for item in $(scontrol show config </dev/null | sed -n 's/^SchedulerParameters *= *//p' | tr , ' '); do
    test "$item" = '(null)' || has "$spoken" "${item%%=*}" || kept=$kept,$item
  done
  test -n "$kept" || return 0
  sed "s|^SchedulerParameters=.*|&$kept|" priorities.conf >priorities.new && mv priorities.new priorities.conf ||
    stop "priorities.conf cannot be written"
  echo "qos.sh: SchedulerParameters in priorities.conf keeps ${kept#,} of this cluster" >&2
}
each_pair() { # COMMAND: calls it with each new QOS and the one that it replaces
  for pair in $pairs; do
    "$1" "${pair%%|*}" "${pair#*|}"
  done
}
steps() {
  :
{{steps}}
}
steps
if test "$found" = 0 && test "$missing" -gt 0; then
  problem "cluster $cluster has none of these accounts and users"
fi
pairs=$(models)
case $? in
1) silent ;;
2) problem "one QOS cannot replace several: give these accounts and users customers of their own, or one default QOS" ;;
esac
each_pair preempt
if test "$top" -gt 0; then
  over=$(ask qos format=name,priority) || silent
  over=$(echo "$over" | awk -F '|' -v top="$top" '$2 > top { printf " %s (%s)", $1, $2 }')
  test -z "$over" || problem "QOS with a larger priority than $top:$over. Slurm divides priorities by the largest of all," \
    "so these would hardly count: export with --qos, the output of sacctmgr show qos -P"
fi
if test "$most" -gt 0; then
  over=$(ask assoc wopl where cluster="$cluster" format=account,user,priority) || silent
  over=$(printf '%s\n\n%s\n' "$ranked" "$over" | awk -F '|' -v most="$most" '
    NF == 2 { own[$0] = 1 }
    NF == 3 && $3 + 0 > most + 0 && !(($2 == "" ? "account|" $1 : "user|" $2) in own) {
      printf " %s (%s)", $2 == "" ? "account " $1 : "user " $2 " of " $1, $3
    }')
  test -z "$over" || problem "larger priority than $most:$over. Slurm divides priorities of accounts and users by the" \
    "largest of all, so these would hardly count: export with --assoc, the output of sacctmgr show assoc -P"
fi
test "$problems" = 0 || stop "$problems steps cannot be done, see above"
acting=yes
keep_parameters
each_pair copy
each_pair preempt
for model in $(echo "$pairs" | cut -d '|' -f 2 | sort -u); do
  counted "$model"
done
steps
echo "qos.sh: done; sh undo.sh takes it back"
