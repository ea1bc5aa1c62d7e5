# bash completion for apns-build.
# Made by 'apns-build --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_build_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_build() {
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
      --token | --delimiter | --token-field | --channel-id | --alert | -t | --title | --subtitle | -b | \
        --body | --launch-image | --title-loc-key | --title-loc-args | --subtitle-loc-key | \
        --subtitle-loc-args | --loc-key | --loc-args | --action-loc-key | --summary-arg | \
        --summary-arg-count | --badge | --sound | --thread-id | --category | --target-content-id | \
        --relevance-score | --filter-criteria | --volume | --timestamp | --content-state | --stale-date | \
        --dismissal-date | --attributes-type | --attributes | --input-push-channel | --url-args | --mdm | \
        --container-identifier | --domain | --href | --view | --transition | --action | --action-option | \
        --topic | --expiration | --collapse-id | --credential | -m | --meta | --payload-key | --unset | \
        --simulator | -n | --limit | --skip | --sample | --seed | --now | -j | --jobs | --max-line)
        return
        ;;
      -k | --kind)
        _apns_build_add -W 'alert background voip complication fileprovider mdm liveactivity location pushtotalk controls widgets passbook wallet newsstand safari jasonette' -- "$cur"
        return
        ;;
      --interruption-level)
        _apns_build_add -W 'passive active time-sensitive critical' -- "$cur"
        return
        ;;
      --event)
        _apns_build_add -W 'start update end' -- "$cur"
        return
        ;;
      --push-type)
        _apns_build_add -W 'alert background complication controls fileprovider liveactivity location mdm pushtotalk voip widgets' -- "$cur"
        return
        ;;
      -p | --priority)
        _apns_build_add -W '10 5 1' -- "$cur"
        return
        ;;
      --id)
        _apns_build_add -W 'auto stable' -- "$cur"
        return
        ;;
      -e | --environment)
        _apns_build_add -W 'production sandbox' -- "$cur"
        return
        ;;
      --payload)
        compopt -o default 2> /dev/null
        return
        ;;
      --truncate)
        _apns_build_add -W 'body title subtitle alert' -- "$cur"
        return
        ;;
      --format)
        _apns_build_add -W 'frame enhanced simple' -- "$cur"
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
      _apns_build_add -W '
        --token --csv --tsv --delimiter --token-field --channel-id --strict-tokens -k --kind --alert -t
        --title --subtitle -b --body --launch-image --title-loc-key --title-loc-args --subtitle-loc-key
        --subtitle-loc-args --loc-key --loc-args --action-loc-key --summary-arg --summary-arg-count --badge
        --sound --thread-id --category --content-available --mutable-content --target-content-id
        --interruption-level --relevance-score --filter-criteria --critical --volume --timestamp --event
        --content-state --stale-date --dismissal-date --attributes-type --attributes --input-push-token
        --no-input-push-token --input-push-channel --content-changed --url-args --mdm --container-identifier
        --domain --href --view --transition --action --action-option --topic --push-type -p --priority
        --expiration --collapse-id --id -e --environment --credential -m --meta --payload --fill
        --payload-key --unset --truncate --note-truncation --payload-only --simulator --curl --format -n
        --limit --skip --sample --seed --now -j --jobs --max-line --progress --no-progress -h --help -V
        --version
      ' -- "$cur"
      return
    fi
  fi
  :
}

complete -F _apns_build apns-build
