"""A detector in Python: discs against discs and half-planes, every pair of shapes looked at.

The gap of two discs is |c_B - c_A| - r_A - r_B, that of a disc over a half-plane n·(c_B - a) - r_B.
"""

import math

import numpy as np
import vinci_plugin as vinci


class Discs:
    """The detector."""

    def __init__(self, options, system):
        self.shapes = [checked(k, shape) for k, shape in enumerate(system.shapes)]
        ignored = {tuple(pair) for pair in system.ignored_pairs.reshape(-1, 2).tolist()}
        self.pairs = []
        for j, b in enumerate(self.shapes):
            for i, a in enumerate(self.shapes[:j]):
                bodies = (min(a.body, b.body), max(a.body, b.body))
                fixed = system.is_static[a.body] and system.is_static[b.body]
                planes = a.radius == 0.0 and b.radius == 0.0
                if a.body != b.body and not fixed and not planes and bodies not in ignored:
                    # A half-plane is A.
                    self.pairs.append((j, i) if b.radius == 0.0 else (i, j))

    def detect(self, query):
        pose, found = query.pose.reshape(-1, 3).tolist(), []
        for i, j in self.pairs:
            a, b = self.shapes[i], self.shapes[j]
            gap, *rest = measured(a, b, pose)
            if gap <= query.margin[a.body] + query.margin[b.body]:
                found.append(((i, j, 0, 0), gap, *rest))
        return vinci.Found(*map(np.array, zip(*found))) if found else vinci.Found()


def checked(k, shape):
    """A shape with its radius; a half-plane has 0."""
    if shape.kind not in ("disc", "half-plane"):
        raise vinci.Refused(f"shape {k} is a {shape.kind}; discs and half-planes are known")
    shape.radius = float(shape.params[0]) if shape.kind == "disc" and len(shape.params) else 0.0
    if shape.kind == "disc" and not (len(shape.params) == 1 and 0.0 < shape.radius < math.inf):
        raise vinci.Refused("the radius of a disc must be positive and finite", "bad-input")
    return shape


def placed(shape, pose):
    """Centre of a shape, or a point of the edge of a half-plane, and its local +y, world frame."""
    x, y, angle = pose[shape.body]
    s, c, turned = math.sin(angle), math.cos(angle), angle + shape.pose[2]
    centre = (x + c * shape.pose[0] - s * shape.pose[1], y + s * shape.pose[0] + c * shape.pose[1])
    return centre, (-math.sin(turned), math.cos(turned))


def measured(a, b, pose):
    """Gap, normal and the points on A and B of a pair."""
    (ca, up), (cb, _) = placed(a, pose), placed(b, pose)
    d = (cb[0] - ca[0], cb[1] - ca[1])
    length = math.hypot(*d)
    along = a.radius > 0.0 and length > 0.0
    n = (d[0] / length, d[1] / length) if along else up
    gap = n[0] * d[0] + n[1] * d[1] - a.radius - b.radius
    points = [(cb[0] - depth * n[0], cb[1] - depth * n[1], 0.0) for depth in (b.radius + gap, b.radius)]
    return gap, (*n, 0.0), *points


if __name__ == "__main__":
    vinci.serve(Discs)
