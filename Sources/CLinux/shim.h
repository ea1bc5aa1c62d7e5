// The door to what Linux has beyond POSIX and Swift's own Glibc module leaves out.
#pragma once
#ifdef __linux__
#include <sys/epoll.h>
#include <sys/resource.h>
#endif
