// Package autograd keeps gradients of tensors, as PyTorch does: a variable is a
// tensor with a gradient, and Backward adds to it.
//
//	w := autograd.New(weights)
//	loss := op.Sum(op.Square(op.Sub(op.MatMul(x, w), y)))
//	g, err := autograd.Record(loss, w)  // finds the gradients
//	err = g.Backward(ctx)               // w.Grad() += d loss / d w
//	err = w.Value().SubAssign(op.Scale(rate, w.Grad()))
//	err = w.ZeroGrad()
//
// Trees are the graph: nothing is recorded while they are built. [Record] takes
// the tree of a loss and the variables. It makes the gradients as trees, with
// package grad. The first Backward compiles them with the loss into one program. So
// the loss and all gradients share their loops, and a second Backward does not
// compile or allocate. A program that updates the variables as well is made of the same
// trees; see [Graph.Statements].
//
// A program that needs gradients as trees alone uses package grad. Package nn has
// layers and optimisers.
package autograd
