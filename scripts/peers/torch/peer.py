"""One library's side of the comparison: it carries out cases and times itself.

A request is a line of JSON, and so is an answer. {"case", "arrays", "runs", "results"}:
it makes the case of the arrays, which are in files, runs it a few times, and stores
the results of the runs in a file. {"reps"}: runs the case so often and answers with nanoseconds of the clock
and of the processor.
"""
import json
import os
import sys
import time

kind, threads = sys.argv[1], int(sys.argv[2])

import numpy as np  # noqa: E402

EPS, BETA1, BETA2, DECAY = 1e-8, .9, .999, .01


class Torch:
    """Cases in torch: each is a function that carries out the case and returns its result."""

    def __init__(self, compiled):
        import torch
        self.t, self.f = torch, torch.nn.functional
        torch.set_num_threads(threads)
        self.wrap = torch.compile if compiled else lambda g: g
        self.version = "torch %s, %s" % (torch.__version__, "compiled" if compiled else "eager")

    def array(self, x):
        return self.t.from_numpy(x)

    def wait(self, x):
        pass

    def plain(self, f):
        f = self.wrap(f)

        def run():
            with self.t.no_grad():
                return f()
        return run

    def conv(self, x, w):
        return self.plain(lambda: self.f.conv2d(x, w, padding=1))

    def conv_dx(self, x, w, g):
        return self.plain(lambda: self.t.ops.aten.convolution_backward(
            g, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [True, False, False])[0])

    def conv_dw(self, x, w, g):
        return self.plain(lambda: self.t.ops.aten.convolution_backward(
            g, x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, [False, True, False])[1])

    def attention(self, q, k, v):
        return self.plain(lambda: self.f.scaled_dot_product_attention(q[None], k[None], v[None])[0])

    def pool(self, forward, x, g):
        x = x.clone().requires_grad_()
        y = forward(x)
        return self.plain(lambda: self.t.autograd.grad(y, x, g, retain_graph=True)[0])

    def max_pool_dx(self, x, g):
        return self.pool(lambda x: self.f.max_pool2d(x, 3, 2, 1), x, g)

    def max_pool_both(self, x, g):
        x = x.clone().requires_grad_()
        pool = self.wrap(lambda: self.f.max_pool2d(x, 3, 2, 1))
        return lambda: self.t.autograd.grad(pool(), x, g)[0]

    def avg_pool_dx(self, x, g):
        return self.pool(lambda x: self.f.avg_pool2d(x, 3, 2, 1), x, g)

    def upsampled(self, x, mode):
        return self.f.interpolate(x, scale_factor=2, mode=mode)

    def upsample_nearest(self, x):
        return self.plain(lambda: self.upsampled(x, "nearest"))

    def upsample_bilinear(self, x):
        return self.plain(lambda: self.upsampled(x, "bilinear"))

    def upsample_nearest_dx(self, x, g):
        return self.pool(lambda x: self.upsampled(x, "nearest"), x, g)

    def upsample_bilinear_dx(self, x, g):
        return self.pool(lambda x: self.upsampled(x, "bilinear"), x, g)

    def step(self, loss, params, decay, rate):
        params = [p.clone().requires_grad_() for p in params]
        kind = self.t.optim.AdamW if decay else self.t.optim.Adam
        o = kind(params, lr=rate, betas=(BETA1, BETA2), eps=EPS, weight_decay=decay, fused=True)
        loss = self.wrap(loss)

        def run():
            o.zero_grad(set_to_none=True)
            out = loss(*params)
            out.backward()
            o.step()
            return out.detach()
        return run

    def mlp(self, x, y, *params):
        def loss(w1, b1, w2, b2):
            h = self.f.relu(self.f.linear(x, w1, b1))
            return (self.f.linear(h, w2, b2) - y).square().sum()
        return self.step(loss, params, 0, 1e-4)

    def convnet(self, x, y, *params):
        y = y.long()

        def loss(w1, g1, h1, w2, g2, h2, w3, b3):
            z = self.f.conv2d(x, w1, padding=1)
            z = self.f.relu(self.f.batch_norm(z, None, None, g1, h1, True))
            z = self.f.conv2d(z, w2, padding=1)
            z = self.f.relu(self.f.batch_norm(z, None, None, g2, h2, True))
            z = self.f.max_pool2d(z, 2).flatten(1)
            return self.f.cross_entropy(self.f.linear(z, w3, b3), y)
        return self.step(loss, params, DECAY, 3e-3)

    def transformer(self, x, y, *params):
        n, length, width = x.shape
        heads = 4

        def block(x, g1, h1, wi, bi, wo, bo, g2, h2, w1, b1, w2, b2):
            z = self.f.linear(self.f.layer_norm(x, [width], g1, h1), wi, bi)
            q, k, v = z.view(n, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
            z = self.f.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(n, length, width)
            x = x + self.f.linear(z, wo, bo)
            z = self.f.linear(self.f.layer_norm(x, [width], g2, h2), w1, b1)
            return x + self.f.linear(self.f.gelu(z, approximate="tanh"), w2, b2)

        def loss(*p):
            z = block(block(x, *p[:12]), *p[12:])
            return (z - y).square().mean()
        return self.step(loss, params, DECAY, 1e-3)

    def expression(self, text, *arrays):
        """The case of an expression of x, y and z, or with "gradI: " its gradient by one of them for the last array, or with "stepN: " both, by N."""
        names = dict(zip("xyz", arrays), t=self.t, F=self.f)
        kind, _, call = text.rpartition(": ")
        f = eval("lambda: " + call, names)
        if not kind:
            return self.plain(f)
        if kind.startswith("step"):
            by = [x.requires_grad_() for x in arrays[:int(kind[4:])]]
            return lambda: self.t.autograd.grad(f(), by, arrays[-1])[0]
        by = "xyz"[int(kind[4:])]
        names[by].requires_grad_()
        out = f()
        return self.plain(lambda: self.t.autograd.grad(out, names[by], arrays[-1], retain_graph=True)[0])


class Jax:
    """Cases in JAX, compiled."""

    def __init__(self):
        flags = "--xla_cpu_multi_thread_eigen=%s intra_op_parallelism_threads=%d" % (str(threads > 1).lower(), threads)
        os.environ["XLA_FLAGS"] = flags
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax
        import jax.numpy as jnp
        self.jax, self.np, self.nn = jax, jnp, jax.nn
        self.version = "jax " + jax.__version__

    def array(self, x):
        return self.np.array(x)

    def wait(self, x):
        self.jax.block_until_ready(x)

    def plain(self, f, *args):
        f = self.jax.jit(f)
        return lambda: f(*args)

    def convolved(self, x, w):
        return self.jax.lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)))

    def conv(self, x, w):
        return self.plain(self.convolved, x, w)

    def conv_dx(self, x, w, g):
        return self.plain(lambda x, w, g: self.jax.vjp(lambda x: self.convolved(x, w), x)[1](g)[0], x, w, g)

    def conv_dw(self, x, w, g):
        return self.plain(lambda x, w, g: self.jax.vjp(lambda w: self.convolved(x, w), w)[1](g)[0], x, w, g)

    def attended(self, q, k, v):
        s = self.np.einsum("...qd,...kd->...qk", q, k) * q.shape[-1] ** -.5
        return self.nn.softmax(s) @ v

    def attention(self, q, k, v):
        return self.plain(self.attended, q, k, v)

    def pooled(self, x, start, op):
        return self.jax.lax.reduce_window(x, start, op, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1)))

    def max_pool_dx(self, x, g):
        return self.plain(lambda x, g: self.jax.vjp(lambda x: self.pooled(x, -self.np.inf, self.jax.lax.max), x)[1](g)[0], x, g)

    max_pool_both = max_pool_dx

    def upsampled(self, x, mode):
        return self.jax.image.resize(x, (8, 64, 112, 112), mode)

    def upsample_nearest(self, x):
        return self.plain(lambda x: self.upsampled(x, "nearest"), x)

    def upsample_bilinear(self, x):
        return self.plain(lambda x: self.upsampled(x, "linear"), x)

    def upsample_nearest_dx(self, x, g):
        return self.plain(lambda x, g: self.jax.vjp(lambda x: self.upsampled(x, "nearest"), x)[1](g)[0], x, g)

    def upsample_bilinear_dx(self, x, g):
        return self.plain(lambda x, g: self.jax.vjp(lambda x: self.upsampled(x, "linear"), x)[1](g)[0], x, g)

    def avg_pool_dx(self, x, g):
        return self.plain(lambda x, g: self.jax.vjp(lambda x: self.pooled(x, 0., self.jax.lax.add) / 9, x)[1](g)[0], x, g)

    def step(self, loss, params, decay, rate):
        params, tree = list(params), self.jax.tree_util
        state = [params, [p * 0 for p in params], [p * 0 for p in params], self.np.float32(0)]

        def update(params, m, v, t):
            value, g = self.jax.value_and_grad(lambda p: loss(*p))(params)
            t = t + 1
            m = tree.tree_map(lambda m, g: BETA1 * m + (1 - BETA1) * g, m, g)
            v = tree.tree_map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, v, g)
            a, b = rate / (1 - BETA1 ** t), self.np.sqrt(1 - BETA2 ** t)
            params = tree.tree_map(lambda w, m, v: w * (1 - rate * decay) - a * m / (self.np.sqrt(v) / b + EPS), params, m, v)
            return value, [params, m, v, t]
        f = self.jax.jit(update, donate_argnums=(0, 1, 2))

        def run():
            out, state[:] = f(*state)
            return out
        return run

    def mlp(self, x, y, *params):
        def loss(w1, b1, w2, b2):
            return self.np.sum(self.np.square(self.nn.relu(x @ w1.T + b1) @ w2.T + b2 - y))
        return self.step(loss, params, 0, 1e-4)

    def convnet(self, x, y, *params):
        y = y.astype(int)

        def norm(z, g, h):
            m, v = z.mean((0, 2, 3), keepdims=True), z.var((0, 2, 3), keepdims=True)
            return (z - m) / self.np.sqrt(v + 1e-5) * g[:, None, None] + h[:, None, None]

        def loss(w1, g1, h1, w2, g2, h2, w3, b3):
            z = self.nn.relu(norm(self.convolved(x, w1), g1, h1))
            z = self.nn.relu(norm(self.convolved(z, w2), g2, h2))
            n, c, h, w = z.shape
            z = z.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5)).reshape(n, -1)
            return -self.np.mean(self.nn.log_softmax(z @ w3.T + b3)[self.np.arange(n), y])
        return self.step(loss, params, DECAY, 3e-3)

    def transformer(self, x, y, *params):
        n, length, width = x.shape
        heads = 4

        def norm(z, g, h):
            return (z - z.mean(-1, keepdims=True)) / self.np.sqrt(z.var(-1, keepdims=True) + 1e-5) * g + h

        def block(x, g1, h1, wi, bi, wo, bo, g2, h2, w1, b1, w2, b2):
            z = norm(x, g1, h1) @ wi.T + bi
            q, k, v = z.reshape(n, length, 3, heads, width // heads).transpose(2, 0, 3, 1, 4)
            z = self.attended(q, k, v).transpose(0, 2, 1, 3).reshape(n, length, width)
            x = x + z @ wo.T + bo
            return x + self.nn.gelu(norm(x, g2, h2) @ w1.T + b1, approximate=True) @ w2.T + b2

        def loss(*p):
            return self.np.mean(self.np.square(block(block(x, *p[:12]), *p[12:]) - y))
        return self.step(loss, params, DECAY, 1e-3)


try:
    library = Jax() if kind == "jax" else Torch(kind == "compile")
except ImportError as e:
    print(json.dumps({"absent": str(e)}), flush=True)
    sys.exit()
print(json.dumps({"version": library.version}), flush=True)
run = None
for line in sys.stdin:
    request = json.loads(line)
    if "case" in request:
        run = None
        arrays = [library.array(np.fromfile(a["file"], np.float32).reshape(a["shape"])) for a in request["arrays"]]
        case = request["case"]
        run = getattr(library, case)(*arrays) if case.isidentifier() else library.expression(case, *arrays)
        np.array([np.asarray(run()) for _ in range(request["runs"])], np.float32).tofile(request["results"])
        print(json.dumps({}), flush=True)
        continue
    clock, used = time.perf_counter_ns(), time.process_time_ns()
    for _ in range(request["reps"]):
        last = run()
    library.wait(last)
    print(json.dumps({"clock": time.perf_counter_ns() - clock, "used": time.process_time_ns() - used}), flush=True)
