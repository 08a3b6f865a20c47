"""A plugin in a process of its own: the end of the worker protocol that a class in Python stands behind.

`serve(Class)` answers the host. The class has the methods of its role:

- a solver `solve(problem)`, which gives a `Solution` or z alone;
- a stepper `formulate(step)`, which gives a `Problem` (`mlcp` makes one), and `update(step, solution)`, which gives an `Update`;
- a controller `control(view)`, which gives `Commands` or the efforts alone;
- a detector `detect(query)`, which gives `Found`;

and, where it keeps something from step to step, `save()` (bytes) and `load(bytes)`. It is made by `Class(options, system)`. A solver that works here works in
the package `vinci` too: `experiment.simulation(solver=Class())`.

All arrays belong to the class. An exception ends the run and names the plugin; `Refused` says politely that something cannot be done.
The protocol is described in docs/src/reference/worker-protocol.md of Vinci.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import traceback
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, BinaryIO

import numpy as np

from . import _answers
from .problem import Problem, Solution

__all__ = ["Commands", "Found", "Matrix", "Problem", "Refused", "Solution", "Update", "mlcp", "serve"]

PROTOCOL = 1

#: Stands for no row, no subject, no coordinate, no normal. A contact without a group has the group 0.
NONE = 0xFFFFFFFF

#: Roles of velocities in `step.role`.
FREE, PRESCRIBED, IMPEDANCE = 0, 1, 2

#: Motion models in `step.motion`; 0: the stepper's own.
DYNAMIC, FIRST_ORDER, QUASI_STATIC, QUASI_DYNAMIC, TRAPEZOIDAL = 1, 2, 3, 4, 5

TYPES = {"f64": np.dtype("<f8"), "u64": np.dtype("<u8"), "u32": np.dtype("<u4"), "u8": np.dtype("u1"), "text": np.dtype("u1")}


class Refused(Exception):
    """Something that cannot be done. `kind`: unsupported, bad-option, bad-input, bad-model, bad-state, non-finite or other."""

    def __init__(self, message: str, kind: str = "unsupported") -> None:
        super().__init__(message)
        self.kind = kind


@dataclass
class Matrix:
    """A sparse matrix by rows: row i has the columns `indices[indptr[i]:indptr[i + 1]]` and the values `data` there."""

    data: np.ndarray
    indices: np.ndarray
    indptr: np.ndarray
    shape: tuple[int, int]

    def dense(self) -> np.ndarray:
        """All entries, shape `shape`."""
        dense = np.zeros(self.shape)
        row_of = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        np.add.at(dense, (row_of, self.indices), self.data)
        return dense

    def scipy(self) -> Any:
        """As `scipy.sparse.csr_matrix`."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.data, self.indices, self.indptr), shape=self.shape)

    @staticmethod
    def of(matrix: Any) -> Matrix:
        """From a dense array, a sparse one of scipy, or a `Matrix`."""
        if isinstance(matrix, Matrix):
            return matrix
        if hasattr(matrix, "tocsr"):
            rows = matrix.tocsr()
            return Matrix(rows.data, rows.indices, rows.indptr, rows.shape)
        dense = np.asarray(matrix, dtype=np.float64)
        row_of, indices = np.nonzero(dense)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(row_of, minlength=dense.shape[0]))])
        return Matrix(dense[row_of, indices], indices, indptr, dense.shape)


@dataclass
class Update:
    """What follows from a solution. Names, shapes and units are those of the host's `Update`; arrays that are left out are empty."""

    v: Any
    impulse: Any = ()
    verdict: str = "Accept"
    h_used: float = 0.0
    h_next: float = 0.0
    q: Any = ()
    row_impulse: Any = ()
    support_impulse: Any = ()
    effort: Any = ()
    normal_rate: Any = ()
    slip_rate: Any = ()
    motion: Any = ()
    mass_scale: Any = ()
    gradient: Any = ()
    reason: str = ""


@dataclass
class Commands:
    """What a controller gives: efforts and set-points, in the order of `system.efforts` and `system.set_points`."""

    effort: Any = ()
    set_point: Any = ()


@dataclass
class Found:
    """What a detector finds: keys (shape A, shape B, feature of A, feature of B), gaps, normals from A to B, points on A and on B; 3 numbers a point."""

    key: Any = field(default_factory=lambda: np.zeros((0, 4)))
    gap: Any = ()
    normal: Any = ()
    point_a: Any = ()
    point_b: Any = ()
    group: Any = ()


