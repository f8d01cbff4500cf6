#compdef revopt
_revopt() {
    local -a candidates
    candidates=("${(@f)$("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ -n "${candidates[1]}" ]]; then
        compadd -a candidates
    fi
    _files
}
if [[ "${funcstack[1]}" == _revopt ]]; then # loaded from a file of fpath
    _revopt "$@"
else
    compdef _revopt revopt
fi
