#!/bin/sh
# Searches for the worst errors of lowerings of two arguments; see pairs.c. Prints rows
# of docs/accuracy.md.
#
#	scripts/ulp/csweep/pairs.sh pow atan2 ...     COUNT=1000000 for a quick one
set -e
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/ulp" ..
for fn; do
	for type in f32 f64; do
		"$dir/ulp" -fn "$fn" -type $type -c >"$dir/f.h"
		define=
		[ $type = f64 ] || define=-DSINGLE
		gcc -O2 -mfma -mavx2 -ffp-contract=off $define -DREF="${fn}q" -DNAME="\"$fn\"" -I. -include "$dir/f.h" -o "$dir/pairs" pairs.c -lquadmath -lm
		printf '| %s | float%s ' "$fn" "${type#f}"
		"$dir/pairs" "${COUNT:-20000000}"
	done
done
