"""Starting Hydra from our own command line."""

from __future__ import annotations

import argparse
import os
import sys

from svmbench.commands import _hydra


def test_arguments_and_environment_are_given_back(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["before"])
    monkeypatch.delenv("HYDRA_FULL_ERROR", raising=False)
    seen = []
    _hydra.start(lambda composed: seen.append((composed.seed, list(sys.argv))), ["seed=4"], [])
    assert seen == [(4, ["svmbench run", "seed=4"])]
    assert sys.argv == ["before"]
    assert "HYDRA_FULL_ERROR" not in os.environ


def test_the_check_of_help_texts_is_lifted_on_python_3_14_alone(monkeypatch):
    def refuse(self: argparse.ArgumentParser, action: argparse.Action) -> None:
        raise ValueError("badly formed help string")

    monkeypatch.setattr(argparse.ArgumentParser, "_check_help", refuse, raising=False)
    monkeypatch.setattr(sys, "version_info", (3, 13, 0))
    _hydra._mend_help()
    assert argparse.ArgumentParser._check_help is refuse
    monkeypatch.setattr(sys, "version_info", (3, 14, 0))
    _hydra._mend_help()
    assert argparse.ArgumentParser()._check_help(None) is None
