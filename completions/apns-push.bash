# bash completion for apns-push.
# Made by 'apns-push --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_push_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_push() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev='' after='' sign='' i
  COMPREPLY=()
  ((COMP_CWORD > 0)) && prev=${COMP_WORDS[COMP_CWORD - 1]}
  # In --name=value the sign is a word of its own.
  if [[ $cur == '=' ]]; then
    cur='' sign=1
  elif [[ $prev == '=' ]] && ((COMP_CWORD > 1)); then
    prev=${COMP_WORDS[COMP_CWORD - 2]} sign=1
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] && after=$((i + 1)) && break
  done
  if [[ -z $after ]]; then
    case $prev in
      -e | --environment)
        _apns_push_add -W 'sandbox production test' -- "$cur"
        return
        ;;
      --endpoint | --port | --proxy | --key-id | --team-id | --passphrase | -t | --topic | -c | \
        --connections | --rate | --burst | --repeat-interval | --connect-timeout | --tls-timeout | \
        --request-timeout | --outage-timeout | --drain-timeout | --retries | --retry-budget | --abort-if | \
        --linger | --window | --max-line)
        return
        ;;
      --ca-file | -k | --key | --cert | --cert-key | --credentials | -j | --journal | --rejects | \
        --events)
        compopt -o default 2> /dev/null
        return
        ;;
      --delivery)
        _apns_push_add -W 'careful at-most-once' -- "$cur"
        return
        ;;
      --protocol)
        _apns_push_add -W 'http2 binary' -- "$cur"
        return
        ;;
      --binary-format)
        _apns_push_add -W 'frame enhanced simple 2 1 0' -- "$cur"
        return
        ;;
    esac
    if [[ -n $sign ]]; then
      case $prev in
        --summary)
          _apns_push_add -W 'text json none' -- "$cur"
          return
          ;;
      esac
    fi
    if [[ $cur == -* ]]; then
      _apns_push_add -W '
        -e --environment --endpoint --port --ca-file --proxy --allow-no-alpn -k --key --key-id --team-id
        --cert --cert-key --passphrase --credentials --check-credentials --token-cache --no-token-cache -t
        --topic -c --connections --rate --burst --repeat-interval --connect-timeout --tls-timeout
        --request-timeout --outage-timeout --drain-timeout --retries --retry-budget --delivery
        --resend-unknown --validate --try-other-environment --abort-if --protocol --binary-format --linger
        --window -j --journal --rejects --events --summary --redact --dry-run --probe --max-line --progress
        --no-progress -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  compopt -o default 2> /dev/null
}

complete -F _apns_push apns-push
