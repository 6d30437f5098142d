#!/bin/sh
# Exhaustive float32 sweeps by way of C; see ../c.go. Prints rows of
# docs/accuracy.md.
#
#	scripts/ulp/csweep/run.sh exp log ...     EVERY=61 for a sample
set -e
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/ulp" ..
flags="-march=native -mprefer-vector-width=512"
for fn; do
	"$dir/ulp" -fn "$fn" -c >"$dir/f.h"
	gcc $flags -Ofast -DREF="$fn" -c -o "$dir/ref.o" ref.c
	gcc $flags -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -DREF="$fn" -I. -include "$dir/f.h" -c -o "$dir/sweep.o" sweep.c
	gcc -o "$dir/sweep" "$dir/sweep.o" "$dir/ref.o" -lmvec -lm -lpthread
	printf '| %s | float32 ' "$fn"
	"$dir/sweep" "${EVERY:-1}" || true
done
