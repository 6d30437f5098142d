// Package npy reads and writes arrays in NumPy's .npy format, versions 1.0,
// 2.0 and 3.0, and archives of them, .npz.
//
// # What a file means
//
// A file holds one array: an element type, a shape of 0 to 64 axes, an order
// (row-major, or Fortran's column-major) and the elements. Reading keeps the
// bytes in the order of the file and reports that order; the caller makes the
// strides. Axes of length zero are allowed. Bytes after the last element are
// ignored, as NumPy ignores them.
//
// # Element types
//
//	bool      |b1    bytes other than 0 and 1 are read as 1
//	int8      |i1    uint8     |u1
//	int16     <i2    uint16    <u2
//	int32     <i4    uint32    <u4
//	int64     <i8    uint64    <u8
//	float16   <f2    float32   <f4    float64   <f8
//	bfloat16  <V2    also |V2, =V2, V2 and bfloat16 when reading
//	complex64 <c8    complex128 <c16
//
// Big-endian files ('>f4') are swapped while they are read, so that the bytes
// of an [Array] are always little-endian, the order of every host oneloop runs
// on. Native order ('=f4') is taken to be little-endian.
//
// NumPy itself has no bfloat16: the ml_dtypes package, and with it JAX, stores
// one as an anonymous two-byte field, descr '<V2'. This package does the same
// in both directions, so any '<V2' or '|V2' file reads as bfloat16. NumPy shows
// such a file as dtype V2 until a.view(ml_dtypes.bfloat16).
//
// Every other type (strings, dates, records) is refused with
// an error that names the descr and matches [ErrUnsupported]. Arrays of Python
// objects are refused too: this package never loads a pickle.
//
// # Hostile files
//
// The header is a Python dict literal. It is parsed, never evaluated, by a
// grammar that accepts what NumPy writes (long integers of Python 2 included)
// and little else. Headers beyond 64 KiB, repeated or unknown keys, negative
// lengths and sizes beyond int64 are refused. Memory for the elements is taken
// only once the stream is known to hold them, or, where its length is not
// known, as they arrive. A malformed file gives a [*FormatError] with the
// offset of the fault.
//
// # Files larger than memory
//
// [Map] maps a file: the system reads the elements when they are used.
//
// # Archives
//
// [OpenArchive] reads the directory of an .npz file, and [Archive.Read] one array
// at a time. A zip may be small and claim much: memory grows with what arrives,
// up to [Archive.Limit]. Names that repeat, encrypted members and wrong sizes or
// checksums are errors. Nothing is unpacked to disk.
//
// # Writing
//
// The header is the one NumPy 2 writes, byte for byte: version 1.0, padded so
// that the elements begin at a multiple of 64 bytes. (64 axes fit in a version
// 1.0 header, so the later versions are never written.) [WriteFile] replaces a
// file as a whole or not at all; [Prepare] splits it in two, for tools with
// several outputs.
package npy
