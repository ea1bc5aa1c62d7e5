# fish completion for apns-server.
# Made by 'apns-server --generate-page fish' from the declarations of its options: change those.

# What the command behind -- would be offered by itself.
function __apns_server_command
  set -l words (commandline -opc)
  set -l at (contains -i -- -- $words)
  and complete -C (string join ' ' -- (string escape -- $words[(math $at + 1)..]) (commandline -ct))
end
complete -c apns-server -f
complete -c apns-server -n 'contains -- -- (commandline -opc)' -x -a '(__apns_server_command)'
complete -c apns-server -s e -l environment -x -a 'sandbox\\t"the sandbox: answers bear apns-unique-id" production\\t"production" both\\t"both, each on a port of its own"' -d 'which of Apple\'s two environments to be'
complete -c apns-server -s p -l port -x -d 'listen on this port'
complete -c apns-server -l production-port -x -d 'listen on this port for production'
complete -c apns-server -l bind -x -d 'listen at this address'
complete -c apns-server -l host -x -d 'make the certificate out to this name or address too'
complete -c apns-server -l key -x -a '(__fish_complete_suffix .p8 .pem)' -d 'believe this key\'s provider tokens instead of a throw-away key\'s'
complete -c apns-server -l key-id -x -d 'the key\'s id'
complete -c apns-server -l team-id -x -d 'the team\'s id'
complete -c apns-server -l keys -r -F -d 'believe the keys of this list too'
complete -c apns-server -l topic -x -d 'the app the credentials are for'
complete -c apns-server -l auth -x -a 'token\\t"APNS_KEY_FILE, APNS_KEY_ID and APNS_TEAM_ID" certificate\\t"APNS_CERT_FILE"' -d 'which credential the command is given'
complete -c apns-server -l any-token -d 'believe every well-formed provider token'
complete -c apns-server -l any-certificate -d 'believe every client certificate'
complete -c apns-server -l client-ca -x -a '(__fish_complete_suffix .pem .crt)' -d 'believe client certificates of these authorities too'
complete -c apns-server -l write-credentials -x -a '(__fish_complete_directories)' -d 'write the credentials here and leave them there'
complete -c apns-server -s s -l script -r -F -d 'misbehave as this script says'
complete -c apns-server -l rule -x -d 'one more rule of the script'
complete -c apns-server -l max-streams -x -d 'streams a connection may have open'
complete -c apns-server -l first-streams -x -d 'streams before the first authenticated request'
complete -c apns-server -l streams-after-rejection -x -d 'lower the stream limit after a rejected push'
complete -c apns-server -l on-excess -x -a 'refuse\\t"RST_STREAM with REFUSED_STREAM" goaway\\t"GOAWAY: the connection ends"' -d 'what a stream beyond the limit earns'
complete -c apns-server -l disconnect-after -x -d 'send a client away after so many rejected pushes'
complete -c apns-server -l idle-timeout -x -d 'send a silent client away'
complete -c apns-server -l token-spacing -x -d 'time between two provider tokens on a connection'
complete -c apns-server -l future-token -x -a 'invalid\\t"InvalidProviderToken" expired\\t"ExpiredProviderToken"' -d 'what a provider token earns whose time is over an hour ahead'
complete -c apns-server -l documented-reasons -d 'say BadEnvironmentKeyIdInToken as Apple\'s table does'
complete -c apns-server -l check-payload -d 'refuse a payload that is no JSON object'
complete -c apns-server -l no-check-payload -d 'turn off --check-payload'
complete -c apns-server -l channel -x -d 'a broadcast channel that exists from the start'
complete -c apns-server -l max-channels -x -d 'broadcast channels an app may have'
complete -c apns-server -l max-connections -x -d 'connections at a time'
complete -c apns-server -l seed -x -d 'make random choices repeatable'
complete -c apns-server -l received -r -F -d 'write what was received here'
complete -c apns-server -l log -r -F -d 'write what happens on connections here'
complete -c apns-server -l log-frames -d 'log each HTTP/2 frame too'
complete -c apns-server -l expect -x -d 'end when so many notifications have come'
complete -c apns-server -l timeout -x -d 'end after this time at the latest'
complete -c apns-server -l ready-fd -x -d 'write the ready record to this descriptor'
complete -c apns-server -l ready-file -r -F -d 'write the ready record to this file'
complete -c apns-server -s q -l quiet -d 'say nothing on standard error'
complete -c apns-server -s h -l help -d 'print this help and exit'
complete -c apns-server -s V -l version -d 'print the version and exit'
