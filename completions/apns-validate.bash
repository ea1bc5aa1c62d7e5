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
      --max-line | -j | --jobs | --topic | --expiration | --now | --allowed-topic | --team-id | --key-id | \
        --bundle | --category)
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
      --environment | --key-environment)
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
      --only | --disable | --explain)
        _apns_validate_add -W 'json-invalid json-trailing-data json-not-object json-not-utf8 json-bom json-duplicate-key json-big-u-escape json-lone-surrogate json-five-digit-escape json-nan payload-empty payload-empty-object payload-too-large payload-near-limit payload-whitespace payload-compressed custom-null-value foreign-envelope secret-in-payload aps-missing aps-not-object aps-double-encoded aps-case aps-empty aps-nested aps-unknown-key aps-key-misspelt aps-key-at-root alert-text-in-aps aps-null-value aps-undocumented-key header-in-payload alert-type alert-empty-string alert-empty-object alert-double-encoded alert-no-text alert-text-type alert-text-empty alert-text-blank template-hole alert-unknown-key alert-title-only alert-literal-and-loc-key alert-args-without-key alert-args-not-array alert-args-not-strings alert-loc-key-unknown alert-args-arity alert-action-loc-key alert-action-outside-safari alert-summary-arg alert-summary-count alert-sound-inside alert-la-style-text badge-type badge-increment-word badge-bool badge-negative badge-fraction badge-large sound-type sound-empty sound-default-case sound-no-extension sound-format sound-path sound-dict-unknown-key sound-dict-not-critical sound-critical-value sound-critical-bool sound-name-missing sound-name-type sound-volume-type sound-volume-range sound-volume-zero sound-critical-entitlement sound-with-passive thread-id-type category-type category-unknown target-content-id-type filter-criteria-type interruption-level-type interruption-level-value interruption-critical interruption-critical-no-sound interruption-time-sensitive interruption-low-priority interruption-critical-low-priority relevance-score-type relevance-score-range content-available-type content-available-bool content-available-value content-available-with-alert mutable-content-type mutable-content-bool mutable-content-value mutable-content-no-alert url-args-outside-safari push-type-missing push-type-unknown push-type-case push-type-topic-mismatch push-type-payload-mismatch alert-type-nothing-to-show background-with-alert background-no-flag background-priority background-priority-missing background-extra-keys background-collapse-id silent-priority-10 silent-without-push-type priority-syntax priority-value priority-1-restricted priority-ptt priority-voip topic-missing topic-suffix-missing topic-suffix-extra topic-suffix-double topic-suffix-misspelt topic-syntax topic-team-prefix topic-wildcard topic-case topic-mdm topic-pass expiration-syntax expiration-milliseconds expiration-relative expiration-past expiration-beyond-30-days expiration-voip-long expiration-ptt collapse-id-too-long collapse-id-empty collapse-id-non-ascii apns-id-syntax apns-id-uppercase apns-id-repeated header-value-space token-empty token-not-hex token-odd-length token-description-form token-base64 token-fcm token-placeholder token-length-unusual token-short token-too-long token-uppercase token-encoded-twice token-duplicate token-kind-liveactivity jwt-key-environment location-needs-token fileprovider-needs-token mdm-needs-cert cert-topic-not-listed jwt-key-topics auth-scheme-case jwt-malformed jwt-alg jwt-kid jwt-iss jwt-kid-iss-swapped jwt-kid-in-claims jwt-iat-type jwt-iat-milliseconds jwt-iat-stale jwt-iat-aging jwt-iat-future jwt-extra-claims jwt-signature-size jwt-signature-der jwt-refresh-too-often key-format key-truncated cert-environment cert-expired cert-expires-soon trust-store-old la-event-missing la-event-value la-timestamp-missing la-timestamp-type la-timestamp-milliseconds la-timestamp-old la-content-state-missing la-end-without-state la-content-state-type la-content-state-size la-content-state-case la-date-string la-date-unix la-null-in-state la-alert-string la-alert-incomplete la-alert-flat-loc-keys la-sound-outside-alert la-ordinary-keys la-dismissal-without-end la-dismissal-type la-dismissal-milliseconds la-dismissal-beyond-4h la-stale-date-type la-stale-date-milliseconds la-stale-date-past la-relevance-type la-keys-outside-la la-priority-budget la-alert-low-priority la-platform la-start-attributes-type la-start-attributes la-start-alert la-attributes-on-update la-input-both la-input-token-value la-input-channel-base64 la-input-not-start la-start-no-input content-changed-missing content-changed-type content-changed-number content-changed-apn content-changed-outside widgets-with-alert mdm-missing mdm-type mdm-with-aps mdm-extra-keys mdm-key-outside fp-keys-missing fp-misnamed fp-with-aps fp-container voip-with-alert voip-collapse-id location-with-alert pass-not-empty pass-sandbox safari-title-body safari-url-args safari-dead bc-channel-base64 bc-push-type bc-expiration-missing bc-expiration-no-store bc-expiration-beyond-8h bc-priority-missing bc-start bc-suffix-in-path bc-size sim-target-missing sim-target-type sim-target-misspelt sim-bundle-in-production sim-unsupported-type sim-too-large sim-bundle-conflict record-not-object record-unknown-key record-duplicate-key record-type record-token-missing record-token-and-channel record-payload-missing header-duplicate header-form header-misspelt header-uppercase header-connection-specific header-content-encoding header-not-for-device method-not-post path-bad path-no-token host-unknown host-legacy host-port http-version tls-version auth-missing auth-both auth-scheme request-id-syntax bc-channel-missing bc-topic-header bc-channel-in-path channel-method channel-policy channel-push-type channel-unknown-attribute channel-id-missing channel-body-on-get' -- "$cur"
        return
        ;;
      --severity)
        _apns_validate_add -W 'json-invalid= json-trailing-data= json-not-object= json-not-utf8= json-bom= json-duplicate-key= json-big-u-escape= json-lone-surrogate= json-five-digit-escape= json-nan= payload-empty= payload-empty-object= payload-too-large= payload-near-limit= payload-whitespace= payload-compressed= custom-null-value= foreign-envelope= secret-in-payload= aps-missing= aps-not-object= aps-double-encoded= aps-case= aps-empty= aps-nested= aps-unknown-key= aps-key-misspelt= aps-key-at-root= alert-text-in-aps= aps-null-value= aps-undocumented-key= header-in-payload= alert-type= alert-empty-string= alert-empty-object= alert-double-encoded= alert-no-text= alert-text-type= alert-text-empty= alert-text-blank= template-hole= alert-unknown-key= alert-title-only= alert-literal-and-loc-key= alert-args-without-key= alert-args-not-array= alert-args-not-strings= alert-loc-key-unknown= alert-args-arity= alert-action-loc-key= alert-action-outside-safari= alert-summary-arg= alert-summary-count= alert-sound-inside= alert-la-style-text= badge-type= badge-increment-word= badge-bool= badge-negative= badge-fraction= badge-large= sound-type= sound-empty= sound-default-case= sound-no-extension= sound-format= sound-path= sound-dict-unknown-key= sound-dict-not-critical= sound-critical-value= sound-critical-bool= sound-name-missing= sound-name-type= sound-volume-type= sound-volume-range= sound-volume-zero= sound-critical-entitlement= sound-with-passive= thread-id-type= category-type= category-unknown= target-content-id-type= filter-criteria-type= interruption-level-type= interruption-level-value= interruption-critical= interruption-critical-no-sound= interruption-time-sensitive= interruption-low-priority= interruption-critical-low-priority= relevance-score-type= relevance-score-range= content-available-type= content-available-bool= content-available-value= content-available-with-alert= mutable-content-type= mutable-content-bool= mutable-content-value= mutable-content-no-alert= url-args-outside-safari= push-type-missing= push-type-unknown= push-type-case= push-type-topic-mismatch= push-type-payload-mismatch= alert-type-nothing-to-show= background-with-alert= background-no-flag= background-priority= background-priority-missing= background-extra-keys= background-collapse-id= silent-priority-10= silent-without-push-type= priority-syntax= priority-value= priority-1-restricted= priority-ptt= priority-voip= topic-missing= topic-suffix-missing= topic-suffix-extra= topic-suffix-double= topic-suffix-misspelt= topic-syntax= topic-team-prefix= topic-wildcard= topic-case= topic-mdm= topic-pass= expiration-syntax= expiration-milliseconds= expiration-relative= expiration-past= expiration-beyond-30-days= expiration-voip-long= expiration-ptt= collapse-id-too-long= collapse-id-empty= collapse-id-non-ascii= apns-id-syntax= apns-id-uppercase= apns-id-repeated= header-value-space= token-empty= token-not-hex= token-odd-length= token-description-form= token-base64= token-fcm= token-placeholder= token-length-unusual= token-short= token-too-long= token-uppercase= token-encoded-twice= token-duplicate= token-kind-liveactivity= jwt-key-environment= location-needs-token= fileprovider-needs-token= mdm-needs-cert= cert-topic-not-listed= jwt-key-topics= auth-scheme-case= jwt-malformed= jwt-alg= jwt-kid= jwt-iss= jwt-kid-iss-swapped= jwt-kid-in-claims= jwt-iat-type= jwt-iat-milliseconds= jwt-iat-stale= jwt-iat-aging= jwt-iat-future= jwt-extra-claims= jwt-signature-size= jwt-signature-der= jwt-refresh-too-often= key-format= key-truncated= cert-environment= cert-expired= cert-expires-soon= trust-store-old= la-event-missing= la-event-value= la-timestamp-missing= la-timestamp-type= la-timestamp-milliseconds= la-timestamp-old= la-content-state-missing= la-end-without-state= la-content-state-type= la-content-state-size= la-content-state-case= la-date-string= la-date-unix= la-null-in-state= la-alert-string= la-alert-incomplete= la-alert-flat-loc-keys= la-sound-outside-alert= la-ordinary-keys= la-dismissal-without-end= la-dismissal-type= la-dismissal-milliseconds= la-dismissal-beyond-4h= la-stale-date-type= la-stale-date-milliseconds= la-stale-date-past= la-relevance-type= la-keys-outside-la= la-priority-budget= la-alert-low-priority= la-platform= la-start-attributes-type= la-start-attributes= la-start-alert= la-attributes-on-update= la-input-both= la-input-token-value= la-input-channel-base64= la-input-not-start= la-start-no-input= content-changed-missing= content-changed-type= content-changed-number= content-changed-apn= content-changed-outside= widgets-with-alert= mdm-missing= mdm-type= mdm-with-aps= mdm-extra-keys= mdm-key-outside= fp-keys-missing= fp-misnamed= fp-with-aps= fp-container= voip-with-alert= voip-collapse-id= location-with-alert= pass-not-empty= pass-sandbox= safari-title-body= safari-url-args= safari-dead= bc-channel-base64= bc-push-type= bc-expiration-missing= bc-expiration-no-store= bc-expiration-beyond-8h= bc-priority-missing= bc-start= bc-suffix-in-path= bc-size= sim-target-missing= sim-target-type= sim-target-misspelt= sim-bundle-in-production= sim-unsupported-type= sim-too-large= sim-bundle-conflict= record-not-object= record-unknown-key= record-duplicate-key= record-type= record-token-missing= record-token-and-channel= record-payload-missing= header-duplicate= header-form= header-misspelt= header-uppercase= header-connection-specific= header-content-encoding= header-not-for-device= method-not-post= path-bad= path-no-token= host-unknown= host-legacy= host-port= http-version= tls-version= auth-missing= auth-both= auth-scheme= request-id-syntax= bc-channel-missing= bc-topic-header= bc-channel-in-path= channel-method= channel-policy= channel-push-type= channel-unknown-attribute= channel-id-missing= channel-body-on-get=' -- "$cur"
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
        --expiration --broadcast --environment --now --clock --no-clock --auth --allowed-topic --team-id
        --key-id --key-environment --bundle --platform --category --strings --channel-policy --only
        --disable --severity --fail-on --show --config --find-config --no-find-config --format -q --quiet
        --fix --explain-size --explain --list-rules -h --help -V --version
      ' -- "$cur"
      return
    fi
  fi
  compopt -o default 2> /dev/null
}

complete -F _apns_validate apns-validate
