# bash completion for apns-decode.
# Made by 'apns-decode --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_decode_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_decode() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev='' after='' i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  # In --name=value the sign is a word of its own.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] && after=$((i + 1)) && break
  done
  if [[ -z $after ]]; then
    case $prev in
      --as)
        _apns_decode_add -W 'auto feedback commands responses jwt' -- "$cur"
        return
        ;;
      --from)
        _apns_decode_add -W 'auto raw hex base64 xxd hexdump buffer escaped' -- "$cur"
        return
        ;;
      --now)
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
      _apns_decode_add -W '
        --as --from --strict -r --records --now --clock --no-clock -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  compopt -o default 2> /dev/null
}

complete -F _apns_decode apns-decode
