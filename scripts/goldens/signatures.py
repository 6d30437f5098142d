"""Write the arguments of NumPy's functions on some pages of its reference.

    python3 scripts/goldens/signatures.py > expr/formula/testdata/numpy_signatures.txt
"""

import inspect

import numpy as np

UFUNC = "out=None, *, where=True, casting='same_kind', order='K', dtype=None, subok=True"
PAD = "*, constant_values=0, end_values=0, stat_length=None, reflect_type='even'"  # its **kwargs

print(f"## The arguments of functions of NumPy {np.__version__}, by scripts/goldens/signatures.py.")
page = ""
for line in open("expr/formula/testdata/numpy.txt"):
    line = line.strip()
    if line.startswith("# "):
        page = line[2:]
    if not line or line[0] == "#" or page.startswith(("Fourier", "Attributes")):
        continue
    name = line.split(";")[0].strip()
    f = getattr(np, name, None)
    if isinstance(f, np.ufunc):
        operands = "x" if f.nin == 1 else "x1, x2"
        print(f"{name}({operands}, /, {UFUNC})")
    elif f is not None:
        text = str(inspect.signature(f)).replace("<no value>", "None").replace("(0, 1)", "(0,1)")
        print(f"{name}{text}".replace("**kwargs", PAD if name == "pad" else "**kwargs"))
