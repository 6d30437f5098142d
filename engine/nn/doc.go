// Package nn trains networks: layers, losses, optimisers, data and checkpoints.
//
//	r := rand.New(rand.NewPCG(1, 2))
//	model := nn.NewSequential[float32](
//		nn.NewLinear[float32](r, 64, 100), nn.Func[float32](op.ReLU[float32]),
//		nn.NewLinear[float32](r, 100, 10))
//	data, err := nn.FromTensors(x, y) // the rows of x, and of y what is wanted
//	loader := &nn.Loader[float32]{Data: data, Batch: 32, Shuffle: true}
//	t := nn.NewTrainer(model, nn.CrossEntropy[float32](), nn.Adam[float32](1e-3))
//	history, err := t.Fit(ctx, nn.Fit[float32]{Epochs: 10, Data: loader})
//	out, err := t.Predict(ctx, x)
//
// A module is parameters plus a function from trees to trees. A [Trainer] makes
// one program of the loss, the gradients and the updates for each shape of a
// batch, and runs it for each batch. [Trainer.Program] returns it, and
// its method Explain lists its loops and bytes.
//
// Everything random follows from seeds that the caller gives. A training that is
// saved and loaded goes on with the same bits, on every back end and for any
// number of threads.
//
// Programs that need gradients without layers use package autograd.
package nn
