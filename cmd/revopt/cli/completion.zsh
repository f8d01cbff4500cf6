#compdef revopt
_revopt() {
    local -a line candidates
    line=("${(@)words[1,CURRENT-1]}")
    [[ "${words[CURRENT]}" == -* ]] && line+=("${words[CURRENT]}")
    candidates=("${(@f)$("${line[@]}" --generate-bash-completion 2>/dev/null)}")
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
