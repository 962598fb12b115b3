# bash completion of preflight. To load it: source <(preflight completion bash)

_preflight_complete() {
    local line value directive=4 typed=${COMP_WORDS[COMP_CWORD]} breaks=$COMP_WORDBREAKS
    local -a answer=()
    COMPREPLY=()
    [[ $typed == [\'\"]* ]] && breaks=
    while IFS= read -r line; do
        answer+=("$line")
    done < <("${1/#\~/$HOME}" __complete_line "${COMP_LINE:0:COMP_POINT}" "$breaks" 2>/dev/null)

    # A word that was begun with a quote stays in it; any other is quoted where it has to be.
    for line in "${answer[@]}"; do
        value=${line%%$'\t'*}
        if [[ $value == :* && $value == "${answer[${#answer[@]} - 1]}" ]]; then
            directive=${value#:}
        elif [[ $typed == [\'\"]* ]]; then
            COMPREPLY+=("$value")
        else
            printf -v value %q "$value"
            COMPREPLY+=("$value")
        fi
    done

    ((directive & 2)) && compopt -o nospace
    ((directive & 32 && BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)) && compopt -o nosort
    if ((!(directive & 4))); then
        if ((${#COMPREPLY[@]} == 0)); then
            compopt -o default
        else
            while IFS= read -r line; do
                COMPREPLY+=("$line")
            done < <(compgen -f -- "$2")
            compopt -o filenames
        fi
    fi
    return 0
}

complete -F _preflight_complete preflight
