// Package blob has Caffe's containers: memory that is synchronised between host
// and device only when it must be, and blobs, which are N-dimensional arrays of
// data and of their gradients.
//
//	b, err := blob.New[float32](64, 3, 32, 32)
//	err = b.Data().Assign(e)          // data and diff are tensors of package engine
//	err = b.Diff().Assign(g)
//	err = b.Update()                  // data -= diff, in one loop
//	err = blob.WriteFile("w.binaryproto", p) // p, err := b.ToProto(true)
//
// A program that only computes needs [engine.Tensor] alone. Blobs are for code
// that follows Caffe: layers that reshape their outputs in each forward pass and
// keep the memory, weights that several nets share, and BlobProto files.
//
// docs/runtime.md lists Caffe's methods with their names here.
package blob
