package formula_test

import (
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/oneloop/oneloop/expr/dtype"
	"github.com/oneloop/oneloop/expr/formula"
)

// fixed are formulas on a and b of shape [3 4], v of shape [4], i of int64
// indices below 3 and m of bools, all of moderate values. The number is the
// tolerance in units in the last place.
var fixed = []struct {
	text string
	ulp  float64
}{
	{"r = a.cumsum(axis=1); s = a.argsort(axis=0); t = sort(v).searchsorted(a); u = a.cumprod(0); w = a.conj(); z = i.conjugate()", 16},
	{"r = a[(0, 1)]; s = a[[0, 1]]; t = a[(-1,)]; k = (2, 0); u = a[k]; w = a[()]; l = [0, 2]; z = a[l]; y = a[(0, 2), 1]", 0},
	{"n = where(a > 0.5, nan, a); r = nanmedian(n); s = nanmedian(n, axis=1); t = nanquantile(n, 0.3); u = nanquantile(n, 0.7, axis=0); w = nanpercentile(n, 40, axis=1, keepdims=True); z = nanquantile(a, 1/3, axis=(0, 1))", 4000},
	{"r = nanmedian(where(a < 9e9, nan, a), axis=1); s = nanquantile(where(m, a, nan), 0.25, axis=0); t = nanpercentile(v, 100)", 4000},
	{"r = take_along_axis(a, argsort(a, axis=1), axis=1); s = take_along_axis(a, i[:, None] - 1, -1); t = take_along_axis(v, i, axis=None); u = signbit(m); w = signbit(-0.0 * v)", 0},
	{"n = where(a > 0.5, nan, a); r = nancumsum(n); s = nancumprod(n, axis=1); t = nancumsum(i, axis=0); u = nancumsum(where(m, nan, a) + 0j, 1); w = cumulative_sum(v); x = cumulative_sum(a, axis=-2, include_initial=True); z = cumulative_prod(i, include_initial=True)", 64},
	{"r = digitize(a, array([-1, 0, 0.5])); s = digitize(a, [-1, 0, 0.5], right=True); t = digitize(i, [1, 2]); u = float_power(i, -2); w = float_power(a, 2); x = identity(3); y = identity(2, dtype=int8); z = matrix_transpose(a[None])", 2},
	{"r = quantile(a, [0.25, 1], axis=0); s = percentile(a, (10, 50, 90)); t = quantile(v, [0.5], keepdims=True); u = nanquantile(a, [0.1, 0.2], axis=1)", 4000},
	{"r = quantile(a, 0.3, method='inverted_cdf'); s = quantile(a, [0, 0.125, 0.25, 0.375, 0.5, 1], method='closest_observation'); t = quantile(a, [0.25, 0.5, 0.3], method='averaged_inverted_cdf'); u = quantile(a, 0.3, method='hazen', axis=1); w = quantile(a, [0, 0.01, 0.6, 1], method='weibull'); x = percentile(a, 33, method='median_unbiased'); y = percentile(v, 66, method='normal_unbiased'); z = quantile(a, 0.4, method='interpolated_inverted_cdf', axis=0)", 4000},
	{"r = quantile(v, [0.3, 0.5, 0.8], method='lower'); s = quantile(v, [0.3, 0.5, 0.8], method='higher'); t = quantile(v, [0.1, 0.5, 1/3, 5/6], method='nearest'); u = quantile(v, [0.3, 1/3, 1], method='midpoint')", 4000},
	{"n = where(m, nan, a); r = nanquantile(n, 0.3, method='inverted_cdf'); s = nanquantile(n, [0, 0.3, 1], axis=1, method='closest_observation'); t = nanquantile(a, 0.7, method='hazen', axis=0); u = nanquantile(n, 0.4, method='weibull'); w = nanpercentile(n, 30, method='median_unbiased'); x = nanquantile(n, 0.35, method='midpoint', axis=0); y = nanquantile(n, 0.3, method='averaged_inverted_cdf', keepdims=True)", 4000},
	{"r = quantile(i, 0.3, method='lower'); s = percentile(i, [20, 60], method='nearest'); t = nanquantile(int8(i), 0.3, method='higher')", 0},
	{"n = where(m, inf, a); r = nanvar(n, axis=1); s = nanstd(n); t = nanvar(where(a > 0.5, nan, n), axis=0, ddof=1)", 4000},
	{"n = where(v > 0, v/0, v); r = convolve(v, n); s = convolve(n, a[0, :2], 'same'); t = correlate(a[0], n, 'full'); u = correlate(a[0, :3], n, 'same'); w = correlate(v + 2j, a[1] - 1j*v, 'full'); x = correlate(v[:2] + 2j, v*1j)", 400},
	{"r = sum(a, where=m, initial=2); s = prod(a, axis=0, where=a > 0); t = max(a, where=m, initial=-9, axis=1); u = min(i, initial=1); w = any(m, where=a > 0); x = all(m, axis=0, where=a > 0); y = max(a[:0], initial=0, axis=0); z = max(m, initial=False)", 64},
	{"r = cov(a, b); s = cov(v, bias=True); t = corrcoef(v, v*v); u = cov(float32(a), rowvar=False, ddof=2); w = corrcoef(float32(a))", 4000},
	{"r = diff(a, prepend=0); s = diff(i, append=7, prepend=1.5); t = diff(a, 2, 0, b, b[:1]); u = ediff1d(v, to_begin=[1, 2], to_end=9); w = diff(m, prepend=False)", 4},
	{"r = gradient(v, edge_order=2); s = gradient(a, 0.5, axis=1, edge_order=2); t = interp(a, [0, 1, 2], [3., 1, 4], left=-1, right=9); u = interp(a, [0, 1, 2], [3., 1, 4], right=nan)", 64},
	{"r = bincount(abs(i), minlength=40); s = bincount(abs(i), abs(i)*0.5, minlength=40)", 4},
	{"r = sort(a, kind='stable'); s = argsort(i, kind='mergesort'); t = a.argsort(axis=0, kind='heapsort'); u = sort(v, stable=True)", 0},
	{"n = where(m, nan, a[:3, :4]); r = isclose(n, n, equal_nan=True); s = allclose(n, n); t = allclose(n, n, equal_nan=True) & True; u = array_equal(n, n) | False; w = array_equal(n, n, equal_nan=True) & m; x = array_equal(i, i, equal_nan=True) & True", 0},
	{"r = nan_to_num(a/0*1.0, nan=2, posinf=3, neginf=-4); s = nan_to_num(a/0, posinf=inf); t = nan_to_num(float32(v)/0, neginf=nan); u = nanvar(i, ddof=9); w = nanstd(i, axis=0, ddof=1)", 4000},
	{"r = digitize(a + 1j*b, v[:2])", 0},
	{"c = a + 1j*b; r = cov(c); s = corrcoef(c, rowvar=False); t = cov(c[0], c[1], aweights=abs(v)); u = corrcoef(c[0]); w = cov(c, fweights=[2, 0, 1, 3], ddof=0)", 40000},
	{"c = (a + 1j*b)/where(m, 1, 0); r = nan_to_num(c); s = nan_to_num(c, nan=2, posinf=3)", 0},
	{"r = a*1; r[[0, 1]] @= ones((4, 1))", 0},
	{"r = v*1; r[[0, 1]] @= ones(2)", 0},
	{"r = a*1; r[[0, 1]] @= a.T @ b; r[m[0, :3]] += v; s = a*1; put_along_axis(s, i[:, None], v[:3].reshape(1, 3, 1), axis=1)", 64},
	{"r = pad(5, -1)", 0},
	{"r = repeat(v, [])", 0},
	{"r = nancumprod(where(m, nan, v), axis=0, dtype=int32); s = diff(m, 0, prepend=2); t = diff(int8(i), n=0, append=300); u = repeat(a[:0], [], axis=0)", 0},
	{"r = var(a, mean=float64(v)); s = std(a, axis=1, mean=i[:, None]); t = nanvar(a, mean=float64(v[0]))", 4000},
	{"r = a.cumsum(axis=(1,))", 0},
	{"r = sort(a, axis=(0,))", 0},
	{"r = argmax(a, axis=(1,))", 0},
	{"r = sort(a, kind='stable', stable=True)", 0},
	{"r = var(a, ddof=1, correction=0)", 0},
	{"r = isin(a, v, kind='quicksort')", 0},
	{"r = rollaxis(a, -4)", 0},
	{"r = concatenate([a], 5)", 0},
	{"r = vstack((a, int8(i[:, None] + a[:1]*0)), casting='no')", 0},
	{"r = ediff1d(i, to_end=0.5)", 0},
	{"r = add.accumulate(a[0, 0])", 0},
	{"r = nanpercentile(a + 1j*b, 30, method='inverted_cdf', weights=abs(b)+1)", 0},
	{"r = histogram2d(v, v, weights=1)[0]", 0},
	{"r = fabs(a + 1j*b)", 0},
	{"r = diff(a, n=0, append=b); s = tril(v); t = triu(v, -1); u = np.fft.rfft(v, norm=None); w = dot(a[None], b.T[None]); x = dot(m[None], m.T[None]); y = add.reduce(a[0, 0]); z = min(a, where=True)", 4000},
	{"c = a + 1j*b; r = vecdot(c, b - 1j*a); s = vecmat(c[:, :3], c[:, :3]*1j); t = nanmean(where(m, nan, c), axis=0); u = nanstd(c, axis=1); w = round(c, 1); x = average(c, axis=0, weights=[1, 2, 3]); y = trapezoid(c); z = gradient(c, axis=0)", 4000},
	{"r = zeros(2, dtype='f4'); s = a.astype('<f8'); t = sum(m, dtype='u1'); u = ones(2, 'e'); w = full(2, 3, '|b1'); x = arange(3, dtype='c8'); y = zeros(1, 'L')", 0},
	{"r = zeros(2, dtype='f3')", 0},
	{"r = geomspace(1, -8, 4); s = geomspace(-1, 4, 3, endpoint=False)", 8},
	{"r = prod(1e30*a/a, initial=0); s = prod(1e300*float64(a)/a*1e10, initial=0.0, axis=0); t = prod(float64(v)*1e200, initial=i[0]*0.0)", 64},
	{"r = histogram2d(v, i[[0, 1, 2, 0]])[2]; h = histogramdd([i, m[:, 0]], 2); s = h[0]; t = h[1][1]; u = histogram_bin_edges(m, 2); w = percentile(m, 30, method='lower'); x = quantile(m, [0, 0.5], method='higher')", 64},
	{"r = take_along_axis(a, i[:1, None], 0); s = take_along_axis(a, i[:, None][:1] - 1, axis=1)", 0},
	{"r = a[[]]; s = array([]); t = append(v, []); u = isin(a, []); w = sum([]); x = a[:, []]; y = array([[], []])", 0},
	{"r = a*1; r[i] = v; s = a*1; s[[0, 2], [1, 3]] += 10; t = a*1; t[:, [1, 1, 0]] -= 1; u = a*1; u[[0, 1], 1:3] = [[1, 2], [3, 4]]; w = i*1; w[[0, 0, 1]] = [1.7, 2.7, 3.7]", 4},
	{"r = a*1; r[m[:, 0]] = v; s = a*1; s[m[:, 0]] += v; t = a*1; t[:, v > 0] = 7; u = a*1; u[..., v > 0] -= [[1], [2], [3]]; w = a*1; w[m[:, 0], 0] = 9; x = a*1; x[m[:, 1], 1:3] = [8, 9]; y = a*1; y[m] = [5]; z = a[None]*1; z[0, :, v > 0] = [[2]]", 0},
	{"r = a*1; r[[True, False, True]] = v; s = a*1; s[0, m[0]] = 3; t = a*1; t[v[0] > 0] = 1.5; u = i*1; u[i > 0] = 2.7; w = a[None]*1; w[:, m] *= [[2]]; x = a[:, :, None]*1; x[m, :] = [7]; y = a[:, None]*1; y[m[:, :1], ::2] = v[::2]; z = a*1; z[None, m[:, 0]] = v[None]", 0},
	{"r = a*1; r[m] += tile(v, 4)", 0},
	{"r = a*1; r[m] *= a", 0},
	{"r = a*1; r[m] = tile(v, 4)", 0},
	{"r = a*1; r[m, 0] = 1", 0},
	{"r = a*1; r[v > 0] = 1", 0},
	{"r = linspace(min(a), max(a), 7); s = linspace(0, v, 3); t = linspace(a, v, 2, axis=-1); u = linspace(m, v, 4, False); w = linspace(i, 7, 4, dtype=int64); x = linspace([0, 1], 3, 3); y = linspace(v, v, 3, axis=1); z = linspace(1j, v, 2)", 8},
	{"r = linspace(a, v, 0, axis=1); s = linspace(a, 1, 1); t = linspace(v, 1e-320, 3)*1.0; u = linspace(0, 5, 3, axis=0)", 8},
	{"r = linspace(a, v, 2, axis=3)", 0},
	{"r = linspace(0, 1, 2, axis=1)", 0},
	{"r = round(i, -1); s = round(i*7, -1); t = round(int8(i)*5, -1); u = round(uint16(abs(i))*123, -2); w = round(i*1000003, decimals=-3); x = (i*5).round(-1); y = round(i, -9)", 0},
	{"r, s = divmod(a, 0.7); (t, u) = frexp(v); w, x, y = a*1; z, = [7]", 0},
	{"r, s = a*1, b*1; r, s = s, r; t, u = a.shape; w, r[0] = 1, v; h, x = histogram(v, 2)", 0},
	{"r, s = a", 0},
	{"r, s = 1", 0},
	{"r, s = sum(a)", 0},
	{"r, s = 1, 2, 3", 0},
	{"r = pad(m, 3, 'linear_ramp'); s = pad(m, (2, 1), 'linear_ramp', end_values=1)", 0},
	{"r = a*1; r[[5]] = 1", 0},
	{"r = a*1; r[[0]] = [1, 2]", 0},
	{"r = i*1; r[[0]] += 0.5", 0},
	{"r = a*1; add.at(r, i, 1); s = a*1; subtract.at(s, (i, i), [1, 2, 3]); t = v*1; maximum.at(t, [0, 0, 1], [1, 3, -9]); u = a*1; put_along_axis(u, argmax(u, axis=1)[:, None], -9, axis=1); w = a*1; put_along_axis(w, i, 7, None); x = float16(v); np.add.at(x, [1, 1], 0.1)", 4},
	{"r = v*1; add.at(r, [9], 1)", 0},
	{"r = quantile(a, [0, 1], axis=1); s = quantile(a, [0, 1.0], axis=1); t = nanquantile(v, [1]); u = percentile(a, [0, 100]); w = nanpercentile(a, [0], axis=0)", 4},
	{"r = bitwise_and.reduce(m); s = bitwise_or.reduce(m, axis=1); t = bitwise_xor.reduce(m, axis=None); u = bitwise_and.reduce(m[:0], keepdims=True); w = bitwise_xor.reduce(m[:, :0], axis=1); x = bitwise_or.reduce(m, axis=(0, 1))", 0},
	{"r = uint8(i)*1; add.at(r, [0, 0], 1); s = uint16(i)*1; subtract.at(s, 1, [1]); t = uint64(i)*1; maximum.at(t, i, i); u = uint8(i)*1; add.at(u, i, int16(i) - 3)", 0},
	{"h = float16(i); r = np.fft.irfftn(h); s = np.fft.irfftn(float16(a > 0), axes=(1,)); t = np.fft.irfft2(float16(a > 0))*0; u = np.fft.hfft(h)", 40},
	{"c = v + 1j; r = c*1; r[[0, 0]] += 2j; s = c*1; add.at(s, [0, 0, 1], 1 + 2j); t = c*1; put_along_axis(t, i, 1j, None)", 8},
	{"r = cov(float64(a), fweights=i+1)", 0},
	{"r = cov(float64(a), fweights=[1, 2, 3, 1], aweights=abs(v)+1); s = cov(a, aweights=abs(v)+1, dtype=float64); t = cov(a, b, True, False, 2, [1, 2, 1, 2]); u = cov(a, rowvar=False, bias=True, aweights=[1, 2, 0.5]); w = corrcoef(a, dtype=float64)", 40000},
	{"r = cov(a, fweights=[1, 2])", 0},
	{"r = gradient(v, [0, 1, 3, 4.5]); s = gradient(a, [0, 1, 3], axis=0, edge_order=2)*1.0; t = gradient(a, 2, axis=1, edge_order=2); u = gradient(v, array(0.5)); w = gradient(a, [0, 1, 2, 4], axis=1); x = gradient(i, [0, 1, 3])", 4000},
	{"g = gradient(a); r = g[0]; s = g[1]; h = gradient(a, 2, [0, 1, 3, 7]); t = h[0]; u = h[1]; w = gradient(a, 0.5, axis=(1, 0))[1]; x = gradient(a, 3.0)[-1]; y = len(g) + v", 4000},
	{"r = gradient(a, 1, 2, 3)", 0},
	{"r = gradient(v, [0, 1])", 0},
	{"r = cross(a[:, :3], b[:, :3], axisa=0); s = cross(a[:, :3].T, b[:, 1:], axisa=0, axisb=1, axisc=0); t = cross(a[:, :3], b[:, :3], axis=0); u = cross(a[:, :3], b[:, :3], -1, -1, 0)", 4000},
	{"r = interp(float64(a), [0, 1, 2.5], [3., 1, 4], period=3); s = interp([-9, 0, 7.5], [350, 10, 190], [1., 2, 4], period=360); t = interp(float64(v), [5, 0, 1], [1., 2, 3], period=-4)", 4000},
	{"r = angle(a + 1j*b, deg=True); s = angle(v, True); t = angle(m, deg=True)", 8},
	{"r = unwrap(a); s = unwrap(float64(a)*9, axis=0); t = unwrap(v, discont=4); u = unwrap(v*4, period=3); w = unwrap(i*5, period=4); x = unwrap(i*5, period=5); y = unwrap(a, 5, 0); z = unwrap([1, 8, 14, 3], period=6)", 400},
	{"r = repeat(a, [1, 0, 2], axis=0); s = repeat(v, [3, 1, 0, 2]); t = i.repeat([1, 2, 3]); u = repeat(a, [2], axis=1); w = repeat(m, (2, 2, 2, 1), 1)", 0},
	{"r = repeat(v, [1, 2])", 0},
	{"r = delete(a, [0, 2], axis=0); s = delete(v, [1, -1]); t = delete(a, [1, 1, 5]); u = delete(v, []); w = delete(i, [True, False, True]); x = delete(a, [0, 1, 2, 3], 1)", 0},
	{"r = insert(v, 1, 9); s = insert(a, 1, v, axis=0); t = insert(a, [0, 2], [[1], [2], [3]], axis=1); u = insert(v, [1, 3, 1], [7, 8, 9]); w = insert(a, 1, [1, 2, 3], axis=1); x = insert(a, [1], [[1], [2], [3]], axis=1); y = insert(a, -1, 0); z = insert(v, [0, 4], 5)", 0},
	{"r = insert(i, 1, 2.9); s = insert(v, 2, [1, 2, 3]); t = insert(a, [1, 3], v[:2]); u = insert(a, 0, 1, axis=-1); w = insert(a, [-1], b[:1], axis=0); x = insert(i, [0, 2], 7)", 0},
	{"r = insert(v, 9, 1)", 0},
	{"r = mean(a, where=m); s = mean(a, axis=0, where=a > -9e4, keepdims=True); t = a.mean(1, where=[True, False, True, True]); u = mean(i, where=i > 0); w = mean(a, 0, 'float64'); x = mean(m, 0, float32, keepdims=True)", 4000},
	{"r = var(a, where=a > -9e4, ddof=1); s = std(a, axis=1, where=[True, True, False, True]); t = var(a, 0, mean=mean(a, 0, keepdims=True)); u = std(a, axis=1, mean=v[:3, None], correction=1); w = var(a, where=m, ddof=99); x = var(a + 1j*b, axis=0, where=[[True], [True], [False]]); y = std(i, dtype=float32, where=i > 0)", 4000},
	{"n = where(a > 0.5, nan, a); r = nanmean(n, where=m); s = nanvar(n, axis=0, where=a < 9e4); t = nanstd(n, axis=1, ddof=1, where=[True, True, False, True]); u = nanvar(n, axis=0, mean=nanmean(n, axis=0, keepdims=True)); w = nanstd(n, mean=0.5, correction=1); x = nanmean(i, where=i > 0, keepdims=True); y = nanvar(i, where=i < 2)", 4000},
	{"n = where(a > 0.5, nan, a); r = nansum(n, initial=3, where=m); s = nanprod(n, axis=0, where=a < 0); t = nanmax(n, initial=-99); u = nanmin(n, axis=1, initial=1, where=m); w = nansum(i, axis=0, where=i > 0); x = nanprod(n, initial=2, axis=1, keepdims=True); y = nansum(n, 0, float64); z = nanmax(n, axis=0, where=m, initial=-5, keepdims=True)", 64},
	{"r = sum(a, 0, float64); s = prod(v, None, 'float64'); t = sum(m, 1, int8); u = std(a, 0, float64)", 4000},
	{"r = median(a, 0, overwrite_input=False); s = nanmedian(a, overwrite_input=False); t = percentile(a, 30, 1, overwrite_input=False, method='lower'); u = quantile(v, 0.5, overwrite_input=False); w = nanpercentile(a, 30, overwrite_input=False); x = nanquantile(v, 0.5, overwrite_input=False); y = percentile(a, 30, keepdims=True); z = nanpercentile(a, 30, method='hazen')", 4000},
	{"r = quantile(a, [0, 0.3, 1], weights=abs(b) + 1, method='inverted_cdf'); s = percentile(a, 40, axis=1, weights=[1, 2, 0.5, 3], method='inverted_cdf'); t = quantile(v, 0.5, weights=[0, 0, 1, 2], method='inverted_cdf', keepdims=True); u = quantile(a, [0.2, 0.8], axis=(1, 0), weights=abs(a.T) + 1, method='inverted_cdf')*1.0", 0},
	{"n = where(m, nan, a); r = quantile(n, 0.5, axis=0, weights=[1, 2, 3], method='inverted_cdf'); s = nanquantile(n, 0.6, axis=1, weights=abs(b) + 1, method='inverted_cdf'); t = nanpercentile(n, [10, 50], weights=abs(b) + 1, method='inverted_cdf'); u = quantile(i, 0.5, weights=[1., 2, 3], method='inverted_cdf')", 0},
	{"r = quantile(a, 0.5, weights=abs(b) + 1)", 0},
	{"r = average(a, axis=(0, 1), weights=abs(b)+1); s = average(a[None], axis=(1, 2), weights=abs(b)+1); t = average(a, weights=abs(b)+1, returned=True)[1]; u = average(a, axis=1, weights=v+9, returned=True)[0]; p = average(a, axis=1, weights=v+9, returned=True); w = p[1]; x = average(a, returned=True)[1]; y = average(a, 0, keepdims=True, returned=True)[1]", 4000},
	{"h = histogram(a); r = h[0]; s = h[1]; d = histogram(a, 4, (-2, 2)); t = d[0]; u = d[1]; w = histogram(i, 3)[0]; x = histogram(a, [-3, -1, 0, 0.5, 4])[0]; y = histogram(m, 2)[1]; z = histogram(a*0, 3)[1]", 64},
	{"r = histogram(a, 3, density=True)[0]; s = histogram(a, 5, weights=abs(b))[0]; t = histogram(a, [-9, 0, 9], density=True, weights=float64(b)*b+1)[0]; u = histogram(i, bins=[0, 1, 2], weights=[1, 2, 4])[0]; w = histogram_bin_edges(a, 4); x = histogram_bin_edges(a, 5, range=(0, 1)); y = histogram_bin_edges(i, [0, 1, 4], weights=i); z = histogram(a[:0], 4)[0]", 4000},
	{"h = histogram2d(v, a[0]); r = h[0]; s = h[1]; t = h[2]; u = histogram2d(v, a[1], [2, 3], [(-4, 4), (-3, 3)])[0]; w = histogram2d(v, a[1], [[-9, 0, 9], [-9, 1, 2, 9]], density=True)[0]; x = histogram2d(v, a[2], 3, weights=abs(v))[0]; y = histogram2d(v, a[2], [-9, 0, 3, 9])[0]; z = histogram2d(v, v, bins=(2, [-8, 0, 8]), range=None)[1]", 4000},
	{"h = histogramdd(float64(a).T[:, :2], 3); r = h[0]; s = h[1][1]; t = histogramdd([v, v*v], bins=(2, 3))[0]; u = histogramdd([v, a[0]], [[-9, 0, 9], 2], density=True)[0]; w = histogramdd([v, a[0]], 2, range=[(-4, 4), (-3, 3)], weights=abs(v))[0]; x = histogramdd(v, 3)[0]", 4000},
	{"r = histogram(a, bins='fd', range=(1, 0))[0]", 0},
	{"r = digitize(a, [2, 1, 0]); s = digitize(a, [2, 1, 0], right=True); t = digitize(v, [0.5]); u = digitize(i, bins=[1, 1])", 0},
	{"r = searchsorted([3, 1, 2], a, sorter=[1, 2, 0]); s = v.searchsorted(a, 'right', argsort(v)); t = searchsorted(v, 0.5, sorter=argsort(v))", 0},
	{"r = allclose(a, a*1.01, 0.1, 1e-3, True) & True; s = isclose(a, b, 0.5, 0.1, False)", 0},
	{"r = rot90(a[None], 1, (2, 0)); s = flip(a, (0, 1)); t = roll(a, (1, 2), (1, 0)); u = tile(a, (2, 1, 1)); w = median(a, axis=(0, 1), keepdims=True); x = rollaxis(a[None], 2); y = rollaxis(a[None], 0, 3); z = rollaxis(a[None], -1, 1)", 0},
	{"r = reshape(a, (2, 6), 'F'); s = a.reshape((4, -1), order='F'); t = ravel(a, 'F'); u = a.flatten('F'); w = a.reshape(2, 6, order='C'); x = reshape(a, 12, copy=True); y = ravel(a[None], order='F')", 0},
	{"r = reshape(a, 12, 'K')", 0},
	{"r = concatenate([a, b], dtype=float64); s = stack([i, i], dtype=float32); t = hstack([v, i], dtype='float32', casting='unsafe'); u = vstack([v, v], dtype=int32, casting='unsafe'); w = concatenate([i, i], 0, dtype=float64, casting='safe'); x = stack([v, v], -1, casting='no', dtype=v.dtype)", 0},
	{"r = concatenate([a, b], dtype=int32)", 0},
	{"r = hstack([float64(a), float64(b)], dtype=float32, casting='safe')", 0},
	{"r = pad(a, 1, constant_values=(1, 2)); s = pad(a, ((1, 2), (0, 1)), constant_values=((1, 2), (3, 4))); t = pad(i, 2, constant_values=1.7); u = pad(a, ((1, 0), (2, 1)), 'constant', constant_values=((5,), (6,))); w = pad(a, ((1,), (2,)), constant_values=v[0])", 0},
	{"r = pad(a, 3, 'linear_ramp'); s = pad(a, (2, 1), 'linear_ramp', end_values=(5, -4)); t = pad(i, 3, 'linear_ramp', end_values=9); u = pad(a, ((0, 2), (1, 0)), 'linear_ramp', end_values=((1, 2), (3, 4)))", 64},
	{"r = pad(a, 2, 'maximum'); s = pad(a, ((1, 2), (3, 0)), 'minimum', stat_length=2); t = pad(a, 1, 'mean'); u = pad(i, 2, 'mean', stat_length=(1, 2)); w = pad(a, 1, 'median', stat_length=((1, 2), (3, 9))); x = pad(i, 1, 'median'); y = pad(v, 2, 'mean', stat_length=(2, 3))", 400},
	{"r = pad(a, 1, 'reflect', reflect_type='odd'); s = pad(v, (2, 3), 'reflect', reflect_type='odd'); t = pad(a, ((1, 2), (0, 3)), 'symmetric', reflect_type='odd'); u = pad(i, 2, 'symmetric', reflect_type='even')", 4},
	{"r = pad(a, 1, 'edge', constant_values=1)", 0},
	{"r = pad(a, ((1, 2), (3, 4), (5, 6)))", 0},
	{"r = split(a, 2, axis=1)[1]; s = array_split(v, 3)[0]; p = split(v, [1, 3]); t = p[0]; u = p[1]; w = p[2]; x = hsplit(a, 2)[0]; y = vsplit(a, 3)[2]; z = dsplit(a[:, :, None], [0])[1]", 0},
	{"p = unstack(a); r = p[1]; s = unstack(a, axis=1)[2]; q = broadcast_arrays(a, v, 2); t = q[1]; u = q[2]; w = split(a, [-1], 1)[0]; x = array_split(a, 2, axis=0)[1]; y = hsplit(v, [1])[1]; z = split(v, (2, 99))[1]", 0},
	{"r = split(a, 2)[0]", 0},
	{"r = vsplit(v, 2)[0]", 0},
	{"q = meshgrid(v, i); r = q[0]; s = q[1]; d = meshgrid(v, i, m[0], indexing='ij', sparse=True); t = d[2]; u = meshgrid(v, i, copy=False, indexing='ij')[1]", 0},
	{"q = modf(a); r = q[0]; s = q[1]; t = modf(a/0)[0]; u = modf(i)[1]; d = divmod(a, 0.7); w = d[0]; x = d[1]; y = divmod(i, 2)[0]; z = divmod(-7, i + 1)[1]", 0},
	{"r = block([[a, b], [b, a]]); s = block([v, 1, i]); t = block([[a], [v]]); u = block(a); w = block([[[a]], [[b]]]); x = block([[1, 2], [3, 4]])", 0},
	{"r = block([[a], b])", 0},
	{"q = atleast_2d(v, a, 1); r = q[0]; s = q[2]; t = atleast_1d(1, 2)[1]; u = atleast_3d(v, a)[1]; w = ndim(a) * v; x = v * shape(a)[1]; y = v * (size(a) + size(a, 1) + size(a, axis=(0, 1)))", 0},
	{"r = asarray(a, copy=True); s = array(a, dtype=float64, copy=None); t = asarray(v, copy=False)", 0},
	{"r = asarray(i, dtype=float32); s = nan_to_num(a, False); t = trace(a[None], 1, 1, 2, float64); u = convolve(v, i, mode='same')", 400},
	{"r = trapezoid(a, dx=0.5, axis=0); s = trapezoid(a, None, 2.0, 1); t = trapezoid(y=v, x=[0, 1, 3, 4]); u = cumulative_sum(a, axis=0, dtype=float64); w = cumulative_prod(v, dtype=float64, include_initial=True); x = nancumsum(a, 0, float64); y = nancumprod(v, None, float64); z = cumprod(v, 0, float64)", 4000},
	{"r = prod(v, keepdims=True, initial=2.0); s = sum(a, 1, keepdims=True); t = nanprod(a, 0, dtype=float64); u = cumsum(i, 0, dtype=float32); w = std(a, 0, keepdims=True, dtype=float64); x = var(i, dtype=float32, keepdims=True); y = nanmean(a, dtype=float64); z = corrcoef(float64(a), rowvar=False)", 40000},
	{"r = max(a, 1, keepdims=True); s = min(a, 0, where=m, initial=5, keepdims=True); t = nanmin(a, axis=1, keepdims=True); u = clip(a, min=-1, max=1); w = all(m, 0, keepdims=True); x = any(m, axis=1, keepdims=True); y = ptp(a, 0, keepdims=True); z = nanmedian(a, 1, keepdims=True)", 4000},
	{"n = where(a > 0.5, nan, float64(a)); r = nanstd(n, dtype=float64, keepdims=True); s = nanvar(n, 1, float64, keepdims=True); t = nanvar(n, correction=1); u = cumulative_prod(a, axis=1); w = iscomplex(a + 0j); x = isreal(a + 1j*b); y = iscomplexobj(a) | m; z = isrealobj(a) & m", 4000},
	{"r = bincount(abs(i), None, 9); s = bincount(abs(i), minlength=5, weights=i)", 4},
	{"r = softmax(a)", 32},
	{"r = softmax(a, axis=0)", 32},
	{"r = logsumexp(a, axis=1)", 16},
	{"r = logsumexp(a, axis=(0, 1), keepdims=True)", 16},
	{"r = layernorm(a, v, b, 1e-3)", 4000},
	{"r = relu(a); s = sigmoid(a); t = gelu(abs(a))", 16},
	{"r = softplus(a); s = silu(a); t = elu(a); u = elu(a, 0.5); w = leaky_relu(a); z = leaky_relu(v, negative_slope=0.25)", 16},
	{"r = log_softmax(a); s = log_softmax(a, axis=0); t = log_softmax(v)", 4000},
	{"r = tanh(a) + 0; s = erf(v); t = rsqrt(abs(v))", 8},
	{"r = mean(a); s = mean(a, axis=0); t = a.mean(axis=-1, keepdims=True)", 4000},
	{"r = var(a); s = std(a, axis=0); t = var(a, axis=1, ddof=1)", 400},
	{"r = linspace(0, 1, 7); s = linspace(1, 2, 5, endpoint=False); t = linspace(3, 3, 1)", 0},
	{"r = arange(7); s = arange(1, 2, 0.1); t = arange(9, 0, -2); u = arange(3.0)", 0},
	{"r = arange(5, dtype=float32); s = arange(2, 9, 3, dtype=int8); t = arange(0)", 0},
	{"r = eye(3); s = eye(2, 4, k=1, dtype=int32); t = eye(3, k=-1, dtype=bool)", 0},
	{"r = zeros((2, 3)); s = ones(4, dtype=int8); t = full((2,), 3); u = full(3, 1.5, dtype=float32)", 0},
	{"r = zeros_like(i); s = ones_like(a); t = full_like(v, 7)", 0},
	{"r = pad(a, 1); s = pad(a, ((0, 1), (2, 0))); t = pad(v, (1, 2), constant_values=3); u = pad(a[:0], 1); w = pad(sum(a), 2); x = pad(a, 0)", 0},
	{"r = roll(a, 1); s = roll(a, -3, axis=1); t = roll(v, 2)", 0},
	{"r = moveaxis(a[None], 0, -1); s = swapaxes(a, 0, 1); t = transpose(a[:, None], (2, 0, 1))", 0},
	{"r = expand_dims(a, (0, 2)); s = squeeze(a[None, :, None]); t = squeeze(a[:, :1], axis=1)", 0},
	{"r = flip(a); s = flip(a, 0); t = a[::-1, ::-2]; u = a.T[1:, -1]", 0},
	{"r = take(a, i, axis=0); s = take(a, i); t = a[i]; u = a[:, i]; w = a[i, 1:3]", 0},
	{"r = take(a, [-9, 1, 99], axis=0, mode='clip'); s = take(a, [-9, 1, 99], mode='wrap'); t = take(a, [-1, 0], 1, mode='raise'); u = take(a, [], axis=0)", 0},
	{"r = a.take([5, -5], axis=1, mode='wrap'); s = take(v, int8([99, -1]), mode='clip')", 0},
	{"r = take(a, [0], mode='none')", 0},
	{"r = take(v, [99])", 0},
	{"r = a[1, i]; s = a[..., i]; t = a[i[None], :2]; u = a[[0, -1]]; w = a[i[0]]", 0},
	{"r = a[None, ..., 2]; s = a[1]; t = a[-1, -2]; u = a[5:, :]; w = a[:-1, None, 1:100:2]", 0},
	{"r = concatenate([a, b]); s = concatenate((a, b), axis=1); t = concatenate([a, v], axis=None)", 0},
	{"r = stack([a, b]); s = stack([a, b], axis=-1); t = stack([v, v, v], axis=1)", 0},
	{"r = outer(v, v); s = a.ravel(); t = reshape(a, (2, -1)); u = a.reshape(4, 3); w = broadcast_to(v, (2, 4))", 0},
	{"r = a @ b.T; s = a @ v; t = v @ v; u = dot(a, v); w = inner(a, b)", 400},
	{"r = i @ i; s = outer(i, i); t = m[0] @ m.T; u = dot(v, 2); w = a[None] @ b.T", 400},
	{"r = where(a > 0, a, b); s = where(m, 1, 2.5); t = where(i, i, 7)", 0},
	{"r = clip(a, -1, 1); s = clip(i, 1, 300); t = clip(a, None, v); u = a.clip(0)", 0},
	{"r = round(a); s = around(i); t = rint(a); u = floor(i); w = fix(a); x = trunc(m)", 0},
	{"r = nan_to_num(a/0); s = nan_to_num(a*nan + 0); t = signbit(a); u = signbit(i - 1)", 0},
	{"r = argmax(a); s = argmin(a, axis=0); t = a.argmax(axis=1, keepdims=True); u = argmax(m, axis=1)", 0},
	{"r = sum(m); s = sum(i); t = prod(i + 1); u = any(a > 100); w = all(m, axis=0); x = count_nonzero(m)", 0},
	{"r = max(m); s = min(m, axis=1); t = ptp(i); t0 = ptp(m, axis=()); u = nanmax(a); w = nansum(m)", 0},
	{"r = diff(a); s = diff(i, 2); t = diff(m, axis=0); u = diff(a, n=7, axis=1); w = diff(a, n=0)", 0},
	{"r = tile(v, 3); s = tile(a, (2, 1, 2)); t = tile(i, ()); u = tile(m, 0); w = tile(i, (2, 2))", 0},
	{"r = repeat(a, 2); s = repeat(a, 3, axis=0); t = i.repeat(2, 0); u = repeat(m, 0, axis=1)", 0},
	{"r = tri(3); s = tri(2, 4, 1, dtype=int32); t = tril(a); u = triu(a, 1); w = tril(m, -1); x = triu(outer(i, i), k=-1)", 0},
	{"r = nanmean(a, axis=0); s = nanvar(where(a > 0, a, nan), axis=1); t = nanstd(i, ddof=1); u = nanmean(a*nan); w = nanvar(v, ddof=4)", 64},
	{"r = round(a, 2); s = around(v, -1); t = round(i, 3); u = isclose(i, i + 1); w = isclose(i*1.0, i + 1e-9); x = isclose(v, v[::-1], 0.5, atol=1)", 8}, // NumPy scales halves in half precision
	{"r = isclose(nan, nan); s = isclose([inf, 1, -inf], [inf, inf, inf]); t = outer(m, m); u = outer(i, v); w = outer(a, 2)", 0},
	{"r = pad(a, 2, 'edge'); s = pad(i, (3, 7), 'wrap'); t = pad(a, ((1, 5), (0, 9)), 'reflect'); u = pad(a, 4, mode='symmetric'); w = pad(m, ((0, 1), (2, 0)), 'edge')", 0},
	{"r = pad(i[:1], 3, 'reflect'); s = pad(i[:1], (2, 3), 'symmetric'); t = roll(a, (1, 2), axis=(0, 1)); u = roll(a, (1, -1), axis=1)", 0},
	{"r = mean(a, axis=()); s = var(i, axis=()); t = nansum(a, axis=(), keepdims=True); u = max(a, axis=()); w = ptp(i, axis=())", 0},
	{"r = sum(i, axis=()); s = sum(i, dtype=float32); t = prod(m, axis=1)", 0},
	{"r = 1e3 + np.fft.fft2(a); s = 1e3 + np.fft.ifft2(a, (4, 3), norm='forward'); t = 1e3 + np.fft.fft2(m); u = 1e3 + np.fft.fft(i)", 4},
	{"r = 1e3 + np.fft.fftn(a + 1j*b, norm='ortho'); s = 1e3 + np.fft.ifftn(a[None] - 1j*b, (5, -1), (2, 1)); t = 1e3 + np.fft.fftn(a, (2, 7)); u = 1e3 + np.fft.fftn(v, axes=(0, 0))", 4},
	{"r = 1e3 + np.fft.rfft2(a); s = 1e3 + np.fft.irfft2(a + 1j*b, (2, 5), axes=(1, 0)); t = 1e3 + np.fft.irfft2(a + 1j*b, norm='ortho')", 4},
	{"r = 1e3 + np.fft.rfftn(a[None] + i[:, None, None], axes=(0, 2)); s = 1e3 + np.fft.irfftn((a - 1j*b)[None], axes=(0, 1)); t = 1e3 + np.fft.irfftn(a + 1j*b, (3, 6), (1, -1), 'forward'); u = 1e3 + np.fft.rfftn(a, (5,), (0,))", 4},
	{"r = 1e3 + np.fft.hfft(v); s = 1e3 + np.fft.hfft(a + 1j*b, 5, axis=0, norm='ortho'); t = 1e3 + np.fft.ihfft(a, norm='forward'); u = 1e3 + np.fft.ihfft(i, 4); w = 1e3 + np.fft.hfft(a, norm='forward'); x = 1e3 + np.fft.irfft(a)", 4},
	{"r = np.fft.fftshift(a); s = np.fft.ifftshift(a, axes=0); t = np.fft.fftshift(m, axes=(0, -1)); u = np.fft.ifftshift(i); w = np.fft.fftshift(a, (1, 1))", 0},
	{"r = real(np.fft.fftn(a, (2,), (0, 1)))", 0},
	{"r = np.fft.rfftn(a, axes=())", 0},
	{"r = np.fft.fft2(v)", 0},
	{"r = np.fft.fft2(a, (0, 2))", 0},
	{"r = np.fft.fft2(a, norm='x')", 0},
	{"r = np.fft.rfft2(a + 1j*b)", 0},
	{"r = np.fft.irfftn(a, (1, 2, 3))", 0},
	{"r = np.fft.fftshift(a, 2)", 0},
	{"r = np.fft.hfft(v, 0)", 0},
	{"r = np.fft.fftn(a, (2, 3, 4), (0, 1, 5))", 0},
	{"r = one_hot(i, 5); s = one_hot(i, 3, dtype=float32)", 0},
	{"r = 7 // 2 + a; s = -7 % 3 * a; t = 2**-1 + a; u = (1 << 40) + i; w = a * 1e400", 0},
	{"r = 3 + a.shape[0]*a.ndim + a.size; s = len(a) * v; t = sum(a*0 + 1, axis=1) / a.shape[-1]", 0},
	{"r = i ** 3; s = 2 ** i; t = i ** i; u = (i - 2) ** 2; w = i ** 0", 0},
	{"r = a ** 2; s = abs(a) ** 0.5; t = a ** -1; u = a ** 1", 0},
	{"r = a ** -2; s = abs(a) ** -0.5; t = (a / 0) ** -2; u = (a / 0) ** -0.5; w = (a * 0) ** -0.5; x = (a * 0) ** -2", 8},
	{"r = abs(a) ** 1.7; s = 2.0 ** a; t = a ** 3; u = abs(a) ** v", 8},
	{"r = i / 2; s = i // 2; t = i % 2; u = 7 % (i + 1); w = i / (i + 1)", 0},
	{"r = a // 0.7; s = a % 0.7; t = a % -0.7; u = fmod(a, 0.7)", 0},
	{"r = i & 1; s = i | 4; t = i ^ 3; u = ~i; w = i << 3; x = i >> 1; y = ~m", 0},
	{"r = m + m; s = m * m; t = m & m; u = m ^ True; w = m + 1; x = m // m.any()", 0},
	{"r = i < 300; s = i == 1.0; t = -1 < i; u = i >= 2**70; w = m == True", 0},
	{"r = logical_and(a, m); s = logical_not(i); t = logical_or(m, False); u = logical_xor(a, i[:, None])", 0},
	{"r = float32(2) * a; s = int8(i); t = a.astype(float16); u = astype(m, 'int8'); w = (a*0).astype(bool)", 0},
	{"r = i.astype(uint8) - 3; s = (i - 3).astype(uint32); t = (i * 1000).astype(int8)", 0},
	{"r = [1, 2, 3]; s = array([[1, 2], [3, 4]]) * 2.0; t = asarray([True, False]) + i[:2]", 0},
	{"q = frexp(a); r = q[0]; s = q[1]; t = frexp(int8(i))[0]; u = frexp([inf, nan, 0, -0.0, 5e-324, 1e-310])[0]; w = frexp([inf, nan, 0, -0.0, 5e-324, 1e-310, -8])[1]; x = ldexp(a, i[0]); y = ldexp(float32(a), -140); z = ldexp(i, 3); z2 = ldexp(int8(i), 2); z3 = ldexp([1.5, -3], [-1074, 100000])", 0},
	{"r = i0(a); s = i0(v * 20); t = i0(int8(i)); u = i0([0, -8, 8.5, 700, -713, nan]); w = i0(3)", 8},
	{"r = nextafter(a, b); s = nextafter(float32(a), inf); t = nextafter([0, -0.0, 0, 5e-324, -5e-324, inf, -inf, 1.7976931348623157e308, nan, 1, 2.0**-1022, 1.5], [1, 0, -0.0, -1, 1, 0, inf, inf, 1, 0, 0, nan]); u = nextafter(float16(a), -1); w = nextafter(float16([1, 65504, 6e-8, 6e-5]), float16([0, inf, -1, 0])); x = nextafter(i, 0)", 0},
	{"r = spacing(abs(a)); s = spacing(float32(b)); t = spacing([0, -0.0, inf, nan, -1, 1.7976931348623157e308, -1.7976931348623157e308, 1e-310, 2.0**-1022]); u = spacing(abs(float16(a))); w = spacing(i)", 0},
	{"r = gcd(i, 12); s = lcm(i, 9); t = gcd([0, 0, -12, 2147483647, 1836311903], [0, -5, 18, 2147483646, 1134903170]); u = gcd(int8([-128, -128, 127, 96]), int8([0, 96, -126, 36])); w = lcm(int8([-100, 0, 7]), int8([99, 5, -3])); x = gcd(uint64([2**62, 12]) * uint64(2), uint64([2**62, 18])); y = lcm(uint8(6), int32(i)); z = gcd([-2**63, -2**63], [0, 2**40])", 0},
	{"r = deg2rad(a); s = degrees(v); t = sinc(float64(a)); t2 = sinc(i); t3 = sinc(int8(i)); t4 = sinc(m); u = heaviside(a - a[0], 0.5); w = radians(i)", 4},
	{"r = logaddexp(a, b); s = logaddexp2(v, 1.5); t = logaddexp(i, v[:3]); u = logaddexp([inf, -inf, nan], [inf, -inf, 1])", 16},
	{"r = isposinf(a/0); s = isneginf(-abs(a)/0); t = bitwise_count(i); u = bitwise_count(-i*1000000007)", 0},
	{"r = nanprod(where(a > 0, a, nan), axis=0); s = nanprod(i); t = trace(a); u = trace(outer(i, i), 1); w = trace(m, -1)", 16},
	{"r = average(a, axis=1, weights=v + 3); s = average(a, weights=abs(b) + 1); t = average(i, weights=[1, 2, 3]); u = average(a, axis=0)", 400},
	{"r = trapezoid(a); s = trapezoid(a, v); t = trapezoid(v, dx=0.5); u = trapezoid(a, axis=0); w = trapezoid(i, [1, 2, 4])", 400},
	{"r = gradient(v); s = gradient(a, 0.5, axis=1); t = gradient(a, axis=0); u = gradient(i); w = gradient(v[:2], 2)", 16},
	{"r = allclose(a, a + 1e-9); s = allclose(a, b); t = array_equal(a, a); u = array_equal(a, v); w = array_equiv(v, v[None]); x = array_equiv(v, i)", 0},
	{"r = cross(a[:, :3], b[:, 1:]); s = cross(i, [1, 2, 3]); t = kron(a, b); u = kron(v, i); w = kron(m, m); x = kron(2, a)", 4000}, // halves are rounded once, and differences of products cancel
	{"r = convolve(v, [1, 2, 0.5]); s = convolve([1, 2], v); t = convolve(v, i, 'same'); u = convolve(i, v, 'valid'); w = convolve(v, [1, 2], 'same')", 400},
	{"r = correlate(v, [1, 2, 0.5]); s = correlate([1, 2.5], v, 'full'); t = correlate(i, v, 'same'); u = correlate(v, i, mode='full'); w = correlate(i, v)", 400},
	{"r = rot90(a); s = rot90(a, 2); t = rot90(a, -1); u = rot90(a[None], 1, axes=(1, 2)); w = rot90(a, 4); x = fliplr(a); y = flipud(v)", 0},
	{"r = hstack([a, b]); s = hstack([v, i]); t = vstack([a, v]); u = vstack((v, v)); w = dstack([a, b]); x = column_stack([i, a]); y = column_stack([v, v])", 0},
	{"r = atleast_1d(2.5); s = atleast_2d(v); t = atleast_3d(v); u = atleast_3d(a); w = atleast_3d(1); x = atleast_2d(a); y = dstack([v, v]); z = hstack([1, i])", 0},
	{"r = append(a, v); s = append(a, b, axis=0); t = delete(a, 1, axis=0); u = delete(v, -1); w = delete(a, 5); x = append(i, 2.5)", 0},
	{"r = resize(a, (2, 3)); s = resize(v, (3, 5)); t = resize(i, 7); u = resize(a, (0, 2)); w = ediff1d(a); x = ediff1d(i)", 0},
	{"r = diagonal(a); s = diagonal(a, 1); t = diagonal(a, -2); u = diagonal(a[None], 1, 1, 2); w = a.diagonal(9); x = diagonal(a, offset=-7); y = diagonal(a[None], 0, 2, 0)", 0},
	{"r = diag(v); s = diag(v, 2); t = diag(i, -1); u = diag(a); w = diag(a, k=-1); x = diag(m)", 0},
	{"r = delete(v, 4)", 0},
	{"r = delete(a, 1, axis=(0, 1))", 0},
	{"r = trapezoid(a, axis=(0, 1))", 0},
	{"r = diff(a, axis=(0, 1))", 0},
	{"r = repeat(a, 2, axis=(0, 1))", 0},
	{"r = cross(a, b)", 0},
	{"r = average(a, axis=0, weights=v)", 0},
	{"r = 2 + 0*a; r[:] = interp(a, [-1, 0, 2.5], [3, -1, 10]); s = interp(float64(v), arange(-3.0, 4.0), float64(arange(7)**2)); t = interp(1.5, sort(i)*2.0, i*1.0)", 64},
	{"r = interp(array([nan, inf, -inf, 0.5, 1]), array([0.0, 1.0]), array([5.0, 7.0])); s = interp(array([-1, 0, 1.5]), array([0.5]), array([2.0]))", 0},
	{"r = cov(float64(a)); s = cov(float64(v)); t = corrcoef(float64(a)); u = cov(i); w = cov(float64(a), rowvar=False); x = corrcoef(float64(v)); y = cov(float64(a), ddof=0)", 4000},
	{"a *= 2; r = a + b; a -= b; s = a", 0},
	{"r = array([300], dtype=int8)", 0},
	{"r = array([-1], dtype=uint8)", 0},
	{"r = array([[1, 2], [3, 300.5]], dtype=int8)", 0},
	{"r = array([nan], dtype=int8)", 0},
	{"r = array([0.5, 18446744073709551614], dtype=uint64); s = array([[True], [2]], dtype=float16)", 0},
	{"r = asarray(-1, dtype=uint32)", 0},
	{"i[:] = [1, 2**63, 3]; r = i", 0},
	{"i[0] = nan; r = i", 0},
	{"k = i[0] * 1; k[1] += 1.7; k[-1] *= 0.5; k[0] /= 2; r = k; j = i * 1; j[0, 1] -= a[0, 0]; j[1, 2] //= 2.0; s = j", 0},
	{"r = hstack([uint8(i), int8(i), float16(m[0])]); s = concatenate([uint16(i), int16(i), float16(m[0]), float32(v)]); t = select([m[0, :3], m[1, :3], m[2, :3]], [int8(i), uint8(i), 1.5], float16(v[0])); u = einsum('i,i,i', uint16(i), int16(i), float16(m[0, :3])); w = stack([uint64(i), int8(i), float32(i)]); x = hstack([uint8(i), int8(i), complex64(i)])", 0},
	{"k = i * 1; k[1] += 1.7; k[-1] *= 0.5; k[0] /= 2; r = k; j = int8(m); j[0, 1] -= v[0]; j[1, 2] //= 2.0; j[2, True * 1] += 0.5; s = j", 0},
	{"r = round(array([complex64(1.25) - inf, -inf + 1j, nan - 2.357j, -0.04 - 0.04j]), 1); s = round(a * 100j + b, -1)", 4},
	{"r = array([v[0], 2.0]); s = array([uint8(i[0]), 300]); t = where(m[0, :2], [float32(a[0, 0]), 2], 1); u = v[:2] * [2.0, v[0]]; w = array([[int8(i[0])], [2]]); x = array([complex64(v[1]), 1j]); y = array([m[0, 0], True, i[0]]); z = array([float32(a[0, 1]), a[0, 0]])", 0},
	{"r = vecdot(a, i, axis=0); s = vecdot(i, a, axis=0); t = vecdot(a[None], v, 0)", 400},
	{"r = vecdot(a[:, None], i, axis=0); s = vecdot(v, a.T + 2j*b.T, axis=0); t = vecdot(b[None, None], a[None], axis=1); u = vecdot(a[None], v, axis=-1)", 4000},
	{"r = var(i, dtype=complex, where=m[0, :3]); s = nanstd(float64(a[0]), -1, complex128, where=m[0]); t = np.fft.irfftn(a, s=(3,)); u = np.fft.irfftn(a, s=(4, 3))", 4000},
	{"r = norm(a, axis=()); s = norm(a[None], axis=(0, 1, 2))", 0},
	{"k = i * 1; k[0, ...] += 1.5; r = k", 0},
	{"k = i * 1; k[:1] += 1.5; r = k", 0},
	{"k = int8(m); k[0] += 1.5; r = k", 0},
	{"i[0] = 1e300; r = i", 0},
	{"r = int8(300.5)", 0},
	{"r = int8(-7.5); s = uint8(255.9)", 0},
	{"i[:] = [1.9, 2, True]; r = i", 0},
	{"a @= v; r = a", 0},
	{"r = b @ b.T; r @= v[:3]", 0},
	{"r = b @ b.T; r @= r", 400},
	{"r = i * 1; r += 1.5", 0},
	{"r = a * 1; r += 1.5; s = i[0]; s += 1.5", 0},
	{"a += b[None]; r = a", 0},
	{"r = power(m, 2); s = m ** 2; t = m ** True; u = power(m, True); w = m ** array(2)", 0},
	{"r = power(2, -1)", 0},
	{"r = power(abs(a), .5)[0]; s = divide(1, 4); t = add(True, True); u = power(2.0, -1)", 0},
	{"r = subtract(True, True)", 0},
	{"r = arange(0, 1, inf); s = arange(0, -1, inf); t = arange(0, 5e-324, 10); u = arange(1, 2, -inf)", 0},
	{"r = arange(0, inf, inf)", 0},
	{"r = concatenate([float32(a), 1.0], axis=None); s = concatenate([m, 1], axis=None); t = stack([float32(v[0]), 1.0])", 0},
	{"r = logical_and(int8(i), 300); s = logical_or(uint8(i), -1); t = logical_xor(i, 2.5); u = logical_not(300)", 0},
	{"r = clip(m, 0, 1); s = clip(m, False, True); t = clip(m, None, m); u = m.clip(True)", 0},
	{"r = clip(a, 2)", 0},
	{"r = clip(a, a_max=2)", 0},
	{"r = a.clip(2); s = clip(a, None, None); t = clip(a, min=1); u = clip(i, 0, inf)", 0},
	{"r = var(a, ddof=1, correction=1)", 0},
	{"r = var(v, ddof=4); s = std(v, ddof=9); t = var(v*0, ddof=5); u = std(a, axis=0, ddof=3)", 0},
	{"r = sign(a*0.0); s = sign(-a*0.0); t = 1 / sign(-0.0*abs(a))", 0},
	{"r = a * 1; a[0] = v; a[1:] += 1; a[:, ::2] *= -1; s = r - a", 0},
	{"r = v * 1; v[::-1] = v * 1; v[1:] -= v[:-1] * 1; v[0] = 9", 0},
	{"r = a * 1; r[r > 0] = 0; a[a < 0] = 1.5; r[1] /= 4", 0},
	{"i += 2; i //= 2; i **= 2; i <<= 1; i |= 1; r = i", 0},
	{"i[:] = 2.7; a[0, 0] = 300; a[:] = v[None, None]; r = a + i[:, None]", 0},
	{"r = copysign(a, b); s = signbit(b); t = hypot(a, b); u = arctan2(i, 2)", 6},
	{"r = a + 0.33349609375001; s = a * 1.00048828125001; t = a + 65519.99999; u = a * 65520", 0},
	{"r = a.sum(axis=0) + a.max() - a.min(axis=-1)[0]", 400},
	{"r = einsum('ij,kj->ik', a, b); s = einsum('ij->ji', a); t = einsum('ij,j', a, v); u = einsum('...i->...', b); w = einsum('ij,ij', a, b); x = einsum('ii', a[:, :3])", 4000},
	{"r = a*1; r[()] = 7; s = a*1; s[()] += v; t = i*2; t[()] = i", 0},
	{"r = einsum('ij,kj,k->i', a, b, v[:3]); s = einsum('i,j,ij', v[:3], v, a); t = einsum('ij,jk,ki->', m[:, :3], m[:, :3], m[:, :3]); u = einsum('i,i,i,i->i', v, v, v, v)", 4000},
	{"r = tensordot(a, b, axes=([0, 1], [0, 1])); s = tensordot(a, b.T, 1); t = inner(a[None], b); u = vecdot(a, b); w = matvec(a, v); x = vecmat(a[:, 0], b)", 4000},
	{"r = inner(m, m); s = einsum('ij,ij->i', m, m); t = tensordot(m, m.T, 1); u = vecdot(m, m[0]); w = matvec(m, m[0]); x = convolve(m[0], m[1]); y = correlate(m[0], m[1], 'same'); z = inner(m, i[0])", 0},
	{"r = a[[0, 1], [2, -1]]; s = a[i, i - 3]; t = a[i[:, None], [0, 3]]; u = a[None, i, 1, None]; w = a[None][:, [1, 2], [0, -4]]; x = a[i, None, [0, 1, 2]]; y = a[[[0]], i]", 0},
	{"c = a[:, :, None] * v; r = c[i, :, [0, 1, 3]]; s = c[[1, 2], 0, :1][:, 0]; t = c[0, :, i]; u = c[:, i, i]; w = c[i, i, i]; x = c[..., i, 2]; y = c[1, i, uint8(i)]; z = c[::-1, [1], ::2][:, 0]", 0},
	{"r = a[[0, 3], [0, 1]]", 0},
	{"r = a[[0, 1], [0, 4]]", 0},
	{"r = a[[0, 1], [0, 1, 2]]", 0},
	{"r = a[[0, 1], [0, -5]]", 0},
	{"r = a[i, [0]]; s = a[i, uint64(i)]", 0},
	{"r = max(m[:0], axis=0)", 0},
	{"r = min(m[:, :0])", 0},
	{"r = max(m[:0], axis=1); s = min(m[:0], axis=0, initial=True); t = pad(m, 1, 'maximum'); u = pad(m, ((0, 2), (1, 0)), 'minimum', stat_length=2); w = pad(m, 1, 'mean'); x = pad(m, 2, 'median', stat_length=3)", 0},
	{"r = np.add.reduce(a); s = multiply.reduce(a, 1); t = maximum.reduce(a, axis=None); u = np.minimum.accumulate(a); w = add.accumulate(a, axis=1); x = np.logical_or.reduce(m, axis=(0, 1)); y = bitwise_and.reduce(i); z = fmax.reduce(a, axis=1, keepdims=True)", 64},
	{"r = subtract.outer(v, i); s = np.less.outer(a, v); t = np.multiply.outer(2, v); u = maximum.outer(v, 0); w = np.add.outer(a, 1); x = multiply.accumulate(v); y = add.reduce(m, dtype=float64); z = np.power.outer(v, [1, 2])", 64},
	{"r = add.outer(v)", 0},
	{"r = sin.reduce(v)", 0},
	{"r = norm(a); s = np.linalg.norm(v, 3); t = norm(a, axis=1, keepdims=True); u = norm(a, 'fro'); w = norm(a, 1); x = norm(a, -inf, (1, 0), True); y = norm(a[None], inf, axis=(0, 2)); z = norm(i, -1)", 64},
	{"r = norm(v, 0); s = norm(a, inf, 1); t = norm(a, -inf, axis=0); u = norm(v, 2); w = norm(a, 1, -1); x = norm(a + 1j*b); y = norm(m); z = norm(v, keepdims=True)", 64},
	{"r = norm(a[None], keepdims=True); s = norm(v, -2.5); t = norm(v + 1j, 1.5); u = norm(a, 1, (-1, -2)); w = norm(i, 0); x = norm(i, inf); y = norm(a[:, :0], axis=1); z = norm(a, 'fro', (0, 1), keepdims=True)", 400},
	{"r = norm(a[None], 2)", 0},
	{"r = norm(v, 'fro')", 0},
	{"r = norm(a[None], axis=(0, 1, 2))", 0},
	{"r = isin(float32([0.1]), 0.1); s = isin(uint8(i), 257); t = isin(float32(0.1), 0.1); u = isin(m, 1)", 0},
	{"r = polyval(v, a/0); s = polyval(v[:0], a/0); t = polyval([1, 2], where(m, inf, a))", 0},
	{"r = select([m, ~m], [1j, a], 0); s = concatenate([a, -1.5], axis=None)", 0},
	{"r = norm(a, 0)", 0},
	{"r = norm(a, axis=(0, 0))", 0},
	{"r = norm(a[:, :0], inf, 1); s = norm(a[:, :0], inf); t = norm(a[:, :0], 1, (1, 0))", 0},
	{"r = norm(a[:, :0], -inf, 1)", 0},
	{"r = select([a > 0, m], [a, b]); s = select([m, a > b, ~m], [v, 2, b], 7); t = select([m[0]], [i[0]], default=1.5); u = select([i > 1, i > 0], [2, 3]); w = select([m, a > 0], [i[:, None], 1], a)", 0},
	{"r = select([a], [b])", 0},
	{"r = select([m, m], [a])", 0},
	{"r = isin(i, [1, 5]); s = isin(a, b); t = isin(a, a[0], invert=True); u = isin(m, True); w = isin(i, 1.0); x = isin(nan*a, nan); y = isin(3, i); z = isin(a*0, [-0.0, 1])", 0},
	{"x = arange(200.)/2; r = isin(x, x[3::12]); s = isin(x, x[:64] - 0.5); t = isin(x, x[::-3], invert=True); k = arange(-40, 99); u = isin(k, k[::2]); w = isin(i, k[7:9], invert=True)", 0},
	{"r = polyval([1, 2, 3], a); s = polyval(v, a); t = polyval(i, i); u = polyval([2.5], a); w = polyval(float64(v), v + 1j); x = polyval([1, 0], 3); y = polyval(v[:0], a); z = polyval([1, -1, 0.5, 2], m)", 400},
	{"r = logspace(0, 2, 5); s = logspace(1, -2, 4, endpoint=False, base=2.0); t = logspace(0, 3, 4, dtype=int64); u = geomspace(1, 256, 9); w = geomspace(-1000, -1, 4); x = geomspace(2, 3, 1); y = geomspace(1, 1000, 3, False); z = logspace(0, 1, 0)", 16},
	{"r = hanning(7); s = hamming(8); t = blackman(9); u = bartlett(6); w = kaiser(9, 8.6); x = hanning(1); y = kaiser(1, 5); z = bartlett(0)", 64},
	{"r = vander(v); s = vander(i, 4); t = vander(v, 2, increasing=True); u = vander(v, 0); w = polyder(v); x = polyint(i); y = diagflat(a, 1); z = polyder([3, 2, 1])", 16},
	{"r = indices((2, 3)); s = unravel_index(i, (2, 2))[1]; t = unravel_index(argmax(a), a.shape)[0]; u = ravel_multi_index((i, 1), (3, 4)); w = unravel_index([5, 23], (2, 3, 4))[2]; x = indices((2, 1, 2), dtype=float32)[2]", 0},
	{"r = lexsort((v, rint(v))); s = lexsort([i]); t = lexsort((a, rint(b)), axis=0); u = choose(i, [v[:1], 7, -1.5]); w = choose(m, [a, 2]); x = choose([0, 1], [[1, 2], [3, 4]])", 0},
	{"r = np.linalg.matrix_power(a @ b.T, 3); s = np.linalg.matrix_power(a[:, :3], 0); t = np.linalg.matrix_power([[1, 1], [1, 0]], 10); u = np.linalg.matrix_power(m[:, :3], 2)", 4000},
	{"r = std(a, ddof=1.5); s = var(a, axis=0, correction=0.25); t = nanvar(where(m, nan, a), axis=1, ddof=0.5); u = var(a, ddof=0.5, where=m)", 4000},
	{"r = a[ix_([2, 0], [1, 1, 3])]; s = a[ix_(i, i)]; t = a[diag_indices(3)]; u = a[None][diag_indices(1, 3)]; w = ix_([5], [6, 7])[1]; a[ix_([0, 2], [0, 1])] = -1; x = a + 0", 0},
	{"r = a[ix_(a)]", 0},
	{"r = zeros_like(a, shape=(2, 5)); s = ones_like(i, shape=2); t = full_like(v, 3, shape=()); u = a.itemsize; w = a.nbytes; x = empty_like(v[:0]); y = asanyarray(m)", 0},
	{"r = geomspace(0, 1)", 0},
	{"k = v[0]*1; r = ptp(k, axis=-1); s = count_nonzero(k, axis=0); t = nanmean(k, axis=-1, keepdims=True); u = nanvar(k, 0); w = nanstd(k, axis=-1, ddof=0.5); x = squeeze(k, -1); y = repeat(k, 3, axis=0); z = take(k, [0, 0], axis=-1)", 0},
	{"r = sum(v[0], axis=(0,))", 0},
	{"r = ptp(v[0], axis=(0,))", 0},
	{"r = nanmean(v[0], axis=1)", 0},
	{"r = squeeze(v[0], axis=(0,))", 0},
	{"r = quantile(a, []); s = percentile(a, [], axis=0); t = nanquantile(i, [], method='lower'); u = quantile(a, [[0.1, 0.2], [0.3, 1]], axis=1); w = quantile(v, [], keepdims=True); x = nanpercentile(a, [[5], [50]], method='higher')", 4000},
	{"r = polyder(a)", 0},
	{"r = unravel_index(i, ())", 0},
	{"r = polyint(a)", 0},
	{"r = polyder(v[0])", 0},
	{"r = a[ix_([0, 1], [])]; s = ix_(v[:0], [])[1]; t = ix_(m[0, :0], v)[0]", 0},
	{"r = convolve(v, 2); s = convolve(1, v[0]); t = convolve(v[0], i, 'same')", 0},
	{"r = sum(v[:0], initial=1, where=m)", 0},
	{"r = gradient(a, axis=(0, 0))", 0},
	{"r = gradient(a, axis=(1, -2)); s = gradient(a, axis=-1)", 64},
	{"r = block([v[:2], -7]); s = block([int8(i), 300])", 0},
	{"r = concatenate(a); s = vstack(a[:, :, None]); t = stack(a, axis=1); u = hstack(a); w = choose(i[:, None], a); x = lexsort(a); y = column_stack(a); z = dstack(a)", 0},
	{"r = clip(2, uint8(i), None); s = clip(-7, None, int8(i))", 0},
	{"r = nanvar(i, ddof=9, where=m[0, :3] | (i == 1)); s = nanstd(i, where=i > 0, ddof=1)", 4000},
	{"n = where(m, nan, a); n[:, 0] = 0; r = nanargmax(n); s = nanargmin(n, axis=1); t = nanargmax(n, 1, keepdims=True); u = nanargmin(i); w = nanargmax(m, axis=0)", 0},
	{"r = isclose(m, m[0]); s = allclose(m, m); t = bitwise_count(m); u = cumsum(v[0], axis=0); w = argsort(v[0]); x = cumprod(i[0], axis=-1); y = cummax(m, 1); z = cummin(m, 0)", 0},
}

