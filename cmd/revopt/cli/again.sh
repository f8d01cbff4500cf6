#!/bin/sh
# Makes the results again and compares them byte by byte, with revopt on the PATH or in the
# variable REVOPT{{range .Versions}}; results are of version {{.}}{{end}}. Exit code 1: not all are the same.
cd "$(dirname "$0")" || exit 1
bad=0
revopt() { command "${REVOPT:-revopt}" "$@"; }
need() { # PATH SHA256
	[ -f "$1" ] || { echo "missing: $1: put the file with SHA-256 $2 there"; bad=1; return; }
	sum=$(sha256sum <"$1" 2>/dev/null || shasum -a 256 <"$1")
	[ "${sum%% *}" = "$2" ] || { echo "another file: $1: expected SHA-256 $2"; bad=1; }
}
run() {
	"$@" >/dev/null
	code=$?
	[ $code = 0 ] || [ $code = 3 ] || { echo "exit code $code: $*"; bad=1; }
}
same() {
	cmp -s "results/$1" "again/$1" || { echo "differs: $1"; bad=1; }
}
{{range $path, $sum := .Missing}}need {{quote (place $path)}} {{$sum}}
{{end}}[ $bad = 0 ] || exit 1
rm -rf again && mkdir -p inputs && cp -R inputs again && cd again || exit 1
{{range $path, $sum := .Results}}mkdir -p -- {{quote (dir $path)}}
{{end}}{{range .Commands}}run {{.}}
{{end}}cd ..
{{range $path, $sum := .Results}}same {{quote $path}}
{{end}}[ $bad = 0 ] && echo "the same: {{len .Results}} results"
exit $bad
