#compdef preflight
# zsh completion of preflight. To load it: source <(preflight completion zsh)

_preflight() {
    local line program=${(Q)words[1]}
    local -a answer typed found space
    local -i directive=4
    typed=("${(@Q)words[2,CURRENT-1]}")
    ((CURRENT == 2)) && typed=()
    answer=("${(@f)$("${program/#\~/$HOME}" __complete "${typed[@]}" "${(Q)PREFIX}" 2>/dev/null)}")

    if [[ ${answer[-1]} == :* ]]; then
        directive=${answer[-1]#:}
        answer[-1]=()
    fi
    for line in "${answer[@]}"; do
        [[ -n $line ]] || continue
        if [[ $line == *$'\t'* ]]; then
            found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
        else
            found+=("${line//:/\\:}")
        fi
    done

    compset -P '-*='
    ((directive & 2)) && space=(-S '')
    ((${#found})) && _describe -V 'preflight' found "${space[@]}"
    if ((!(directive & 4))); then
        compset -P '*=' # -o json=FILE
        _files
    fi
    return 0
}

if [[ ${zsh_eval_context[-1]} == loadautofunc ]]; then
    _preflight "$@"
else
    compdef _preflight preflight
fi