func fixedCases(t *testing.T) []*peerCase {
	var out []*peerCase
	for _, typ := range []dtype.Type{dtype.F64, dtype.F32, dtype.F16} {
		for _, f := range fixed {
			h := fnv.New64a()
			_, _ = io.WriteString(h, f.text)
			r := rand.New(rand.NewPCG(uint64(typ), h.Sum64())) // a new formula changes the numbers of no other one
			s, err := formula.Parse(f.text)
			if err != nil {
				continue // refused by both
			}
			tuple := func(name string) bool { return strings.Contains("d g h p q", name) } // of arrays of several shapes
			c := &peerCase{Text: f.text, Out: slices.DeleteFunc(s.Assigned(), tuple), Vars: map[string]*peerArray{
				"a": newPeer(r, typ, false, 3, 4), "b": newPeer(r, typ, false, 3, 4), "v": newPeer(r, typ, false, 4),
				"i": newPeer(r, dtype.I64, false, 3), "m": newPeer(r, dtype.Bool, false, 3, 4),
			}, tol: tolerance{ulp: f.ulp}}
			idx := dtype.Slice[int64](c.Vars["i"].Data)
			for k := range idx {
				idx[k] = int64(k+1) % 3
			}
			out = append(out, c)
		}
	}
	if len(out) < 100 {
		t.Errorf("only %d fixed formulas parse", len(out))
	}
	return out
}

