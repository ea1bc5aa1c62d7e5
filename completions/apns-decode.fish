# fish completion for apns-decode.
# Made by 'apns-decode --generate-page fish' from the declarations of its options: change those.

complete -c apns-decode -l as -x -a 'auto\\t"find out from the first bytes, and say on standard error what it is and why" feedback\\t"tuples of the feedback service" commands\\t"notifications on their way to the gateway: commands 0, 1 and 2" responses\\t"error packets from the gateway" jwt\\t"provider tokens, one a line"' -d 'what the bytes are'
complete -c apns-decode -l from -x -a 'auto\\t"recognise it from the first bytes" raw\\t"the bytes themselves" hex\\t"hexadecimal digits, with or without 0x, blanks, commas and brackets between them" base64\\t"base64 in either alphabet" xxd\\t"the output of xxd" hexdump\\t"the canonical output of hexdump, or bytes as od prints them" buffer\\t"what Node prints for a Buffer" escaped\\t"string literals with escapes, of Python, C or strace: b\'\\\\x08\\\\x00\'"' -d 'how the bytes are written down'
complete -c apns-decode -l strict -d 'stop at the first damage'
complete -c apns-decode -s r -l records -d 'write bare records, for apns-push and apns-feedback'
complete -c apns-decode -l now -x -d 'take this for the present time'
complete -c apns-decode -l clock -d 'hold times against the clock'
complete -c apns-decode -l no-clock -d 'turn off --clock'
complete -c apns-decode -s h -l help -d 'print this help and exit'
complete -c apns-decode -s V -l version -d 'print the version and exit'
