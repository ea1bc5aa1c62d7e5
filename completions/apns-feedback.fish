# fish completion for apns-feedback.
# Made by 'apns-feedback --generate-page fish' from the declarations of its options: change those.

complete -c apns-feedback -f
complete -c apns-feedback -l reason -x -a 'BadCollapseId BadDeviceToken BadExpirationDate BadMessageId BadPriority BadTopic DeviceTokenNotForTopic DuplicateHeaders IdleTimeout InvalidPushType MissingDeviceToken MissingTopic PayloadEmpty TopicDisallowed BadCertificate BadCertificateEnvironment ExpiredProviderToken Forbidden InvalidProviderToken MissingProviderToken UnrelatedKeyIdInToken BadEnvironmentKeyIdInToken BadEnvironmentKeyInToken BadPath MethodNotAllowed ExpiredToken Unregistered PayloadTooLarge TooManyProviderTokenUpdates TooManyRequests InternalServerError ServiceUnavailable Shutdown BadChannelId BadRequestParams BadRequestPayload CannotCreateChannelConfig ChannelNotRegistered FeatureNotEnabled MissingChannelId MissingChannelQueueSize MissingPushType TopicMismatch' -d 'take refusals for this reason alone'
complete -c apns-feedback -s r -l registry -r -F -d 'spare tokens that were registered again later'
complete -c apns-feedback -l unique -d 'list each token once, with its newest time'
complete -c apns-feedback -l no-unique -d 'turn off --unique'
complete -c apns-feedback -s p -l prune -r -F -d 'print this device list without the tokens to drop'
complete -c apns-feedback -l token-field -x -d 'the column or member that holds the token, in the files'
complete -c apns-feedback -l time-field -x -d 'the column or member that holds the time, in the registry'
complete -c apns-feedback -s j -l jobs -x -d 'work on N blocks of lines at a time'
complete -c apns-feedback -l max-line -x -d 'refuse longer input lines'
complete -c apns-feedback -l progress -d 'show progress on standard error'
complete -c apns-feedback -l no-progress -d 'turn off --progress'
complete -c apns-feedback -s h -l help -d 'print this help and exit'
complete -c apns-feedback -s V -l version -d 'print the version and exit'