// newPeer makes an array of random values, laid out in one of several ways;
// wild ones have extreme values among them.
func newPeer(r *rand.Rand, t dtype.Type, wild bool, dims ...int) *peerArray {
	n := 1
	for _, d := range dims {
		n *= d
	}
	const step = 2
	a := &peerArray{DType: t.String(), Shape: dims, Strides: make([]int, len(dims)), Data: make([]byte, (step*n+1)*t.Size())}
	for i := 0; i < len(a.Data); i += t.Size() {
		putRandom(r, t, wild, a.Data[i:i+t.Size()])
	}
	order := make([]int, len(dims))
	for i := range order {
		order[i] = len(dims) - 1 - i
	}
	if wild && r.IntN(3) == 0 {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	s := t.Size()
	if wild && r.IntN(3) == 0 {
		s *= step
	}
	for _, ax := range order {
		a.Strides[ax] = s
		s *= dims[ax]
	}
	for ax, d := range dims {
		if wild && r.IntN(4) == 0 && d > 0 {
			a.Offset += (d - 1) * a.Strides[ax]
			a.Strides[ax] *= -1
		}
	}
	return a
}

func putRandom(r *rand.Rand, t dtype.Type, wild bool, b []byte) {
	x := math.Round(r.NormFloat64()*256) / 64
	if wild {
		x = r.NormFloat64() * 4
		if r.IntN(20) == 0 {
			x = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e30, 1e-30}[r.IntN(7)]
		}
	}
	small := int64(r.IntN(21) - 10)
	if wild && r.IntN(10) == 0 {
		small = r.Int64() - r.Int64()
	}
	switch t {
	case dtype.Bool:
		b[0] = byte(r.IntN(2))
	case dtype.F16:
		dtype.Slice[dtype.Float16](b)[0] = dtype.F16From(float32(x))
	case dtype.F32:
		dtype.Slice[float32](b)[0] = float32(x)
	case dtype.F64:
		dtype.Slice[float64](b)[0] = x
	default:
		for i := range b {
			b[i] = byte(small >> (8 * i))
		}
	}
}

