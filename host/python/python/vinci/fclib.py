"""Problems of FCLIB, the collection of frictional contact problems, for `vinci solve` and `vinci bench solvers`.

A file of FCLIB (HDF5) holds one problem, in one of two forms, with K the product of the contacts' Coulomb cones of μ:

- local:  u = W r + V λ + q,  0 = Vᵀ r + R λ + s
- global: M v = H r + G λ + f,  u = Hᵀ v + w,  0 = Gᵀ v + b

V, R, s and G, λ, b are there where bilateral constraints are. Both are read as u = W r + q, what λ and v are being eliminated:
W = W − V R⁻¹ Vᵀ and q = q − V R⁻¹ s of the local form; of the global one the same with v and λ.
u and r are sorted by contact, the normal first, then one tangent (plane) or two (space). Units are those of the file.

    python -m vinci.fclib Capsules-*.hdf5 --out capsules.json
    vinci bench solvers capsules.json --solver nsgs,newton

Needs `h5py` and `scipy` (`pip install "vinci[fclib]"`).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["FclibError", "read", "main"]


class FclibError(ValueError):
    """A file that is no problem of FCLIB, or one whose form is not read. The message names the file."""


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The problem of a file, as an entry of a collection that `vinci bench solvers` reads.

    Keys: `name` (of the file), `family` (the file's title), `dim` (2 or 3), `n` (rows), `W` (triplets `i`, `j`, `v`), `q` (n,), `mu` (one per
    contact), and `source`.

    Raises `FclibError`.
    """
    import h5py

    path = Path(path)
    try:
        with h5py.File(path, "r") as file:
            return _problem(file, path)
    except (OSError, KeyError) as error:
        raise FclibError(f"{path}: it is no problem of FCLIB ({error})") from error
    except (TypeError, ValueError, RuntimeError) as error:
        raise FclibError(f"{path}: {error}") from error


def _problem(file: Any, path: Path) -> dict[str, Any]:
    form = next((name for name in ("fclib_local", "fclib_global") if name in file), None)
    if form is None:
        raise ValueError("it has neither a group `fclib_local` nor `fclib_global`")
    group = file[form]
    vectors = {name: np.asarray(group["vectors"][name][()], dtype=float) for name in group["vectors"]}
    w, q = (_local if form == "fclib_local" else _global)(group, vectors)
    dim, mu = int(np.ravel(group["spacedim"][()])[0]), vectors["mu"]
    if dim not in (2, 3) or w.shape != (q.size, q.size) or mu.size * dim != q.size:
        raise ValueError(f"{mu.size} contacts in {dim} dimensions, q of {q.size} and W of {w.shape} are no problem")
    if not (np.isfinite(w.data).all() and np.isfinite(q).all() and np.isfinite(mu).all() and (mu >= 0).all()):
        raise ValueError("its numbers are not all finite, or a μ is negative")
    w = w.tocoo()
    entries = {"i": w.row.tolist(), "j": w.col.tolist(), "v": w.data.tolist()}
    return {"name": path.stem, "family": _title(group), "dim": dim, "n": q.size, "W": entries, "q": q.tolist(),
            "mu": mu.tolist(), "source": path.name}


def _local(group: Any, vectors: dict[str, np.ndarray]) -> tuple[Any, np.ndarray]:
    w, q = _matrix(group["W"]), vectors["q"]
    if "V" not in group:
        return w, q
    v, solve = _matrix(group["V"]), _solver(_matrix(group["R"]))
    return w - v @ solve(v.T), q - v @ solve(vectors["s"])


def _global(group: Any, vectors: dict[str, np.ndarray]) -> tuple[Any, np.ndarray]:
    from scipy import sparse

    m, h, f = _matrix(group["M"]), _matrix(group["H"]), vectors["f"]
    if "G" in group:
        # λ as further velocities: [M −G; Gᵀ 0] (v, λ) = (H r + f, −b).
        g = _matrix(group["G"])
        m = sparse.bmat([[m, -g], [g.T, None]])
        h = sparse.vstack([h, sparse.csc_matrix((g.shape[1], h.shape[1]))])
        f = np.concatenate([f, -vectors["b"]])
    h, solve = sparse.csc_matrix(h), _solver(m)
    return h.T @ solve(h), h.T @ solve(f) + vectors["w"]


def _matrix(group: Any) -> Any:
    """A matrix by triplets (`nz` ≥ 0: rows in `i`, columns in `p`), by columns (-1) or by rows (-2)."""
    from scipy import sparse

    count, m, n = (int(np.ravel(group[name][()])[0]) for name in ("nz", "m", "n"))
    p, i, x = (np.asarray(group[name][()]) for name in ("p", "i", "x"))
    if count >= 0:
        return sparse.coo_matrix((x[:count], (i[:count], p[:count])), shape=(m, n)).tocsc()
    if count == -1:
        return sparse.csc_matrix((x[: p[-1]], i[: p[-1]], p), shape=(m, n))
    if count == -2:
        return sparse.csr_matrix((x[: p[-1]], i[: p[-1]], p), shape=(m, n)).tocsc()
    raise ValueError(f"a matrix says that it is of the kind {count}")


def _solver(matrix: Any) -> Any:
    """A function that solves with a square matrix, for vectors and for sparse matrices, by one factorisation."""
    from scipy import sparse
    from scipy.sparse import linalg

    factors = linalg.splu(sparse.csc_matrix(matrix))

    def solve(right: Any) -> Any:
        if sparse.issparse(right):
            return sparse.csc_matrix(factors.solve(right.toarray()))
        return factors.solve(right)

    return solve


def _title(group: Any) -> str:
    title = group["info"]["title"][()] if "info" in group and "title" in group["info"] else "FCLIB"
    title = np.ravel(title)[0] if isinstance(title, np.ndarray) else title
    return title.decode("utf-8", "replace") if isinstance(title, bytes) else str(title)


def main(arguments: list[str] | None = None) -> int:
    """`python -m vinci.fclib FILE… --out COLLECTION.json`. Returns the exit code: 0, or 2 where a file is not read."""
    parser = argparse.ArgumentParser(prog="python -m vinci.fclib", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="problems of FCLIB (HDF5)")
    parser.add_argument("--out", required=True, metavar="FILE", help="the collection that is written (JSON)")
    options = parser.parse_args(arguments)
    try:
        problems = [read(file) for file in options.files]
    except FclibError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f'error: {error}; `pip install "vinci[fclib]"` installs what is missing', file=sys.stderr)
        return 2
    # Whole or not at all: a collection that breaks off is none.
    draft = Path(f"{options.out}.tmp")
    draft.write_text(json.dumps(problems), encoding="utf-8")
    draft.replace(options.out)
    print(f"{len(problems)} problems: {options.out}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
