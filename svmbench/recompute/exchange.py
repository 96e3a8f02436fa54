"""Stored models in the forms of other programs: LIBSVM, scikit-learn, ONNX, and plain arrays.

All hold the support vectors themselves, as 64-bit numbers of the prepared data. They scale the columns of
rows as the data set does; LIBSVM has a file of ranges for this, which its svm-scale reads.
"""

from __future__ import annotations

import importlib
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.multiclass import problems
from svmbench.recompute.multiples import unit
from svmbench.recompute.scores import taken
from svmbench.store.joint_model import JointModel
from svmbench.store.model import StoredModel

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Expansion:
    """Scores of P binary problems, Σ_k β_pk K(x_k, x) + b_p, over common points.

    Attributes
    ----------
    kind : str
        ``binary``, ``one_vs_one`` or ``one_vs_rest``; problems are in the order of `svmbench.multiclass`.
    kernel : mapping
        Name and parameters.
    points : ndarray of float64, shape (s, d)
        The x, by ascending class.
    coefficients, bias : ndarray of float64, shape (P, s) and (P,)
        β and b.
    classes : ndarray of int64, shape (s,)
        Number of the class of each point.
    labels : tuple of str
        Labels of the classes; the first is the positive one of a binary problem.
    scaling : pair of ndarray of float64, shape (d,), or None
        What each column of the rows is reduced by, and then divided by.
    """

    kind: str
    kernel: Mapping[str, Any]
    points: Floats
    coefficients: Floats
    bias: Floats
    classes: NDArray[np.int64]
    labels: tuple[str, ...]
    scaling: tuple[Floats, Floats] | None = None

    @property
    def numbers(self) -> NDArray[Any]:
        """The labels, as integers if all are whole numbers, else as text."""
        whole = all(label.lstrip("+-").isdecimal() for label in self.labels)
        return np.array([int(label) for label in self.labels] if whole else self.labels)


def expanded(
    model: StoredModel | JointModel, train: Any, labels: tuple[str, ...], precision: str
) -> Expansion:
    """Return the expansion of a model; ``train`` is the training part of its data set.

    Raises
    ------
    UserError
        For a model over features of a map, or with clusters, which other programs do not have.
    """
    parts = model.models if isinstance(model, JointModel) else (model,)
    kind = model.kind if isinstance(model, JointModel) else "binary"
    if any(part.features is not None or part.regions is not None for part in parts):
        raise UserError(
            "the model is over a feature map or clusters, which the other programs do not have: train it "
            "without, or score rows by svmbench predict"
        )
    bias = np.array([part.bias for part in parts])
    sides = [(0, 1)] if kind == "binary" else problems(kind, len(labels))
    if parts[0].weights is not None or parts[0].points is not None:
        return _of_points(kind, model.kernel, parts, bias, sides, labels)
    rows = [part.indices for part in parts if part.indices is not None]
    used = np.unique(np.concatenate(rows))
    step = unit(train.X, model.kernel, precision) if train.X.dtype == "float32" else None
    points = taken(train.X[used], step)
    coefficients = np.zeros((len(parts), used.size))
    for row, indices, part in zip(coefficients, rows, parts, strict=True):
        row[np.searchsorted(used, indices)] = part.coefficients
    y = train.y[used]
    classes = (y < 0.0).astype(np.int64) if kind == "binary" else y.astype(np.int64)
    order = np.argsort(classes, kind="stable")
    dense = points.toarray() if scipy.sparse.issparse(points) else np.asarray(points, np.float64)
    return Expansion(kind, model.kernel, dense[order], coefficients[:, order], bias, classes[order], labels)


def _of_points(
    kind: str, kernel: Any, parts: Any, bias: Floats, sides: Any, labels: tuple[str, ...]
) -> Expansion:
    """Return the expansion of models with points of their own; weights are one point of coefficient 1."""
    if parts[0].weights is not None:
        kernel = {"name": "linear"}
        sets = [(part.weights[np.newaxis], np.ones(1)) for part in parts]
    else:
        sets = [(part.points, part.coefficients) for part in parts]
    sizes = [len(weights) for _, weights in sets]
    coefficients = np.zeros((len(parts), sum(sizes)))
    for row, end, size, (_, weights) in zip(coefficients, np.cumsum(sizes), sizes, sets, strict=True):
        row[end - size : end] = weights
    # A point belongs to the positive class of its problem, where LIBSVM reads its coefficient.
    classes = np.repeat([positive for positive, _ in sides], sizes)
    order = np.argsort(classes, kind="stable")
    points = np.concatenate([points for points, _ in sets])
    return Expansion(kind, kernel, points[order], coefficients[:, order], bias, classes[order], labels)


def libsvm_text(found: Expansion) -> bytes:
    """Return the model file of LIBSVM, with 17 digits, by which its program reads the same numbers."""
    columns = _dual_columns(found, "LIBSVM")
    names = {"gaussian": "rbf", "polynomial": "polynomial", "linear": "linear"}
    lines = ["svm_type c_svc", f"kernel_type {names[found.kernel['name']]}"]
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


def _dual_columns(found: Expansion, program: str) -> Floats:
    """Return LIBSVM's coefficients, shape (k - 1, s): of each point, one for each other class."""
    if found.kind == "one_vs_rest":
        raise UserError(f"{program} has no one_vs_rest models: train with problem.multiclass=one_vs_one")
    k = len(found.labels)
    columns = np.zeros((k - 1, len(found.points)))
    sides = [(0, 1)] if found.kind == "binary" else problems(found.kind, k)
    for row, (first, second) in zip(found.coefficients, sides, strict=True):
        assert second is not None
        columns[second - 1, found.classes == first] = row[found.classes == first]
        columns[first, found.classes == second] = row[found.classes == second]
    return columns


