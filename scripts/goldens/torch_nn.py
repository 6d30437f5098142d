"""Reference values for engine/nn, computed by PyTorch in float64.

    python3 scripts/goldens/torch_nn.py > testdata/nn/torch.json

Inputs are made by data(), as the tests make them. A case is a map from names to
lists of numbers, row-major.
"""
import json
import math

import torch
from torch import nn
from torch.nn import functional as F

torch.set_default_dtype(torch.float64)
cases = {}


def data(seed, *shape):
    n = math.prod(shape)
    return torch.tensor([((i * 7919 + seed * 104729) % 1009) / 504.5 - 1 for i in range(n)]).reshape(shape)


def flat(t):
    return t.detach().double().flatten().tolist()


def layer(name, module, x, train=True):
    """Forward of module on x, and the gradients of sum(out * data(9))."""
    module.train(train)
    for i, p in enumerate(module.parameters()):
        p.data = data(i + 1, *p.shape)
    x.requires_grad_()
    out = module(x)
    (out * data(9, *out.shape)).sum().backward()
    case = {"out": flat(out), "grad.x": flat(x.grad)}
    for n, p in module.named_parameters():
        case["grad." + n] = flat(p.grad)
    for n, b in module.named_buffers():
        case[n] = flat(b)
    cases[name] = case


layer("linear", nn.Linear(3, 4), data(0, 2, 3))
layer("linear of a stack", nn.Linear(3, 4), data(0, 2, 5, 3))
layer("batch norm", nn.BatchNorm1d(3), data(0, 5, 3))
layer("batch norm of images", nn.BatchNorm2d(2), data(0, 3, 2, 4, 5))
layer("layer norm", nn.LayerNorm(6), data(0, 4, 6))
layer("rms norm", nn.RMSNorm(6, eps=1e-5), data(0, 4, 6))
layer("conv", nn.Conv2d(2, 3, 3), data(0, 2, 2, 6, 5))
layer("conv with stride", nn.Conv2d(2, 3, 3, stride=2, padding=1, dilation=2), data(0, 2, 2, 8, 7))
layer("max pool", nn.MaxPool2d(2), data(0, 2, 2, 6, 4))
layer("max pool with padding", nn.MaxPool2d(3, 2, 1), data(0, 1, 2, 7, 5))
layer("average pool", nn.AvgPool2d(3, 2, 1), data(0, 1, 2, 7, 5))


class Attention(nn.Module):
    """Attention of a sequence to itself, with parameters in the order of engine/nn."""

    def __init__(self, width, heads, causal):
        super().__init__()
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True)
        self.causal = causal

    def named_parameters(self, *_, **__):
        a = self.attention
        return [("in.weight", a.in_proj_weight), ("in.bias", a.in_proj_bias), ("out.weight", a.out_proj.weight), ("out.bias", a.out_proj.bias)]

    def parameters(self, *_, **__):
        return [p for _, p in self.named_parameters()]

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1]) if self.causal else None
        return self.attention(x, x, x, attn_mask=mask, need_weights=False)[0]


layer("attention", Attention(6, 2, False), data(0, 2, 5, 6))
layer("causal attention", Attention(6, 3, True), data(0, 2, 5, 6))


def loss(name, f, out):
    out = out.requires_grad_()
    l = f(out)
    l.backward()
    cases[name] = {"loss": [l.item()], "grad": flat(out.grad)}


y = data(5, 4, 3)
labels = torch.tensor([2, -100, 0, 1])
loss("mse", lambda o: F.mse_loss(o, y), data(0, 4, 3))
loss("huber", lambda o: F.huber_loss(o, y, delta=0.5), data(0, 4, 3))
loss("bce with logits", lambda o: F.binary_cross_entropy_with_logits(o, (y + 1) / 2), data(0, 4, 3) * 30)
loss("bce with logits at 0", lambda o: F.binary_cross_entropy_with_logits(o, (y + 1) / 2), data(0, 4, 3) * 0)
loss("cross-entropy", lambda o: F.cross_entropy(o, labels), data(0, 4, 3) * 50)


