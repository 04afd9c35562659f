/** The shells that completion exists for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

// The scripts only pass the words on and show what comes back: "words", "files" or "folders" in the first line, then
// one candidate in each line, with a tab before its description. So all shells offer the same, and it is up to date.
// They ask the program on the path and not the one that is typed: a tab must not run what lies in a clone.

const BASH = `# tongs completion for bash: source <(tongs completion bash)
_tongs() {
  local -a typed=()
  local i word last kind value says
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    # Bash takes words apart at these.
    if ((\${#typed[@]} > 0)) && [[ $word == [=:] || \${COMP_WORDS[i - 1]} == [=:] ]]; then
      typed[\${#typed[@]} - 1]+=$word
    else
      typed+=("$word")
    fi
  done
  last=\${COMP_WORDS[COMP_CWORD]}
  [[ $last == [=:] ]] && last=
  local lead=\${typed[\${#typed[@]} - 1]%"$last"}
  COMPREPLY=()
  while IFS= read -r value; do
    says=\${value#*$'\\t'}
    value=\${value%%$'\\t'*}
    if [[ -z $kind ]]; then
      kind=$value
    else
      [[ $value == *[=:/] ]] && compopt -o nospace
      COMPREPLY+=("\${value#"$lead"}")
    fi
  done < <(command tongs completion words -- "\${typed[@]}" 2>/dev/null)
  [[ $kind == files || $kind == folders ]] || return 0
  compopt -o filenames
  local what=-f
  [[ $kind == folders ]] && what=-d
  while IFS= read -r value; do COMPREPLY+=("$value"); done < <(compgen "$what" -- "$last")
}
complete -F _tongs tongs
`

const ZSH = `#compdef tongs
# tongs completion for zsh: source <(tongs completion zsh), or save it as _tongs in a folder of $fpath
_tongs() {
  local -a rows plain open plainSays openSays
  local row value
  rows=("\${(@f)$(command tongs completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case \${rows[1]} in
    files) _files; return ;;
    folders) _files -/; return ;;
  esac
  for row in "\${(@)rows[2,-1]}"; do
    value=\${row%%$'\\t'*}
    [[ $row == *$'\\t'?* ]] && row="\${value}  \${row#*$'\\t'}" || row=$value
    # A row that wraps is hard to tell from two.
    ((\${(m)#row} >= COLUMNS)) && row="\${(mr:COLUMNS - 2:)row}…"
    if [[ $value == *[=:/] ]]; then
      open+=("$value") openSays+=("$row")
    else
      plain+=("$value") plainSays+=("$row")
    fi
  done
  ((\${#plain})) && compadd -l -d plainSays -a plain
  ((\${#open})) && compadd -S '' -l -d openSays -a open
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _tongs "$@"; else compdef _tongs tongs; fi
`

const FISH = `# tongs completion for fish: tongs completion fish | source
function __tongs_complete
    set -l current (commandline -ct)
    set -l typed (commandline -opc)
    set -l rows (command tongs completion words -- $typed[2..-1] "$current" 2>/dev/null)
    switch "$rows[1]"
        case files
            __fish_complete_path "$current"
        case folders
            __fish_complete_directories "$current"
        case words
            test (count $rows) -gt 1; and printf '%s\\n' $rows[2..-1]
    end
end
complete -c tongs -f -a '(__tongs_complete)'
`

const SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH }

/** Whether there is a script for a shell. */
export function isShell(name: string): name is Shell {
  return SHELLS.some((shell) => shell === name)
}

/** The script that makes a shell complete our lines. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]
}