def mlcp(M: Any, q: Any, lower: Any, upper: Any, rows: list[tuple[str, int]], tolerance: float) -> Problem:
    """The problem w = M z + q, lower ≤ z ≤ upper ⟂ w, for a stepper to give. `rows`: where every row comes from, as in `Problem.rows`."""
    matrix, q = Matrix.of(M), np.asarray(q, dtype=np.float64)
    ones, none = np.ones(len(q)), np.zeros(0)
    parts = (matrix.data, matrix.indices, matrix.indptr, matrix.shape)
    return Problem("Mlcp", tolerance, np.asarray(lower, float), np.asarray(upper, float), ones, ones, none, rows, q, _m=parts)


# Messages


class _Message:
    """A head and named arrays."""

    def __init__(self, head: dict[str, Any] | None = None) -> None:
        self.head = head or {}
        self.arrays: dict[str, Any] = {}

    def put(self, name: str, kind: str, value: Any, columns: int = 0) -> None:
        """Appends an array; `columns`: as rows of so many."""
        if kind == "text":
            array = np.frombuffer(value.encode(), np.uint8)
        else:
            if np.iscomplexobj(value):
                raise TypeError(f"{name} is complex, and its numbers are real")
            array = np.asarray(value, dtype=TYPES[kind], order="C")
        if columns:
            array = array.reshape(-1, columns)
        self.arrays[name] = (kind, array)

    def write(self, to: BinaryIO) -> None:
        entries, body = [], []
        for name, (kind, array) in self.arrays.items():
            data = array.tobytes()
            entries.append([name, kind, list(array.shape)])
            body.append(data + bytes(-len(data) % 8))
        head = json.dumps({**self.head, "arrays": entries}).encode()
        whole = b"".join(body)
        to.write(struct.pack("<QQ", len(head), len(whole)) + head + whole)
        to.flush()


def _read(stream: BinaryIO) -> _Message | None:
    """The next message, or None where the host is gone."""
    prefix = stream.read(16)
    if len(prefix) < 16:
        return None
    head_length, body_length = struct.unpack("<QQ", prefix)
    message = _Message(json.loads(stream.read(head_length)))
    body, at = bytearray(stream.read(body_length)), 0
    for name, kind, shape in message.head.pop("arrays", []):
        dtype, count = TYPES[kind], int(np.prod(shape, dtype=np.int64))
        array = np.frombuffer(body, dtype, count, at).reshape(shape)
        at += -(-count * dtype.itemsize // 8) * 8
        message.arrays[name] = array.tobytes().decode() if kind == "text" else array if shape else array[()].item()
    return message


def _tree(arrays: dict[str, Any]) -> SimpleNamespace:
    """Arrays by name as attributes: `contacts.gap`. Four arrays of a matrix are one `Matrix`."""
    root = SimpleNamespace()
    for name, value in arrays.items():
        *path, last = name.split(".")
        place = root
        for word in path:
            place = vars(place).setdefault(word, SimpleNamespace())
        setattr(place, last, value)
    return _matrices(root)


def _matrices(place: Any) -> Any:
    names = vars(place)
    if names.keys() == {"shape", "indptr", "indices", "data"}:
        shape = (int(names["shape"][0]), int(names["shape"][1]))
        return Matrix(names["data"], names["indices"].astype(np.int64), names["indptr"].astype(np.int64), shape)
    for name, value in names.items():
        if isinstance(value, SimpleNamespace):
            setattr(place, name, _matrices(value))
    return place


# Problems


def _problem(kind: str, given: SimpleNamespace, parts: list[str]) -> Problem:
    """A problem as the package `vinci` shows it."""
    blocks = []
    if kind == "Cone":
        index = given.blocks.index.reshape(-1, 3).tolist()
        size = given.blocks.size.tolist()
        blocks = [(-1 if n == NONE else n, t, dim, mu) for (n, t, dim), mu in zip(index, size)]
        given = given.rows
    if kind in ("Mlcp", "Cone"):
        rows, scales = _rows(given.tag, parts), (given.z_scale, given.w_scale)
        more: dict[str, Any] = {"q": given.q, "_m": _parts(given.m), "blocks": blocks}
    elif kind == "Conic":
        rows, scales = _rows(given.s_tag, parts), (given.x_scale, given.s_scale)
        cones = [(int(first), int(dim)) for first, dim in given.cones.reshape(-1, 2)]
        more = {"c": given.c, "g": given.g, "cones": cones, "dual_guess": given.dual_guess}
        more.update(_p=_parts(given.p), _g_rows=_parts(given.rows))
    else:
        raise Refused(f"problems of class {kind} are not given to Python")
    return Problem(kind, given.tolerance, given.lower, given.upper, *scales, given.guess, rows, **more)


def _parts(m: Matrix) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[int, int]]:
    return m.data, m.indices, m.indptr, m.shape


