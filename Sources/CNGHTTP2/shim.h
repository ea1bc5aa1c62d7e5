// The door to nghttp2. Macros that Swift's importer cannot see stand here as inline functions.
#pragma once
#include <nghttp2/nghttp2.h>
