"""Vectors, quaternions (w first), poses (position, quaternion) and hulls of few points."""

import itertools
import math


def add(a, b):
    return [x + y for x, y in zip(a, b)]


def sub(a, b):
    return [x - y for x, y in zip(a, b)]


def scale(a, s):
    return [x * s for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def norm(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return scale(a, 1 / norm(a))


def about(axis, angle):
    return [math.cos(angle / 2), *scale(unit(axis), math.sin(angle / 2))]


def compose(a, b):
    """First b, then a."""
    return [a[0] * b[0] - dot(a[1:], b[1:]), *add(add(scale(b[1:], a[0]), scale(a[1:], b[0])), cross(a[1:], b[1:]))]


def inverse(q):
    return [q[0], -q[1], -q[2], -q[3]]


def apply(pose, point):
    position, q = pose
    return add(position, compose(compose(q, [0.0, *point]), inverse(q))[1:])


def pose_times(a, b):
    return apply(a, b[0]), compose(a[1], b[1])


def orientation(given):
    """An orientation of the scene format."""
    if not given:
        return [1.0, 0.0, 0.0, 0.0]
    if "quaternion" in given:
        return scale(given["quaternion"], 1 / norm(given["quaternion"]))
    if "rpy" in given:
        roll, pitch, yaw = given["rpy"]
        return compose(about([0, 0, 1], yaw), compose(about([0, 1, 0], pitch), about([1, 0, 0], roll)))
    return about(given["axis"], given["angle"])


def hull(points):
    """Triangles of the convex hull, counter-clockwise seen from outside: all triples with every point on one side. Faces with
    more than three corners are fans about their first corner."""
    planes = {}
    for triple in itertools.combinations(range(len(points)), 3):
        a, b, c = (points[k] for k in triple)
        normal = cross(sub(b, a), sub(c, a))
        if norm(normal) < 1e-15:
            continue
        normal = unit(normal)
        heights = [dot(normal, sub(p, a)) for p in points]
        if max(heights) > 1e-9 and min(heights) < -1e-9:
            continue
        outward = normal if max(heights) <= 1e-9 else scale(normal, -1)
        key = tuple(round(x, 6) + 0.0 for x in (*outward, dot(outward, a)))
        planes[key] = (outward, [k for k, h in enumerate(heights) if abs(h) <= 1e-9])
    return [k for face in planes.values() for k in fan(points, *face)]


def fan(points, normal, corners):
    middle = scale([sum(points[k][i] for k in corners) for i in range(3)], 1 / len(corners))
    first = unit(sub(points[corners[0]], middle))
    second = cross(normal, first)
    angle = lambda k: math.atan2(dot(sub(points[k], middle), second), dot(sub(points[k], middle), first))
    ring = sorted(corners, key=angle)
    return [k for a, b in zip(ring[1:], ring[2:]) for k in (ring[0], a, b)]