// randomCases are formulas of random operations on random types and shapes.
func randomCases(n int) []*peerCase {
	out := make([]*peerCase, n)
	for i := range out {
		r := rand.New(rand.NewPCG(uint64(i), 77))
		out[i] = randomCase(r)
	}
	return out
}

var numpyTypes = []dtype.Type{
	dtype.Bool, dtype.I8, dtype.I16, dtype.I32, dtype.I64, dtype.U8, dtype.U16, dtype.U32, dtype.U64, dtype.F16, dtype.F32, dtype.F64,
}

func randomCase(r *rand.Rand) *peerCase {
	c := &peerCase{Vars: map[string]*peerArray{}, Out: []string{"r"}}
	full := make([]int, 1+r.IntN(3))
	for i := range full {
		full[i] = 1 + r.IntN(5)
	}
	g := &generator{r: r}
	for range 1 + r.IntN(3) {
		name := string(rune('a' + len(g.names)))
		dims := append([]int(nil), full[r.IntN(len(full)):]...)
		for i := range dims {
			if r.IntN(5) == 0 {
				dims[i] = 1
			}
		}
		if len(g.names) == 0 {
			dims = full
		}
		c.Vars[name] = newPeer(r, numpyTypes[r.IntN(len(numpyTypes))], true, dims...)
		g.names = append(g.names, name)
	}
	switch r.IntN(4) {
	case 0: // one function of an exact value
		f := g.pick("exp", "log", "sin", "cos", "exp2", "log1p", "expm1", "log2", "log10", "arctan", "arcsinh", "cbrt", "sinh", "arctan2")
		args := "(" + g.exact(2) + ")"
		if f == "arctan2" {
			args = "(" + g.exact(1) + ", " + g.exact(1) + ")"
		}
		c.Text, c.tol = "r = "+f+args, tolerance{ulp: 6}
	case 1: // a sum of values of one sign
		axis := g.pick("", ", axis=0", ", axis=-1", ", axis=0, keepdims=True", ", axis=-1, keepdims=True")
		c.Text = fmt.Sprintf("r = %s(abs(%s)%s)", g.pick("sum", "mean"), g.exact(1), axis)
		c.tol = tolerance{ulp: 200}
	case 2: // statements
		c.Out = append(c.Out, "a")
		c.Text = fmt.Sprintf("t = %s\na %s %s\nr = %s", g.binary(1), g.pick("+=", "-=", "*=", "/=", "//=", "&="), g.exact(1), g.pick("t", "t + a", "where(a > 0, t, a)"))
	default:
		c.Text = "r = " + g.exact(3)
	}
	for _, f := range []string{"max", "min", "clip"} {
		c.tol.zeros = c.tol.zeros || strings.Contains(c.Text, f)
	}
	return c
}

