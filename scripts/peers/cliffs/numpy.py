# Runs the tests of this command in NumPy: reads a line of JSON, answers with one, which is -1 if NumPy
# lacks the function or the element type.
import json
import os
import sys
import time

import numpy

numpy.seterr(all="ignore")
clock = time.thread_time_ns if os.environ["OMP_NUM_THREADS"] == "1" else time.perf_counter_ns


def cummax(x, axis=0):
    return numpy.maximum.accumulate(x, axis=axis)


def layernorm(x):
    m = x.mean(axis=-1, keepdims=True)
    return (x - m) / numpy.sqrt(x.var(axis=-1, keepdims=True) + x.dtype.type(1e-5))


def softmax(x, axis=-1):
    e = numpy.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def logsumexp(x, axis=None, keepdims=False):
    m = x.max(axis=axis, keepdims=True)
    s = numpy.log(numpy.exp(x - m).sum(axis=axis, keepdims=True)) + m
    return s if keepdims else s.squeeze(axis)


def log_softmax(x, axis=-1):
    return x - logsumexp(x, axis, True)


norm = numpy.linalg.norm


def stored(job, space):
    """Return a call of a NumPy function that stores its result in the array, if the test is one."""
    name, _, value = job["text"].partition(" = ")
    if not isinstance(space.get(job["call"]), numpy.ufunc) or space[name].ndim != 1:
        return job["text"]
    return f"{value[:-1]}, out={name})"


def prepare(job):
    space = {**vars(numpy), **globals()}
    try:
        for a in job["arrays"]:
            space[a["name"]] = numpy.fromfile(a["file"], a["dtype"]).reshape(a["shape"])
        out = space[job["arrays"][0]["name"]]
        name = job["arrays"][0]["name"]
        exec(job["first"], space)
        code = compile(stored(job, space), "test", "exec")
        exec(code, space)
    except Exception as error:  # of many kinds
        print(f"NumPy leaves out {job['text']}: {error}", file=sys.stderr)
        return None, space
    y = space[name]
    if not job["own"] and y is not out and y.base is not None:  # a view: NumPy has copied nothing yet
        code = compile(f"{name} = array({job['text'].partition(' = ')[2]}, order='C')", "test", "exec")
    y = numpy.broadcast_to(y, out.shape)
    y.astype(out.dtype).tofile(job["arrays"][0]["file"])
    return code, space


for line in sys.stdin:
    job = json.loads(line)
    if "text" in job:
        code, space = prepare(job)
    start = clock()
    for _ in range(job.get("reps", 0)):
        exec(code, space)
    print(clock() - start if code else -1, flush=True)
