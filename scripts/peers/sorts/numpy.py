# Sorts the array that it is told in NumPy, and answers with the thread's time.
import sys, time
import numpy as np

for line in sys.stdin:
    word, *rest = line.split()
    if word == "load":
        x = np.fromfile(rest[0], rest[1]).reshape(-1, int(rest[2]))
        np.sort(x, axis=-1).tofile(rest[0])
        print("ok", flush=True)
        continue
    begin = time.thread_time_ns()
    for _ in range(int(rest[0])):
        np.sort(x, axis=-1)
    print(time.thread_time_ns() - begin, flush=True)
