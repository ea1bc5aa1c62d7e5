// simdjson's DOM parser alone over the lines of a file: prints the CPU seconds of the parsing, the median of three passes.
//
//   dom FILE
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

static double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count != 2) return 2;
  FILE *file = fopen(words[1], "rb");
  if (!file) return 1;
  std::string text;
  char block[1 << 16];
  for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  fclose(file);
  std::vector<size_t> ends;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1)) ends.push_back(end);
  text.append(simdjson::SIMDJSON_PADDING, '\0');
  simdjson::dom::parser parser;
  std::vector<double> passes;
  for (int pass = 0; pass < 3; pass++) {
    const double before = now();
    size_t start = 0, good = 0;
    for (size_t end : ends) {
      good += parser.parse(text.data() + start, end - start, false).error() == simdjson::SUCCESS;
      start = end + 1;
    }
    passes.push_back(now() - before);
    if (good != ends.size()) return 1;
  }
  std::sort(passes.begin(), passes.end());
  printf("%.6f\n", passes[1]);
}