def optimiser(name, make, clip=0):
    """Seven steps on sum(a * (w - b)^2), with the weights after each."""
    w, v = data(1, 2, 3).requires_grad_(), data(2, 4).requires_grad_()
    o = make([w, v])
    case = {"w": [], "v": []}
    for _ in range(7):
        o.zero_grad()
        ((data(3, 2, 3) + 2) * (w - data(4, 2, 3)) ** 2).sum().add(((v - 0.5) ** 4).sum()).backward()
        if clip:
            torch.nn.utils.clip_grad_norm_([w, v], clip)
        o.step()
        case["w"] += flat(w)
        case["v"] += flat(v)
    cases[name] = case


class Lion(torch.optim.Optimizer):
    """Algorithm 2 of Chen et al. 2023; PyTorch has no Lion."""

    def __init__(self, params, lr, betas, weight_decay):
        super().__init__(params, {"lr": lr})
        self.betas, self.decay = betas, weight_decay

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            lr, (b1, b2) = self.param_groups[0]["lr"], self.betas
            m = self.state[p].setdefault("m", torch.zeros_like(p))
            update = torch.sign(b1 * m + (1 - b1) * p.grad) + self.decay * p
            self.state[p]["m"] = b2 * m + (1 - b2) * p.grad
            p -= lr * update


optimiser("sgd", lambda p: torch.optim.SGD(p, 0.1))
optimiser("sgd with momentum", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, weight_decay=0.01))
optimiser("nesterov", lambda p: torch.optim.SGD(p, 0.1, momentum=0.9, nesterov=True))
optimiser("adam", lambda p: torch.optim.Adam(p, 0.1))
optimiser("adam with decay", lambda p: torch.optim.Adam(p, 0.1, (0.8, 0.95), 1e-6, 0.1))
optimiser("adamw", lambda p: torch.optim.AdamW(p, 0.1))
optimiser("adagrad", lambda p: torch.optim.Adagrad(p, 0.1, lr_decay=0.05, weight_decay=0.01))
optimiser("rmsprop", lambda p: torch.optim.RMSprop(p, 0.01))
optimiser("rmsprop with momentum", lambda p: torch.optim.RMSprop(p, 0.01, alpha=0.9, momentum=0.8, weight_decay=0.1))
optimiser("lion", lambda p: Lion(p, 0.01, (0.9, 0.99), 0.1))
optimiser("clipped", lambda p: torch.optim.SGD(p, 0.1), clip=0.5)

def mlp():
    """The losses of 500 steps of Adam on 64 samples of 1000 numbers, before each 50th step."""
    torch.set_num_threads(1)
    x, y = spread(0, 64, 1000), spread(1, 64, 10)
    model = nn.Sequential(nn.Linear(1000, 100), nn.ReLU(), nn.Linear(100, 10))
    for i, p in enumerate(model.parameters()):
        p.data = spread(2 + i, *p.shape) / math.sqrt(1000 if i < 2 else 100)
    o = torch.optim.Adam(model.parameters(), lr=1e-4)
    losses = []
    for step in range(500):
        l = F.mse_loss(model(x), y, reduction="sum")
        if step % 50 == 0:
            losses.append(l.item())
        o.zero_grad()
        l.backward()
        o.step()
    cases["mlp"] = {"loss": losses}


def spread(seed, *shape):
    """Numbers from -1 to 1 with 24 bits, by a mixing function of 32 bits."""
    out = []
    for i in range(math.prod(shape)):
        h = (i * 0x9E3779B1 + seed * 0x85EBCA77) & 0xFFFFFFFF
        h = ((h ^ h >> 15) * 0x2C1B3C6D) & 0xFFFFFFFF
        h = ((h ^ h >> 12) * 0x297A2D39) & 0xFFFFFFFF
        h ^= h >> 15
        out.append((h >> 8) / 2**23 - 1)
    return torch.tensor(out).reshape(shape)


mlp()
print("{" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in cases.items()) + "}")
