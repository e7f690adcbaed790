// The scripts that shells load: each asks `flowdouble completion words` what can follow, so that it never grows old.

/** The shells with a script, and where it is loaded from. */
export const installed = {
  bash: ['~/.bashrc', 'source <(flowdouble completion bash)'],
  zsh: ['~/.zshrc, after compinit', 'source <(flowdouble completion zsh)'],
  fish: ['once', 'flowdouble completion fish > ~/.config/fish/completions/flowdouble.fish'],
} as const

export type Shell = keyof typeof installed

// Each calls the command as it was typed: another one of the same name may be first on the path.
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `_flowdouble() {
  local line current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == '=' ]] && current=
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :files | :dirs)
        compopt -o filenames 2>/dev/null
        local kind=-f
        [[ $line == :dirs ]] && kind=-d
        while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen $kind -- "$current")
        ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _flowdouble flowdouble
`,
  zsh: `#compdef flowdouble
_flowdouble() {
  local line files=
  local -a found
  while IFS= read -r line; do
    case $line in
      :files) files=_files ;;
      :dirs) files='_files -/' ;;
      *) found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}") ;;
    esac
  done < <("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V flowdouble found
  [[ -n $files ]] && \${=files}
}
compdef _flowdouble flowdouble
`,
  fish: `function __flowdouble_complete
  set -l typed (commandline -opc)
  for line in ($typed[1] completion words -- $typed[2..-1] (commandline -ct) 2>/dev/null)
    switch $line
      case :files
        __fish_complete_path (commandline -ct)
      case :dirs
        __fish_complete_directories (commandline -ct)
      case '*'
        echo $line
    end
  end
end
complete -c flowdouble -f -a '(__flowdouble_complete)'
`,
}
