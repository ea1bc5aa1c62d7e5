-----BEGIN PUBLIC KEY-----
MFkw
-----END PUBLIC KEY-----
