# bash completion for apns-validate.
# Made by 'apns-validate --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_validate_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_validate() {
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
        _apns_validate_add -W 'record payload apns request' -- "$cur"
        return
        ;;
      --max-line | -j | --jobs | --topic | --expiration | --now | --allowed-topic | --bundle | --category \
        | --only | --disable | --severity | --explain)
        return
        ;;
      --push-type)
        _apns_validate_add -W 'alert background complication controls fileprovider liveactivity location mdm pushtotalk voip widgets' -- "$cur"
        return
        ;;
      --priority)
        _apns_validate_add -W '10 5 1' -- "$cur"
        return
        ;;
      --environment)
        _apns_validate_add -W 'production sandbox' -- "$cur"
        return
        ;;
      --auth)
        _apns_validate_add -W 'token certificate' -- "$cur"
        return
        ;;
      --platform)
        _apns_validate_add -W 'ios ipados macos tvos watchos visionos' -- "$cur"
        return
        ;;
      --strings)
        compopt -o default 2> /dev/null
        return
        ;;
      --channel-policy)
        _apns_validate_add -W '0 1' -- "$cur"
        return
        ;;
      --fail-on | --show)
        _apns_validate_add -W 'error warning note' -- "$cur"
        return
        ;;
      --config)
        compopt -o filenames 2> /dev/null
        _apns_validate_add -d -- "$cur"
        _apns_validate_add -f -X '!*.json' -- "$cur"
        return
        ;;
      --format)
        _apns_validate_add -W 'text json github sarif junit' -- "$cur"
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
      _apns_validate_add -W '
        --as -r --recursive --max-line -j --jobs --progress --no-progress --push-type --topic --priority
        --expiration --broadcast --environment --now --clock --no-clock --auth --allowed-topic --bundle
        --platform --category --strings --channel-policy --only --disable --severity --fail-on --show
        --config --find-config --no-find-config --format -q --quiet --fix --explain-size --explain
        --list-rules -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  compopt -o default 2> /dev/null
}

complete -F _apns_validate apns-validate
