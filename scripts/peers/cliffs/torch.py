# Runs the functions of this command in torch: reads a line of JSON, answers with one,
# which is -1 if torch lacks the function or the element type.
import json
import os
import re
import sys
import time

import torch

threads = int(os.environ["OMP_NUM_THREADS"])
torch.set_num_threads(threads)
clock = time.thread_time_ns if threads == 1 else time.perf_counter_ns
names = {"invert": "bitwise_not", "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "equal": "eq", "power": "pow", "mod": "remainder", "rint": "round"}
other = {name: getattr(torch, torch_name) for name, torch_name in names.items()}
layers = torch.nn.functional
other |= {"less": torch.lt, "gelu": layers.gelu, "silu": layers.silu, "softplus": layers.softplus, "gammaln": torch.lgamma}
# NumPy's functions where torch has other arguments or results.
numpys = {
    "conv": layers.conv2d,
    "cummax": lambda x, axis=0: torch.cummax(x, axis)[0],
    "cumsum": lambda x, axis=0, **out: torch.cumsum(x, axis, **out),
    "im2col": lambda x, window, step, padding: layers.unfold(x, window, padding=padding, stride=step)[0],
    "layernorm": lambda x: layers.layer_norm(x, x.shape[-1:]),
    "max": lambda x, axis=None, keepdims=False: torch.max(x) if axis is None else torch.amax(x, axis, keepdims),
    "max_pool": lambda x, window, step: layers.max_pool2d(x[None, None], window, step)[0, 0],
    "min": lambda x, axis=None, keepdims=False: torch.min(x) if axis is None else torch.amin(x, axis, keepdims),
    "minimum": lambda x, z, **out: torch.minimum(x, z, **out) if isinstance(z, torch.Tensor) else torch.clamp(x, max=z),
    "pad": lambda x, n, mode="constant": layers.pad(x, (n, n) * x.ndim) if mode == "constant" else layers.pad(x[None, None], (n, n) * x.ndim, {"edge": "replicate", "wrap": "circular"}.get(mode, mode))[0, 0],
    "roll": lambda x, n, axis=0: torch.roll(x, n, axis),
    "all": lambda x, axis=None: torch.all(x) if axis is None else torch.all(x, axis),
    "any": lambda x, axis=None: torch.any(x) if axis is None else torch.any(x, axis),
    "array_equal": lambda x, z: torch.tensor(torch.equal(x, z)),
    "bincount": lambda x, minlength: torch.bincount(x, minlength=minlength),
    "convolve": lambda x, k, mode="full": layers.conv1d(x[None, None], k.flip(0)[None, None], padding=len(k) - 1 if mode == "full" else mode)[0, 0],
    "copy": torch.clone,
    "digitize": lambda x, v: torch.bucketize(x, v),
    "flip": lambda x, axis=None: torch.flip(x, tuple(range(x.ndim)) if axis is None else (axis,)),
    "gradient": lambda x, axis=0: torch.gradient(x, dim=axis)[0],
    "isin": torch.isin,
    "log_softmax": lambda x, axis=-1: torch.log_softmax(x, axis),
    "logsumexp": lambda x, axis: torch.logsumexp(x, axis),
    "nanmean": lambda x, axis=None: torch.nanmean(x, axis),
    "norm": lambda x, axis=None, keepdims=False: torch.linalg.vector_norm(x, dim=axis, keepdim=keepdims),
    "ptp": lambda x, axis=None: torch.max(x) - torch.min(x) if axis is None else torch.amax(x, axis) - torch.amin(x, axis),
    "repeat": lambda x, n, axis=None: torch.repeat_interleave(x, n, axis),
    "sort": lambda x, axis=-1: torch.sort(x, axis)[0],
    "softmax": lambda x, axis=-1: torch.softmax(x, axis),
    "std": lambda x, axis=None, keepdims=False: torch.std(x, axis, correction=0, keepdim=keepdims),
    "take_along_axis": lambda x, i, axis=-1: torch.take_along_dim(x, i, axis),
    "tile": lambda x, n: torch.tile(x, n if isinstance(n, tuple) else (n,)),
    "trapezoid": lambda x, axis=-1: torch.trapezoid(x, dim=axis),
    "take": lambda x, i, axis=None: torch.take(x, i) if axis is None else torch.index_select(x, axis, i),
    "transpose": lambda x, axes=None: x.permute(axes or tuple(reversed(range(x.ndim)))),
    "var": lambda x, axis=None: torch.var(x, axis, correction=0),
}


def translated(text):
    """Return the text of a test with torch's methods in place of NumPy's."""
    text = re.sub(r"astype\('?(\w+)'?\)", r"to(\1)", text)
    text = re.sub(r"\bfloat32\(((?:[^()]|\([^()]*\)|\((?:[^()]|\([^()]*\))*\))*)\)", r"(\1).to(float32)", text)
    return re.sub(r"\[((?::,)*)::-1\]", lambda m: f".flip({m[1].count(':')})", text)


def compiled(job, space):
    """Run the test once and return its code, or None if torch cannot run it."""
    text = job["text"] if job["own"] else translated(job["text"])
    name, value = job["arrays"][0]["name"], text.partition(" = ")[2]
    tries = [f"{value[:-1]}, out={name})"] if job["call"] else []
    for text in [*tries, text]:
        try:
            code = compile(text, "test", "exec")
            exec(code, space)
            at = space[name].untyped_storage().data_ptr()
        except Exception as error:  # of many kinds
            reason = str(error).partition("\n")[0]
            continue
        if not job["own"] and at in [space[a["name"]].data_ptr() for a in job["arrays"][1:]]:  # a view: nothing is copied yet
            code = compile(f"{name} = ({value}).clone(memory_format=contiguous_format)", "test", "exec")
        return code
    print(f"torch leaves out {job['text']}: {reason}", file=sys.stderr)


def prepare(job):
    space = {**vars(torch), **other, **({} if job["own"] else numpys)}
    for a in job["arrays"]:
        size = 1
        for n in a["shape"]:
            size *= n
        kind = getattr(torch, a["dtype"])
        space[a["name"]] = torch.from_file(a["file"], shared=False, size=size, dtype=kind).reshape(a["shape"]).clone()
    out = space[job["arrays"][0]["name"]]
    exec(job["first"], space)
    code = compiled(job, space)
    if code:
        with open(job["arrays"][0]["file"], "wb") as f:
            f.write(bytes(torch.empty_like(out).copy_(space[job["arrays"][0]["name"]]).view(torch.uint8).numpy()))
    return code, space


with torch.inference_mode():
    for line in sys.stdin:
        job = json.loads(line)
        if "text" in job:
            code, space = prepare(job)
        start = clock()
        for _ in range(job.get("reps", 0)):
            exec(code, space)
        print(clock() - start if code else -1, flush=True)