def _rows(tag: np.ndarray, parts: list[str]) -> list[tuple[str, int]]:
    return [(parts[part], -1 if subject == NONE else subject) for subject, part in tag.tolist()]


def _put_matrix(to: _Message, name: str, parts: Any) -> None:
    values, columns, starts, shape = parts
    to.put(f"{name}.shape", "u64", shape)
    to.put(f"{name}.indptr", "u32", starts)
    to.put(f"{name}.indices", "u32", columns)
    to.put(f"{name}.data", "f64", values)


def _put_tags(to: _Message, name: str, rows: list[tuple[str, int]], parts: list[str]) -> None:
    codes = [(NONE if subject < 0 else subject, parts.index(part)) for part, subject in rows]
    to.put(name, "u32", np.array(codes, dtype=np.uint32), columns=2)


def _put_problem(p: Problem, to: _Message, parts: list[str]) -> None:
    """A stepper's problem of class Mlcp or Cone."""
    if p.kind not in ("Mlcp", "Cone"):
        raise Refused(f"steppers in Python give problems of the classes Mlcp and Cone, not {p.kind}")
    to.head["class"] = p.kind
    at = ""
    if p.kind == "Cone":
        at = "rows."
        to.put("blocks.index", "u32", [[NONE if n < 0 else n, t, dim] for n, t, dim, _ in p.blocks])
        to.put("blocks.size", "f64", [mu for *_, mu in p.blocks])
        kind, array = to.arrays["blocks.index"]
        to.arrays["blocks.index"] = (kind, array.reshape(-1))
    _put_matrix(to, f"{at}m", p._m)
    for name in ("q", "lower", "upper", "z_scale", "w_scale", "guess"):
        to.put(at + name, "f64", getattr(p, name))
    _put_tags(to, f"{at}tag", p.rows, parts)
    to.put(f"{at}tolerance", "f64", p.tolerance)


# The service


