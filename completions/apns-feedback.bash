# bash completion for apns-feedback.
# Made by 'apns-feedback --generate-page bash' from the declarations of its options: change those.

# Adds what compgen says, one candidate a line, whatever is in it.
_apns_feedback_add() {
  local line
  while IFS='' read -r line; do
    COMPREPLY+=("$line")
    [[ $line == *[:=] ]] && compopt -o nospace 2> /dev/null
  done < <(compgen "$@")
}

_apns_feedback() {
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
        _apns_feedback_add -W 'sandbox production test' -- "$cur"
        return
        ;;
      --endpoint | --passphrase | --retries | --timeout | --delimiter | --token-field | --time-field | -j \
        | --jobs | --max-line)
        return
        ;;
      --ca-file | --cert | --cert-key | -r | --registry | -p | --prune)
        compopt -o default 2> /dev/null
        return
        ;;
      --reason)
        _apns_feedback_add -W 'BadCollapseId BadDeviceToken BadExpirationDate BadMessageId BadPriority BadTopic DeviceTokenNotForTopic DuplicateHeaders IdleTimeout InvalidPushType MissingDeviceToken MissingTopic PayloadEmpty TopicDisallowed BadCertificate BadCertificateEnvironment ExpiredProviderToken Forbidden InvalidProviderToken MissingProviderToken UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadEnvironmentKeyInToken BadPath MethodNotAllowed ExpiredToken Unregistered PayloadTooLarge TooManyProviderTokenUpdates TooManyRequests InternalServerError ServiceUnavailable Shutdown BadChannelId BadRequestParams BadRequestPayload CannotCreateChannelConfig ChannelNotRegistered FeatureNotEnabled MissingChannelId MissingChannelQueueSize MissingPushType TopicMismatch' -- "$cur"
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
      _apns_feedback_add -W '
        --service -e --environment --endpoint --ca-file --cert --cert-key --passphrase --retries --timeout
        --reason -r --registry --unique --no-unique -p --prune --delimiter --token-field --time-field -j
        --jobs --max-line --progress --no-progress -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  compopt -o default 2> /dev/null
}

complete -F _apns_feedback apns-feedback
