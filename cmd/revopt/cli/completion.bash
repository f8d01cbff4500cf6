_revopt() {
    local IFS=$'\n' word="${COMP_WORDS[COMP_CWORD]}"
    local -a line=("${COMP_WORDS[@]:0:COMP_CWORD}")
    [[ "$word" == -* ]] && line+=("$word")
    COMPREPLY=($(compgen -W "$("${line[@]}" --generate-bash-completion 2>/dev/null)" -- "$word"))
}
complete -o default -F _revopt revopt
