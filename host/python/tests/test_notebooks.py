"""Notebooks of `examples` are executed, and say what they should."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def executed(name):
    """All that a notebook prints and shows."""
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells), "outputs are not committed"
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(EXAMPLES)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    text = "".join(output.get("text", "") for output in outputs)
    shown = [output["data"] for output in outputs if "data" in output]
    return text, shown


def test_every_notebook_is_tested():
    assert sorted(path.stem for path in EXAMPLES.glob("*.ipynb")) == ["first_run", "own_solver"]


def test_a_first_run():
    text, shown = executed("first_run")
    assert "the block stops after 0.39779 m; v²/(2 μ g) = 0.40775 m" in text
    assert "d block.x / d scene.materials.default.friction = -0.8044" in text
    assert "Anitescu-Potra: 0.3" in text
    assert any("<iframe" in data.get("text/html", "") for data in shown)


def test_a_solver_of_ones_own():
    text, _ = executed("own_solver")
    difference = float(text.split("largest difference: ")[1].split()[0])
    assert difference < 1e-9
    assert "refused: " in text
