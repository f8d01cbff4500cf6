#!/bin/sh
# QOS, limits and shares by revopt %s for scenario %s. Former values are kept in former.txt, beside
# this script, and undo.sh puts them back.
modify=%s # yes: QOS, accounts and users that exist are changed too
top=%d # the largest priority of these QOS; 0: they have none
cd "$(dirname "$0")" || exit 1
cluster=$(scontrol show config | sed -n 's/^ClusterName *= *//p')
if test -z "$cluster"; then
  echo "qos.sh: no answer of slurmctld: nothing is changed" >&2
  exit 1
fi
left=0 # steps left out
skip() {
  echo "qos.sh: $*" >&2
  left=$((left + 1))
}
refused() { skip "$1 does not get $2: sacctmgr refuses it, see above"; }
ask() { sacctmgr -nP show "$@" </dev/null; }
note() { # KIND NAME FIELD VALUE: what it was before the first run
  if ! test -f former.txt || ! cut -d '|' -f 1-3 former.txt | grep -Fqx "$1|$2|$3"; then
    printf '%%s|%%s|%%s|%%s\n' "$1" "$2" "$3" "$4" >>former.txt
  fi
}
qos() { # NAME FIELD=VALUE
  if test -z "$(ask qos where name="$1" format=name)"; then
    note qos "$1" new ''
    if ! sacctmgr -i add qos "$1" </dev/null; then
      grep -Fvx "qos|$1|new|" former.txt >former.new
      mv former.new former.txt
      skip "there is no QOS $1: sacctmgr refuses it, see above"
      return
    fi
  elif ! test -f former.txt || ! grep -Fqx "qos|$1|new|" former.txt; then
    if test "$modify" != yes; then
      skip "QOS $1 exists and stays without $2: revopt export slurm --modify-existing changes it"
      return
    fi
    note qos "$1" "${2%%%%=*}" "$(ask qos where name="$1" format="${2%%%%=*}")"
  fi
  sacctmgr -i modify qos where name="$1" set "$2" </dev/null || refused "QOS $1" "$2"
}
# Calls the rest with the account, partition and the given columns of every association of an account or user.
each() { # account|user NAME COLUMNS COMMAND...
  kind=$1 name=$2 columns=$3
  shift 3
  if test "$kind" = account; then
    rows=$(ask assoc where account="$name" user= cluster="$cluster" format="account,partition,$columns")
  else
    rows=$(ask assoc where user="$name" cluster="$cluster" format="account,partition,$columns")
  fi
  if test -z "$rows"; then
    skip "there is no $kind $name: nothing to do"
  elif test "$modify" != yes; then
    skip "$kind $name exists and stays as it is: revopt export slurm --modify-existing changes it"
  else
    while IFS='|' read -r account partition one two; do
      "$@"
    done <<ROWS
$rows
ROWS
  fi
}
assign() { # FIELD=VALUE, of an association of each
  if test "$kind" = account; then
    sacctmgr -i modify account where name="$name" cluster="$cluster" set "$1" </dev/null
  else
    sacctmgr -i modify user where name="$name" account="$account" ${partition:+partition="$partition"} cluster="$cluster" set "$1" </dev/null
  fi
}
share() { # account|user NAME FIELD=VALUE
  case $3 in
  Fairshare=*) each "$1" "$2" share set_share "$3" ;;
  Parent=*) each "$1" "$2" parentname set_share "$3" ;;
  MaxSubmitJobs=*) each "$1" "$2" maxsubmit set_share "$3" ;;
  *) each "$1" "$2" "${3%%%%=*}" set_share "$3" ;;
  esac
}
set_share() {
  note "$kind" "$name" "${1%%%%=*} $account $partition" "$one"
  assign "$1" || refused "$kind $name" "$1"
}
member() { # account|user NAME QOS [default]: its jobs may have the QOS, and have it where they ask for none
  each "$1" "$2" qos,defaultqos set_member "$3" "${4:-}"
}
set_member() {
  case ",$one," in
  *",$1,"*) ;;
  *)
    note "$kind" "$name" "+$1 $account $partition" ''
    assign "qos+=$1" || refused "$kind $name" "QOS $1"
    ;;
  esac
  if test "$2" = default; then
    note "$kind" "$name" "DefaultQOS $account $partition" "$two"
    assign "defaultqos=$1" || refused "$kind $name" "default QOS $1"
  fi
}
if test "$top" -gt 0; then
  over=$(ask qos format=name,priority | awk -F '|' -v top="$top" '$2 > top { printf " %%s (%%s)", $1, $2 }')
  if test -n "$over"; then
    echo "qos.sh: nothing is changed: QOS with a larger priority than $top:$over. Slurm divides priorities by the" \
      "largest of all, so these would hardly count: export with --qos, the output of sacctmgr show qos -P" >&2
    exit 1
  fi
fi
