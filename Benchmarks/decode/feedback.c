/* The measure for apns-decode: feedback tuples to the same lines, with a table of two hexadecimal digits for each byte. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint16_t table[256];

static char *decimal(char *out, uint64_t value) {
  char digits[20];
  int count = 0;
  do {
    digits[count++] = (char)('0' + value % 10);
    value /= 10;
  } while (value);
  while (count) *out++ = digits[--count];
  return out;
}

static char *text(char *out, const char *words, size_t length) {
  memcpy(out, words, length);
  return out + length;
}
#define TEXT(words) out = text(out, words, sizeof words - 1)

static void put(const char *from, const char *to) {
  while (from < to) {
    ssize_t written = write(1, from, (size_t)(to - from));
    if (written <= 0) exit(1);
    from += written;
  }
}

int main(void) {
  static unsigned char in[1 << 17];
  static char lines[1 << 20];
  const char *digits = "0123456789abcdef";
  for (int byte = 0; byte < 256; byte++) {
    char pair[2] = {digits[byte >> 4], digits[byte & 15]};
    memcpy(&table[byte], pair, 2);
  }
  size_t have = 0, place = 0;
  uint64_t offset = 0;
  char *out = lines;
  for (;;) {
    memmove(in, in + place, have - place);
    have -= place;
    place = 0;
    ssize_t got = read(0, in + have, sizeof in - have);
    if (got <= 0) break;
    have += (size_t)got;
    while (have - place >= 6) {
      const unsigned char *tuple = in + place;
      size_t length = (size_t)tuple[4] << 8 | tuple[5];
      if (have - place < 6 + length) break;
      if (length > 1024) return 1;
      TEXT("{\"kind\":\"feedback\",\"offset\":");
      out = decimal(out, offset);
      TEXT(",\"length\":");
      out = decimal(out, 6 + length);
      TEXT(",\"token\":\"");
      for (size_t index = 0; index < length; index++, out += 2) memcpy(out, &table[tuple[6 + index]], 2);
      TEXT("\",\"timestamp\":");
      out = decimal(out, (uint32_t)tuple[0] << 24 | tuple[1] << 16 | tuple[2] << 8 | tuple[3]);
      TEXT(",\"source\":\"service\"}\n");
      place += 6 + length;
      offset += 6 + length;
      if (out - lines > (1 << 20) - 8192) {
        put(lines, out);
        out = lines;
      }
    }
  }
  put(lines, out);
  return have == place ? 0 : 1;
}
