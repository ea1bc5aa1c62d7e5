// Counts the process's allocations: the program's own malloc family comes before glibc's, for every library it loads.
#include "allocations.h"

#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static size_t count;

size_t allocations(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

static void tick(void) { __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
  tick();
  return __libc_malloc(size);
}

void *calloc(size_t items, size_t size) {
  tick();
  return __libc_calloc(items, size);
}

void *realloc(void *memory, size_t size) {
  tick();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  tick();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **memory, size_t alignment, size_t size) {
  *memory = memalign(alignment, size);
  return *memory ? 0 : ENOMEM;
}
