"""Stored models in the forms of other programs: LIBSVM, scikit-learn, ONNX, and plain arrays.

All hold the support vectors themselves, or the frequencies of random Fourier features, as 64-bit numbers of
the prepared data. Nyström features are an expansion over their sample. Rows are scaled as the data set does;
LIBSVM has a file of ranges for the columns, which its svm-scale reads.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.multiclass import problems
from svmbench.recompute.exchange_sklearn import scikit_learn
from svmbench.recompute.expansion import Expansion, Floats, dual_columns, kernel_name, needed


def libsvm_text(found: Expansion) -> bytes:
    """Return the model file of LIBSVM, with 17 digits, by which its program reads the same numbers."""
    columns = dual_columns(found, "LIBSVM")
    lines = ["svm_type c_svc", f"kernel_type {kernel_name(found, 'LIBSVM', polynomial='polynomial')}"]
    lines += [f"{key} {found.kernel[key]!r}" for key in ("degree", "gamma", "coef0") if key in found.kernel]
    numbers = found.numbers if found.numbers.dtype.kind == "i" else np.arange(len(found.labels))
    counts = np.bincount(found.classes, minlength=len(found.labels))
    lines += [f"nr_class {len(found.labels)}", f"total_sv {len(found.points)}"]
    lines += [f"rho {' '.join(f'{-value:.17g}' for value in found.bias)}"]
    lines += [f"label {' '.join(map(str, numbers))}", f"nr_sv {' '.join(map(str, counts))}", "SV"]
    for column, point in zip(columns.T, found.points, strict=True):
        pairs = [f"{j + 1}:{point[j]:.17g}" for j in np.flatnonzero(point)]
        lines.append(" ".join([*(f"{value:.17g}" for value in column), *pairs]))
    return ("\n".join(lines) + "\n").encode()


def libsvm_ranges(shift: Floats, width: Floats) -> bytes:
    """Return the file of ranges by which ``svm-scale -r`` scales rows: 0 at the shift, 1 a width above."""
    ranges = (f"{j} {low:.17g} {low + size:.17g}" for j, (low, size) in enumerate(zip(shift, width), 1))
    return ("\n".join(["x", "0 1", *ranges]) + "\n").encode()


def onnx_graph(found: Expansion) -> bytes:
    """Return an ONNX model of basic operators in double precision.

    Its input is ``X``, its outputs ``label`` and ``scores``. A binary model has one column of scores,
    positive for the first label.
    """
    onnx = needed("onnx", "onnx")
    helper, array = onnx.helper, onnx.numpy_helper.from_array
    constants: dict[str, Any] = {"points": found.points.T, "beta": found.coefficients.T, "bias": found.bias}
    nodes = []

    def node(kind: str, inputs: str, output: str, **options: Any) -> None:
        nodes.append(helper.make_node(kind, inputs.split(), [output], **options))

    constants |= {"none": np.array(0.0), "axis": np.array([1])}
    if found.scaling is not None:
        constants |= {"shift": found.scaling[0], "width": found.scaling[1]}
        node("Sub", "X shift", "moved")
        node("Div", "moved width", "rows")
    elif found.unit:
        constants["one"] = np.array(1.0)
        node("ReduceL2", "X axis", "lengths", keepdims=1)
        node("Equal", "lengths none", "empty")
        node("Where", "empty one lengths", "divisors")
        node("Div", "X divisors", "rows")
    else:
        node("Identity", "X", "rows")
    node("MatMul", "rows points", "products")
    name, gamma = found.kernel["name"], float(found.kernel.get("gamma", 1.0))
    if found.phases is not None:
        constants |= {"phases": found.phases}
        node("Add", "products phases", "waves")
        node("Cos", "waves", "kernel")
    elif name == "gaussian":
        constants |= {"norms": np.square(found.points).sum(axis=1), "minus": np.array(-2.0)}
        constants |= {"rate": np.array(-gamma)}
        node("ReduceSumSquare", "rows axis", "own", keepdims=1)
        node("Mul", "products minus", "twice")
        node("Add", "twice norms", "partial")
        node("Add", "partial own", "squares")
        node("Max", "squares none", "distances")
        node("Mul", "distances rate", "exponents")
        node("Exp", "exponents", "kernel")
    elif name in ("polynomial", "sigmoid"):
        constants |= {"rate": np.array(gamma), "coef0": np.array(float(found.kernel["coef0"]))}
        node("Mul", "products rate", "scaled")
        node("Add", "scaled coef0", "base")
        if name == "sigmoid":
            node("Tanh", "base", "kernel")
        else:
            constants |= {"degree": np.array(float(found.kernel["degree"]))}
            node("Pow", "base degree", "kernel")
    elif name == "linear":
        node("Identity", "products", "kernel")
    else:
        raise UserError(f"ONNX has no kernel={name}: use npz, or score rows by svmbench predict")
    if found.regions is not None:
        clusters = found.regions
        constants |= {"centres": clusters.centres.T, "shifts": clusters.shift, "ranks": clusters.norms}
        constants |= {"two": np.array(2.0), "tolerance": np.array(clusters.tolerance)}
        constants |= {"clusters": clusters.of_points}
        node("MatMul", "rows centres", "towards")
        node("Sub", "towards shifts", "along")
        node("Mul", "along two", "doubled")
        node("Sub", "ranks doubled", "apart")
        node("ReduceMin", "apart axis", "least", keepdims=1)
        node("Add", "least tolerance", "most")
        node("LessOrEqual", "apart most", "near")
        node("Cast", "near", "nearest", to=onnx.TensorProto.INT64)
        node("ArgMax", "nearest", "cluster", axis=1, keepdims=1)
        node("Equal", "cluster clusters", "within")
        node("Where", "within kernel none", "terms")
        node("MatMul", "terms beta", "sums")
    else:
        node("MatMul", "kernel beta", "sums")
    node("Add", "sums bias", "scores")
    k = len(found.labels)
    if found.kind == "one_vs_rest":
        node("Identity", "scores", "votes")
    else:
        sides = [(0, 1)] if found.kind == "binary" else problems(found.kind, k)
        first, second = (np.eye(k)[np.array([pair[side] for pair in sides], int)] for side in (0, 1))
        constants |= {"change": first - second, "others": second.sum(axis=0)}
        node("Greater", "scores none", "above")
        node("Cast", "above", "wins", to=onnx.TensorProto.DOUBLE)
        node("MatMul", "wins change", "changes")
        node("Add", "changes others", "votes")
    constants["labels"] = found.numbers
    node("ArgMax", "votes", "number", axis=1, keepdims=0)
    node("Gather", "labels number", "label")
    kind = onnx.TensorProto.INT64 if found.numbers.dtype.kind == "i" else onnx.TensorProto.STRING
    double = onnx.TensorProto.DOUBLE
    graph = helper.make_graph(
        nodes,
        "svmbench",
        [helper.make_tensor_value_info("X", double, [None, found.points.shape[1]])],
        [
            helper.make_tensor_value_info("label", kind, [None]),
            helper.make_tensor_value_info("scores", double, [None, len(found.bias)]),
        ],
        [
            array(np.ascontiguousarray(value.astype(object) if value.dtype.kind == "U" else value), name)
            for name, value in constants.items()
        ],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(made)
    return bytes(made.SerializeToString())


def plain_arrays(found: Expansion) -> bytes:
    """Return the expansion as ``.npz``: arrays of its attributes, and ``kernel`` as JSON."""
    stream = io.BytesIO()
    about: Any = {"kind": found.kind, "kernel": json.dumps(dict(found.kernel)), "labels": found.numbers}
    if found.scaling is not None:
        about |= {"shift": found.scaling[0], "width": found.scaling[1]}
    if found.phases is not None:
        about |= {"phases": found.phases, "kernel": json.dumps({"name": "cosine"})}
    if found.regions is not None:
        about |= {"centres": found.regions.centres, "centre_shift": found.regions.shift}
        about |= {"centre_norms": found.regions.norms, "regions": found.regions.of_points}
    np.savez_compressed(
        stream, points=found.points, coefficients=found.coefficients, bias=found.bias, **about
    )
    return stream.getvalue()


#: What writes each form, and the suffix of its file.
FORMS: dict[str, tuple[Callable[[Expansion], bytes], str]] = {
    "libsvm": (libsvm_text, "model"),
    "sklearn": (scikit_learn, "joblib"),
    "onnx": (onnx_graph, "onnx"),
    "npz": (plain_arrays, "npz"),
}
