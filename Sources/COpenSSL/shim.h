// The door to OpenSSL. Macros that Swift's importer cannot see stand here as inline functions.
#pragma once
#include <openssl/ssl.h>
