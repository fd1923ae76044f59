"""The declared API of `sobremesa.training`."""

import inspect
import subprocess
import sys

import pytest

from sobremesa import training

LIGHT = """
import sys
from sobremesa import training
training.from_dict({"game": "kuhn_poker"})
assert not {"torch", "onnx", "tensorboard"} & sys.modules.keys(), sys.modules.keys() & {"torch"}
"""


@pytest.mark.parametrize("name", training.__all__)
def test_a_name_is_documented(name):
    found = getattr(training, name)
    assert inspect.getdoc(found)


def test_functions_are_typed():
    for name in training.__all__:
        found = getattr(training, name)
        if inspect.isfunction(found):
            hints = inspect.signature(found)
            assert hints.return_annotation is not inspect.Signature.empty, name
            assert all(one.annotation is not one.empty for one in hints.parameters.values()), name


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'fit'"):
        _ = training.fit


def test_importing_the_package_does_not_import_torch():
    subprocess.run([sys.executable, "-c", LIGHT], check=True)
