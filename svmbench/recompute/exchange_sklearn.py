"""Stored models as fitted estimators of scikit-learn."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.recompute.expansion import Expansion, dual_columns, kernel_name, needed


def scikit_learn(found: Expansion) -> bytes:
    """Return a fitted estimator of scikit-learn, in a pipeline with its scaling if there is one, by joblib.

    It is an ``SVC``; over random Fourier features an ``RBFSampler`` and a ``LinearSVC``; for one_vs_rest a
    ``OneVsRestClassifier`` of these. Only load files of people whom you trust.
    """
    joblib, preprocessing = needed("joblib", "joblib"), needed("sklearn.preprocessing", "scikit-learn")
    model = _one_vs_rest(found) if found.kind == "one_vs_rest" else _estimator(found)
    d, steps = found.points.shape[1], []
    if found.scaling is not None:
        shift, width = found.scaling
        scaler = preprocessing.StandardScaler()
        scaler.__dict__.update(mean_=shift, scale_=width, var_=np.square(width), n_features_in_=d)
        steps = [scaler]
    elif found.unit:
        steps = [preprocessing.Normalizer()]
        steps[0].n_features_in_ = d
    if steps:
        model = needed("sklearn.pipeline", "scikit-learn").make_pipeline(*steps, model)
    stream = io.BytesIO()
    joblib.dump(model, stream)
    return stream.getvalue()


def _one_vs_rest(found: Expansion) -> Any:
    """Return the classifier of several binary estimators, by ascending class."""
    order, estimators = np.argsort(found.numbers), []
    for k in order:
        classes = (found.classes != k).astype(np.int64)
        by_class = np.argsort(classes, kind="stable")
        one = replace(
            found,
            kind="binary",
            points=found.points[by_class],
            coefficients=found.coefficients[k : k + 1, by_class],
            phases=None if found.phases is None else found.phases[by_class],
            bias=found.bias[k : k + 1],
            classes=classes[by_class],
            labels=("1", "0"),
        )
        estimators.append(_estimator(one))
    model = needed("sklearn.multiclass", "scikit-learn").OneVsRestClassifier(estimators[0])
    binarizer = needed("sklearn.preprocessing", "scikit-learn").LabelBinarizer(sparse_output=True)
    model.__dict__.update(
        estimators_=estimators,
        classes_=found.numbers[order],
        label_binarizer_=binarizer.fit(found.numbers[order]),
        n_features_in_=found.points.shape[1],
    )
    return model


def _estimator(found: Expansion) -> Any:
    """Return a binary or one_vs_one model, without scaling."""
    bias, numbers, classes, points = found.bias, found.numbers, found.classes, found.points
    k = len(numbers)
    if found.phases is not None and k == 2:
        return _over_waves(found)
    name = kernel_name(found, "scikit-learn", polynomial="poly")
    columns = dual_columns(found, "scikit-learn")
    if list(np.argsort(numbers)) != list(range(k)):  # scikit-learn has ascending classes
        if k > 2:
            raise UserError(f"scikit-learn has ascending classes, not {', '.join(found.labels)}: use onnx")
        order = np.argsort(-classes, kind="stable")
        columns, bias, points = -columns[:, order], -bias, points[order]
        classes, numbers = 1 - classes[order], numbers[::-1]
    own = {key: found.kernel[key] for key in ("degree", "gamma", "coef0") if key in found.kernel}
    model = needed("sklearn.svm", "scikit-learn").SVC(kernel=name, **own)
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
    return model


def _over_waves(found: Expansion) -> Any:
    """Return random Fourier features and a linear classifier of two classes."""
    count, d = found.points.shape
    sampler = needed("sklearn.kernel_approximation", "scikit-learn").RBFSampler(
        gamma=found.kernel["gamma"], n_components=count
    )
    sampler.__dict__.update(
        random_weights_=np.ascontiguousarray(found.points.T),
        random_offset_=found.phases,
        n_features_in_=d,
        _n_features_out=count,
    )
    # The sampler multiplies waves by the root of 2 / count. Its classes ascend, and the last one is positive.
    weights = found.coefficients / np.sqrt(2.0 / count)
    order = np.argsort(found.numbers)
    sign = 1.0 if order[1] == 0 else -1.0
    model = needed("sklearn.svm", "scikit-learn").LinearSVC()
    model.__dict__.update(
        classes_=found.numbers[order],
        coef_=sign * weights,
        intercept_=sign * found.bias,
        n_features_in_=count,
        n_iter_=0,
    )
    return needed("sklearn.pipeline", "scikit-learn").make_pipeline(sampler, model)