class _Service:
    """Instances of a class, and the answers to what the host asks of them."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.parts: list[str] = []
        self.instances: dict[int, Any] = {}

    def answer(self, asked: _Message) -> _Message:
        call, answer = asked.head["call"], _Message({"number": asked.head["number"]})
        try:
            getattr(self, f"_{call}")(asked, answer)
        except Refused as refused:
            answer = self._error(asked, refused.kind, str(refused))
        except NotImplementedError as missing:
            answer = self._error(asked, "unsupported", str(missing) or f"{self.cls.__name__} cannot do this")
        except BaseException as error:  # noqa: BLE001 - whatever it is, the host is told
            answer = self._error(asked, "exception", _told(error))
        return answer

    def _error(self, asked: _Message, kind: str, message: str) -> _Message:
        return _Message({"number": asked.head["number"], "error": {"kind": kind, "message": message}})

    def _hello(self, asked: _Message, answer: _Message) -> None:
        self.parts = asked.head["parts"]
        answer.head["protocol"] = PROTOCOL

    def _create(self, asked: _Message, answer: _Message) -> None:
        system = _tree(asked.arrays)
        for name in ("body_names", "dof_names"):
            setattr(system, name, asked.head[name])
        arrays = vars(getattr(system, "shapes", SimpleNamespace()))
        shapes = enumerate(asked.head["shapes"])
        system.shapes = [SimpleNamespace(**shape, **vars(arrays[str(k)])) for k, shape in shapes]
        self.instances[asked.head["instance"]] = self.cls(asked.head["options"], system)

    def _destroy(self, asked: _Message, answer: _Message) -> None:
        del self.instances[asked.head["instance"]]

    def _bye(self, asked: _Message, answer: _Message) -> None:
        self.instances.clear()

    def _instance(self, asked: _Message, method: str) -> Any:
        found = getattr(self.instances[asked.head["instance"]], method, None)
        if found is None:
            raise Refused(f"{self.cls.__name__} has no method {method}")
        return found

    def _save(self, asked: _Message, answer: _Message) -> None:
        instance = self.instances[asked.head["instance"]]
        state = instance.save() if hasattr(instance, "save") else b""
        answer.put("state", "u8", np.frombuffer(state, np.uint8))

    def _load(self, asked: _Message, answer: _Message) -> None:
        instance, state = self.instances[asked.head["instance"]], asked.arrays["state"].tobytes()
        if hasattr(instance, "load"):
            instance.load(state)
        elif state:
            raise Refused(f"{self.cls.__name__} keeps no state but was given {len(state)} bytes to restore", "bad-state")

    def _extension(self, asked: _Message, answer: _Message) -> None:
        raise Refused(f"extension {asked.head['extension']} is not supported")

    def _solve(self, asked: _Message, answer: _Message) -> None:
        problem = _problem(asked.head["class"], _tree(asked.arrays), self.parts)
        n, m = problem.n, 0 if problem.g is None else len(problem.g)
        given = self._instance(asked, "solve")(problem)
        z, dual, status, iterations, note = _answers.solution(given, n, m, self.cls.__name__)
        answer.put("status", "text", status)
        answer.put("note", "text", note)
        for name, value in {"z": z, "dual": dual, "bound": np.nan, "residual": 0.0}.items():
            answer.put(name, "f64", value)
        answer.put("iterations", "u64", iterations)
        answer.put("factorizations", "u64", 0)

    def _formulate(self, asked: _Message, answer: _Message) -> None:
        _put_problem(self._instance(asked, "formulate")(_step(asked)), answer, self.parts)

    def _update(self, asked: _Message, answer: _Message) -> None:
        step = _step(asked)
        update = self._instance(asked, "update")(step, step.solution)
        for name in ("verdict", "reason"):
            answer.put(name, "text", getattr(update, name))
        answer.put("motion", "u8", update.motion)
        answer.put("h_used", "f64", update.h_used)
        answer.put("h_next", "f64", update.h_next)
        for name, value in vars(update).items():
            if name not in answer.arrays:
                answer.put(name, "f64", np.ravel(value))

    def _control(self, asked: _Message, answer: _Message) -> None:
        commands = self._instance(asked, "control")(_tree(asked.arrays))
        if not isinstance(commands, Commands):
            commands = Commands(() if commands is None else commands)
        answer.put("effort", "f64", np.ravel(commands.effort))
        answer.put("set_point", "f64", np.ravel(commands.set_point))

    def _detect(self, asked: _Message, answer: _Message) -> None:
        found = self._instance(asked, "detect")(_tree(asked.arrays))
        answer.put("key", "u32", np.asarray(found.key, dtype=np.uint32), columns=4)
        for name in ("gap", "normal", "point_a", "point_b"):
            answer.put(name, "f64", np.ravel(getattr(found, name)))
        answer.put("group", "u32", found.group)


def _step(asked: _Message) -> SimpleNamespace:
    """A step with its mass matrix as `M`, dense."""
    step = _tree(asked.arrays)
    starts, at = step.block_start.tolist(), 0
    step.M = np.zeros((len(step.v), len(step.v)))
    for first, end in zip(starts, starts[1:]):
        size = (end - first) ** 2
        step.M[first:end, first:end] = step.mass[at : at + size].reshape(end - first, end - first)
        at += size
    return step


def _told(error: BaseException) -> str:
    """An exception in a line, with the last place of the plugin's own files."""
    module = os.path.dirname(os.path.abspath(__file__)) + os.sep
    folder = os.path.dirname(module.rstrip(os.sep)) + os.sep
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if f.filename.startswith(folder) and not f.filename.startswith(module)]
    place = f"{os.path.basename(own[-1].filename)}, line {own[-1].lineno}" if own else ""
    try:
        text = str(error)
    except BaseException:  # What an exception says of itself is the plugin's code.
        text = ""
    return ": ".join(part for part in (f"raised {type(error).__name__}", place, text) if part)


def serve(cls: type) -> None:
    """Answers the host with instances of a class, until it says goodbye."""
    stream, to = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What the class prints is no message.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    sys.stdout = sys.stderr
    service = _Service(cls)
    while (asked := _read(stream)) is not None:
        service.answer(asked).write(to)
        if asked.head["call"] == "bye":
            return
