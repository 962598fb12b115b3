# fish completion of preflight. To load it in every new fish: preflight completion fish >~/.config/fish/completions/preflight.fish

function __preflight_complete
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l word (string unescape -- $typed)
    or set word $typed
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l answer (command $program __complete $words[2..-1] "$word" 2>/dev/null)

    set -l directive 4
    if string match -qr '^:\d+$' -- "$answer[-1]"
        set directive (string sub -s 2 -- $answer[-1])
        set -e answer[-1]
    end
    set -l kept (string match -r -- '^-[^=]*=' "$word")
    for line in $answer
        printf '%s%s\n' "$kept" "$line"
    end
    if test (math "floor($directive / 4) % 2") -eq 0
        # Behind --from= and -o json= as well.
        set kept (string match -r -- '^[^=]*=' "$word")
        for path in (__fish_complete_path (string replace -r -- '^[^=]*=' '' "$word"))
            printf '%s%s\n' "$kept" "$path"
        end
    end
end

complete -c preflight -e
complete -c preflight -f -k -a '(__preflight_complete)'
