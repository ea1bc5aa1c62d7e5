# bash completion for apns-server.
# Made by 'apns-server --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_server_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_server() {
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
      -e | --environment)
        _apns_server_add -W 'sandbox production both' -- "$cur"
        return
        ;;
      -p | --port | --production-port | --bind | --host | --key-id | --team-id | --topic | --rule | \
        --max-streams | --first-streams | --streams-after-rejection | --disconnect-after | --idle-timeout | \
        --handshake-timeout | --token-spacing | --clock-offset | --channel | --max-channels | \
        --max-connections | --seed | --expect | --timeout | --ready-fd)
        return
        ;;
      --feedback-file | --keys | -s | --script | --received | --log | --ready-file)
        compopt -o default 2> /dev/null
        return
        ;;
      --key)
        compopt -o filenames 2> /dev/null
        _apns_server_add -d -- "$cur"
        _apns_server_add -f -X '!*.p8' -- "$cur"
        _apns_server_add -f -X '!*.pem' -- "$cur"
        return
        ;;
      --auth)
        _apns_server_add -W 'token certificate' -- "$cur"
        return
        ;;
      --client-ca)
        compopt -o filenames 2> /dev/null
        _apns_server_add -d -- "$cur"
        _apns_server_add -f -X '!*.pem' -- "$cur"
        _apns_server_add -f -X '!*.crt' -- "$cur"
        return
        ;;
      --write-credentials)
        compopt -o dirnames 2> /dev/null
        return
        ;;
      --on-excess)
        _apns_server_add -W 'refuse goaway' -- "$cur"
        return
        ;;
      --future-token)
        _apns_server_add -W 'invalid expired' -- "$cur"
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
      _apns_server_add -W '
        -e --environment -p --port --production-port --bind --host --gateway --feedback --feedback-file
        --key --key-id --team-id --keys --topic --auth --any-token --any-certificate --client-ca
        --write-credentials -s --script --rule --max-streams --first-streams --streams-after-rejection
        --on-excess --disconnect-after --idle-timeout --handshake-timeout --token-spacing --future-token
        --documented-reasons --clock-offset --check-payload --no-check-payload --channel --max-channels
        --max-connections --seed --received --log --log-frames --expect --timeout --ready-fd --ready-file -q
        --quiet -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  # The command's name; its arguments are files, or what bash-completion knows of it.
  if ((COMP_CWORD == ${after:-COMP_CWORD})); then
    _apns_server_add -c -- "$cur"
  elif declare -F _command_offset > /dev/null; then
    _command_offset "${after:-1}"
  else
    compopt -o default 2> /dev/null
  fi
}

complete -F _apns_server apns-server
