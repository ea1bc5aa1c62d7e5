// How often this process has asked for memory.
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H
#include <stddef.h>

size_t allocations(void);

#endif
