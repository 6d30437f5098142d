#!/bin/sh
# Searches for the worst errors of float64 lowerings; see search.c. Prints rows
# of docs/accuracy.md.
#
#	scripts/ulp/csweep/search.sh exp log ...     EFFORT=10 for a quick one
set -e
cd "$(dirname "$0")"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/ulp" ..
for fn; do
	"$dir/ulp" -fn "$fn" -type f64 -c >"$dir/f.h"
	ref=${fn}q lo=-4 hi=3
	case $fn in
	exp | expm1 | sigmoid) lo=-6 hi=9 ;;
	exp2) ref=exp2_q lo=-6 hi=10 ;;
	sinh | cosh) hi=9 ;;
	log2 | log10) ref=${fn}_q ;;
	sin | cos | tan) hi=26 ;;
	asin | acos | atanh) lo=-8 hi=-1 ;;
	erfc | gelu) lo=-10 hi=5 ;;
	asinh | acosh) hi=6 ;;
	esac
	gcc -O2 -mfma -mavx2 -ffp-contract=off -DREF="$ref" -DLO="$lo" -DHI="$hi" -I. -include "$dir/f.h" -o "$dir/search" search.c -lquadmath -lm
	printf '| %s | float64 ' "$fn"
	"$dir/search" "${EFFORT:-40}"
done
