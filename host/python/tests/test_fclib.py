"""Problems of FCLIB: both forms, with and without bilateral constraints, in all three layouts of matrices."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

h5py = pytest.importorskip("h5py")
sparse = pytest.importorskip("scipy.sparse")

from vinci import fclib  # noqa: E402
from vinci._program import program  # noqa: E402

PROBLEMS = Path(__file__).resolve().parents[3] / "tests/data/problems/siconos"


def put_matrix(group, name, matrix, kind):
    """Writes a matrix as the library of FCLIB does: kind 0 triplets, -1 columns, -2 rows."""
    at = group.create_group(name)
    stored = {0: sparse.coo_matrix, -1: sparse.csc_matrix, -2: sparse.csr_matrix}[kind](matrix)
    p, i = (stored.col, stored.row) if kind == 0 else (stored.indptr, stored.indices)
    for key, value in (("nzmax", stored.nnz), ("m", stored.shape[0]), ("n", stored.shape[1]),
                       ("nz", stored.nnz if kind == 0 else kind)):
        at[key] = np.array([value], dtype=np.int32)
    at["p"], at["i"], at["x"] = p.astype(np.int32), i.astype(np.int32), stored.data


def put(path, form, dim, matrices, vectors, kind):
    with h5py.File(path, "w") as file:
        group = file.create_group(form)
        group["spacedim"] = np.array([dim], dtype=np.int32)
        for name, matrix in matrices.items():
            put_matrix(group, name, matrix, kind)
        for name, vector in vectors.items():
            group.create_group("vectors") if "vectors" not in group else None
            group["vectors"][name] = vector
        group.create_group("info")["title"] = np.bytes_("made by a test")


def dense(problem):
    w = problem["W"]
    return sparse.coo_matrix((w["v"], (w["i"], w["j"])), shape=(problem["n"],) * 2).toarray()


@pytest.mark.parametrize("kind", [0, -1, -2])
def test_a_local_problem_comes_back_with_its_numbers(tmp_path, kind):
    one = json.loads((PROBLEMS / "coulomb-1.json").read_text())[0]
    w = dense(one)
    put(tmp_path / "box.hdf5", "fclib_local", 3, {"W": w}, {"q": one["q"], "mu": one["mu"]}, kind)
    read = fclib.read(tmp_path / "box.hdf5")
    assert (read["name"], read["family"], read["dim"], read["n"]) == ("box", "made by a test", 3, one["n"])
    assert np.array_equal(dense(read), w) and read["q"] == one["q"] and read["mu"] == one["mu"]


@pytest.mark.parametrize("bilateral", [False, True])
def test_what_is_eliminated_fulfils_the_equations_of_the_form(tmp_path, bilateral):
    """For any r: u of the condensed problem is that of the equations of both forms, solved densely here."""
    random = np.random.default_rng(7)
    nv, nl, nr = 9, 2, 6
    m = random.normal(size=(nv, nv))
    m, h, g = m @ m.T + np.eye(nv), random.normal(size=(nv, nr)), random.normal(size=(nv, nl))
    f, w, b, r = (random.normal(size=k) for k in (nv, nr, nl, nr))
    matrices, vectors = {"M": m, "H": h}, {"f": f, "w": w, "mu": [0.3, 0.7]}
    if bilateral:
        matrices["G"], vectors["b"] = g, b
        kkt = np.block([[m, -g], [g.T, np.zeros((nl, nl))]])
        v = np.linalg.solve(kkt, np.concatenate([h @ r + f, -b]))[:nv]
    else:
        v = np.linalg.solve(m, h @ r + f)
    put(tmp_path / "g.hdf5", "fclib_global", 3, matrices, vectors, -1)
    read = fclib.read(tmp_path / "g.hdf5")
    assert np.allclose(dense(read) @ r + read["q"], h.T @ v + w, rtol=0, atol=1e-12)

    big, v_rows, r_block, s = np.eye(nr) * 5, random.normal(size=(nr, nl)), np.eye(nl) * 2.0, b
    matrices, vectors = {"W": big}, {"q": w, "mu": [0.3] * 3}
    expected = big @ r + w
    if bilateral:
        matrices |= {"V": v_rows, "R": r_block}
        vectors["s"] = s
        expected = expected + v_rows @ np.linalg.solve(r_block, -(v_rows.T @ r + s))
    put(tmp_path / "l.hdf5", "fclib_local", 2, matrices, vectors, 0)
    read = fclib.read(tmp_path / "l.hdf5")
    assert np.allclose(dense(read) @ r + read["q"], expected, rtol=0, atol=1e-12)


def test_a_solver_solves_what_was_imported(tmp_path):
    one = json.loads((PROBLEMS / "coulomb-1.json").read_text())[0]
    put(tmp_path / "box.hdf5", "fclib_local", 3, {"W": dense(one)}, {"q": one["q"], "mu": one["mu"]}, -1)
    out = tmp_path / "all.json"
    assert fclib.main([str(tmp_path / "box.hdf5"), "--out", str(out)]) == 0
    done = subprocess.run([program(), "bench", "solvers", str(out), "--solver", "nsgs", "--json"],
                          capture_output=True, text=True, check=True)
    (result,) = json.loads(done.stdout)["solvers"][0]["results"]
    assert result["status"] == "Converged" and result["residual"] < 1e-6, result


def test_files_that_are_none_are_told_by_name(tmp_path, capsys):
    (tmp_path / "text.hdf5").write_text("no HDF5")
    with h5py.File(tmp_path / "other.hdf5", "w") as file:
        file["x"] = [1.0]
    put(tmp_path / "short.hdf5", "fclib_local", 3, {"W": np.eye(6)}, {"q": np.ones(6), "mu": [0.3]}, -1)
    put(tmp_path / "nan.hdf5", "fclib_local", 3, {"W": np.eye(3)}, {"q": [1.0, np.nan, 0.0], "mu": [0.3]}, -1)
    for name, why in (("text", "no problem of FCLIB"), ("other", "neither a group"), ("short", "1 contacts in 3"),
                      ("nan", "not all finite"), ("missing", "no problem of FCLIB")):
        with pytest.raises(fclib.FclibError, match=why):
            fclib.read(tmp_path / f"{name}.hdf5")
        assert fclib.main([str(tmp_path / f"{name}.hdf5"), "--out", str(tmp_path / "out.json")]) == 2
        assert f"{name}.hdf5" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