// A generator writes formulas whose value does not depend on how well functions
// are computed.
type generator struct {
	r     *rand.Rand
	names []string
}

func (g *generator) pick(of ...string) string { return of[g.r.IntN(len(of))] }

func (g *generator) binary(depth int) string {
	x, y := g.exact(depth-1), g.exact(depth-1)
	if g.r.IntN(4) == 0 {
		y = g.literal()
	}
	if g.r.IntN(8) == 0 {
		x = g.literal()
	}
	return "(" + x + " " + g.pick("+", "-", "*", "+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", "&", "|", "^") + " " + y + ")"
}

func (g *generator) literal() string {
	return g.pick("1", "2", "-3", "100", "200", "0.5", "-1.25", "3.0", "True", "pi", "1e10")
}

func (g *generator) exact(depth int) string {
	if depth <= 0 {
		return g.pick(g.names...)
	}
	x := g.exact(depth - 1)
	switch g.r.IntN(14) {
	case 0:
		return g.pick("-", "+", "~") + x
	case 1:
		return "where(" + x + g.pick(" > 0, ", " != 1, ", ", ") + g.exact(depth-1) + ", " + g.pick(g.exact(depth-1), g.pick("1", "2.5")) + ")"
	case 2:
		return g.pick("maximum", "minimum", "fmax", "fmin") + "(" + x + ", " + g.exact(depth-1) + ")"
	case 3:
		return g.pick("abs", "sqrt", "floor", "ceil", "rint", "sign", "square", "isnan", "isfinite", "logical_not", "round") + "(" + x + ")"
	case 4:
		return "(" + x + ")" + g.pick("[::-1]", "[..., ::2]", "[:1]", "[-1:]", "[...]", "[0]", "[None]", "[..., None]", ".T", ".ravel()", "[..., -1]")
	case 5:
		return g.pick("max", "min", "any", "all", "argmax", "argmin") + "(" + x + g.pick("", ", axis=0", ", axis=-1", ", axis=-1, keepdims=True") + ")"
	case 6:
		return "(" + x + ")" + g.pick(" ** 2", ".astype(float32)", ".astype(float64)", ".astype(bool)", ".astype('float64')")
	case 7:
		return g.pick("fmod", "logical_and", "remainder") + "(" + x + ", " + g.exact(depth-1) + ")"
	default:
		return g.binary(depth)
	}
}
