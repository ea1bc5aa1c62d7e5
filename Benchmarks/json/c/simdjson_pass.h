// The door to simdjson for the benchmark's Swift program.
#ifndef SIMDJSON_PASS_H
#define SIMDJSON_PASS_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// Parses every line of `text` into simdjson's DOM with one reused parser.
// `ends` holds the offset of each line feed. At least 64 readable bytes follow the text.
// Returns how many lines are JSON.
size_t simdjson_pass(const uint8_t *text, const size_t *ends, size_t lines);

// The kernel that simdjson chose for this processor.
const char *simdjson_kernel(void);

#ifdef __cplusplus
}
#endif
#endif
