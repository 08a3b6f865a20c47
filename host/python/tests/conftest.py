import os
from pathlib import Path

# Small matrices: threads of BLAS only wait for one another. Before NumPy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

import vinci

SCENES = Path(__file__).resolve().parents[2] / "scenes"


@pytest.fixture
def shipped():
    """An experiment that ships, by its name."""
    return lambda name: vinci.Experiment.load(SCENES / f"{name}.json")
