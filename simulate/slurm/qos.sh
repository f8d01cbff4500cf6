#!/bin/sh
# QOS, limits and shares by revopt %s for scenario %s. README.md says how to undo them.
modify=%s # yes: QOS that exist are changed too
made=
qos() { # NAME FIELD=VALUE ...
  name=$1
  shift
  case " $made " in
  *" $name "*) ;;
  *)
    if test -n "$(sacctmgr -nP show qos where name="$name" format=name)"; then
      if test "$modify" != yes; then
        echo "QOS $name exists and stays as it is: revopt export slurm --modify-existing changes it" >&2
        return
      fi
    else
      sacctmgr -i add qos "$name" || return
    fi
    made="$made $name"
    ;;
  esac
  sacctmgr -i modify qos where name="$name" set "$@"
}
