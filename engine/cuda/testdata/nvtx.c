// A stand-in for NVTX: it notes the calls, each push with its text.

#include <string.h>

static char noted[1 << 16];

static int note(const char *a, const char *b) {
  if (strlen(noted) + strlen(a) + strlen(b) < sizeof noted) strcat(strcat(noted, a), b);
  return 0;
}

int nvtxRangePushA(const char *name) { return note("(", name); }
int nvtxRangePop() { return note(")", ""); }

// standinRanges copies the notes of the calls since the last time.
int standinRanges(char *to, unsigned long size) {
  strncpy(to, noted, size - 1);
  to[size - 1] = noted[0] = 0;
  return 0;
}
