#!/bin/sh
# Puts back what qos.sh by revopt %s has changed, as former.txt has it. The last change is the first.
cd "$(dirname "$0")" || exit 1
cluster=$(scontrol show config | sed -n 's/^ClusterName *= *//p')
if test -z "$cluster"; then
  echo "undo.sh: no answer of slurmctld: nothing is changed" >&2
  exit 1
fi
failed=0
set_to() { # FIELD VALUE: as sacctmgr reads it; -1 is none
  case $1:$2 in
  *TRES*:) echo "$1=%s=-1" ;;
  Preempt:) echo "Preempt=" ;;
  GraceTime:*) echo "$2" | awk -F '[-:]' '{ s = $NF + 60 * $(NF - 1) + 3600 * $(NF - 2)
    print "GraceTime=" s + (NF > 3 ? 86400 * $1 : 0) }' ;;
  *:) echo "$1=-1" ;;
  *) echo "$1=$2" ;;
  esac
}
put_back() { # KIND NAME FIELD VALUE
  case $1:$3 in
  qos:new) sacctmgr -i delete qos where name="$2" ;;
  qos:*) sacctmgr -i modify qos where name="$2" set "$(set_to "$3" "$4")" ;;
  *) association "$@" ;;
  esac
}
association() { # KIND NAME 'FIELD ACCOUNT PARTITION' VALUE
  field=${3%%%% *} account=${3#* }
  partition=${account#* } account=${account%%%% *}
  case $field in
  +*) set="qos-=${field#+}" ;;
  *) set=$(set_to "$field" "$4") ;;
  esac
  if test "$1" = account; then
    sacctmgr -i modify account where name="$2" cluster="$cluster" set "$set"
  else
    sacctmgr -i modify user where name="$2" account="$account" ${partition:+partition="$partition"} cluster="$cluster" set "$set"
  fi
}
if test -f former.txt; then
  sed -n '1!G;h;$p' former.txt >former.undo
  : >former.left
  while IFS='|' read -r kind name what value; do
    if ! put_back "$kind" "$name" "$what" "$value" </dev/null; then
      printf '%%s|%%s|%%s|%%s\n' "$kind" "$name" "$what" "$value" >>former.left
      failed=1
    fi
  done <former.undo
  if test "$failed" = 0; then
    mv former.txt former.done
  else
    sed -n '1!G;h;$p' former.left >former.txt
    echo "undo.sh: some commands failed, see above; former.txt has what is left" >&2
  fi
  rm former.undo former.left
else
  echo "undo.sh: no former.txt: qos.sh has changed nothing" >&2
fi
cat <<'LINES'
%s
LINES
exit "$failed"