def scikit_learn(found: Expansion) -> bytes:
    """Return a fitted ``sklearn.svm.SVC``, in a pipeline with its scaling if there is one, pickled by joblib.

    Only load files of people whom you trust.
    """
    SVC = _needed("sklearn.svm", "scikit-learn").SVC
    joblib = _needed("joblib", "joblib")
    columns, k = _dual_columns(found, "scikit-learn"), len(found.labels)
    bias, numbers, classes, points = found.bias, found.numbers, found.classes, found.points
    if list(np.argsort(numbers)) != list(range(k)):  # scikit-learn has ascending classes
        if k > 2:
            raise UserError(f"scikit-learn has ascending classes, not {', '.join(found.labels)}: use onnx")
        order = np.argsort(-classes, kind="stable")
        columns, bias, points = -columns[:, order], -bias, points[order]
        classes, numbers = 1 - classes[order], numbers[::-1]
    names = {"gaussian": "rbf", "polynomial": "poly", "linear": "linear"}
    own = {key: found.kernel[key] for key in ("degree", "gamma", "coef0") if key in found.kernel}
    model = SVC(kernel=names[found.kernel["name"]], **own)
    sign = -1.0 if k == 2 else 1.0
    model.__dict__.update(
        classes_=numbers,
        class_weight_=np.ones(k),
        support_=np.arange(len(points), dtype=np.int32),
        support_vectors_=np.ascontiguousarray(points),
        _n_support=np.bincount(classes, minlength=k).astype(np.int32),
        _dual_coef_=np.ascontiguousarray(columns),
        dual_coef_=sign * columns,
        _intercept_=bias,
        intercept_=sign * bias,
        _probA=np.empty(0),
        _probB=np.empty(0),
        _sparse=False,
        _gamma=float(found.kernel.get("gamma", 0.0)),
        shape_fit_=points.shape,
        n_features_in_=points.shape[1],
        fit_status_=0,
        _num_iter=0,
        n_iter_=np.zeros(len(bias), dtype=np.int32),
    )
    if found.scaling is not None:
        scaler = _needed("sklearn.preprocessing", "scikit-learn").StandardScaler()
        shift, width = found.scaling
        scaler.__dict__.update(mean_=shift, scale_=width, var_=np.square(width), n_features_in_=shift.size)
        model = _needed("sklearn.pipeline", "scikit-learn").make_pipeline(scaler, model)
    stream = io.BytesIO()
    joblib.dump(model, stream)
    return stream.getvalue()


def onnx_graph(found: Expansion) -> bytes:
    """Return an ONNX model of basic operators in double precision.

    Its input is ``X``, its outputs ``label`` and ``scores``. A binary model has one column of scores,
    positive for the first label.
    """
    onnx = _needed("onnx", "onnx")
    helper, array = onnx.helper, onnx.numpy_helper.from_array
    constants: dict[str, Any] = {"points": found.points.T, "beta": found.coefficients.T, "bias": found.bias}
    nodes = []

    def node(kind: str, inputs: str, output: str, **options: Any) -> None:
        nodes.append(helper.make_node(kind, inputs.split(), [output], **options))

    if found.scaling is None:
        node("Cast", "X", "rows", to=onnx.TensorProto.DOUBLE)
    else:
        constants |= {"shift": found.scaling[0], "width": found.scaling[1]}
        node("Sub", "X shift", "moved")
        node("Div", "moved width", "rows")
    node("MatMul", "rows points", "products")
    name, gamma = found.kernel["name"], float(found.kernel.get("gamma", 1.0))
    if name == "gaussian":
        constants |= {"norms": np.square(found.points).sum(axis=1), "minus": np.array(-2.0)}
        constants |= {"rate": np.array(-gamma), "zero": np.array(0.0), "axis": np.array([1])}
        node("ReduceSumSquare", "rows axis", "own", keepdims=1)
        node("Mul", "products minus", "twice")
        node("Add", "twice norms", "partial")
        node("Add", "partial own", "squares")
        node("Max", "squares zero", "distances")
        node("Mul", "distances rate", "exponents")
        node("Exp", "exponents", "kernel")
    elif name == "polynomial":
        constants |= {"rate": np.array(gamma), "coef0": np.array(float(found.kernel["coef0"]))}
        constants |= {"degree": np.array(float(found.kernel["degree"]))}
        node("Mul", "products rate", "scaled")
        node("Add", "scaled coef0", "base")
        node("Pow", "base degree", "kernel")
    else:
        node("Identity", "products", "kernel")
    node("MatMul", "kernel beta", "sums")
    node("Add", "sums bias", "scores")
    k = len(found.labels)
    if found.kind == "one_vs_rest":
        node("Identity", "scores", "votes")
    else:
        sides = [(0, 1)] if found.kind == "binary" else problems(found.kind, k)
        first, second = (np.eye(k)[np.array([pair[side] for pair in sides], int)] for side in (0, 1))
        constants |= {"none": np.array(0.0), "change": first - second, "others": second.sum(axis=0)}
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


def _needed(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise UserError(f"this form is written by {package}: pip install {package}") from None
