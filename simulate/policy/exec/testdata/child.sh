# A policy that starts every job when it comes, but for job 1, which is started when job 0 has
# ended. At message MOMENT, hello being 0, it does FAULT instead.
# usage: child.sh FAULT MOMENT PIDFILE
fault=$1 moment=$2
echo $$ >"$3"

# sleep without another process holds the pipes; exec keeps the process group.
hang() { exec sleep 100; }
fill() { head -c "$1" /dev/zero | tr '\0' "$2"; }

n=0
while IFS= read -r line; do
	if [ $n = "$moment" ]; then
		case $fault in
		exit) exit 0 ;;
		fail) echo "Traceback" >&2; echo "ValueError: bad  luck" >&2; exit 3 ;;
		kill) kill -9 $$ ;;
		silent) hang ;;
		deaf) exec <&-; hang ;;
		mute) exec >&-; hang ;;
		stubborn) trap '' TERM INT HUP; while :; do sleep 1; done ;;
		fork) sleep 100 & exit 0 ;;
		forksilent) sleep 100 & hang ;;
		forkmany) for i in 1 2 3 4 5; do sh -c 'sleep 100 & sleep 100' & done; exit 1 ;;
		partial) printf '{"start":['; hang ;;
		endless) fill 1000000000 x; hang ;;
		gigabyte) printf '{"start":["'; fill 1000000000 x; echo '"]}' ;;
		zeros) head -c 1000000000 /dev/zero ;;
		flood) fill 20000000 y >&2; echo >&2; echo "lost in the flood" >&2; exit 1 ;;
		deep) printf '{"x":'; fill 200000 '['; echo ;;
		deepkeys) printf '{"start":'; fill 200000 '{'; echo ;;
		many) printf '{"start":['; fill 1000000 '7,' | sed 's/.\{1\}/7,/g'; echo '7]}' ;;
		twice) printf '{"hello":2}\n{"hello":2}\n' ;;
		thrice) printf '{"hello":2}\n\n\n' ;;
		binary) printf '\377\376\000\001\n' ;;
		*) printf '%s\n' "$fault" ;;
		esac
		n=$((n + 1))
		continue
	fi
	n=$((n + 1))
	start=
	case $line in *'"arrive":[{"id":'*)
		start=${line#*\"id\":}
		start=${start%%[,\}]*}
		;;
	esac
	if [ "$start" = 1 ]; then start=; fi
	case $line in *'"finish":[0]'*) start=1 ;; esac
	case $line in
	*'"hello"'*) echo '{"hello":2,"name":"starter","fields":["width"]}' ;;
	*'"bye"'*) exit 0 ;;
	*) echo "{\"start\":[$start]}" ;;
	esac
done
