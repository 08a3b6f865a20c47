"""A stepper in Python: contact without friction, every step one mixed complementarity problem in (v⁺, p).

M v⁺ = M v + h (f + bias) + Wn p,  0 ≤ p ⟂ Wnᵀ v⁺ + ψ/h ≥ 0,  prescribed velocities as commanded.
"""

import numpy as np
import vinci_plugin as vinci


class Frictionless:
    """The stepper."""

    def __init__(self, options=None, system=None):
        pass

    def formulate(self, step):
        if (step.motion > vinci.DYNAMIC).any() or len(step.rows.rate):
            raise vinci.Refused("only dynamic bodies without joints and limits")
        W, driven = normals(step), step.role == vinci.PRESCRIBED
        nv, n = len(step.v), len(step.contacts.gap)
        top = np.hstack([step.M, -W.T])
        top[driven] = np.eye(nv, nv + n)[driven]
        q_v = -(step.M @ step.v) - step.h * (step.force + step.bias)
        q_v[driven] = -step.command[driven]
        M = np.vstack([top, np.hstack([W, np.zeros((n, n))])])
        lower = np.concatenate([np.full(nv, -np.inf), np.zeros(n)])
        rows = [("velocity", i) for i in range(nv)] + [("normal", k) for k in range(n)]
        q = np.concatenate([q_v, step.contacts.gap / step.h])
        return vinci.mlcp(M, q, lower, np.full(nv + n, np.inf), rows, step.tolerance)

    def update(self, step, solution):
        nv, n = len(step.v), len(step.contacts.gap)
        if len(solution.z) != nv + n:
            raise vinci.Refused("this solves another problem", "bad-input")
        v, p = solution.z[:nv], solution.z[nv:]
        impulse = np.zeros((n, 1 + step.contacts.n_t))
        impulse[:, 0] = p
        # What is missing in the momentum balance of a prescribed velocity is the effort of its drive.
        missing = step.M @ (v - step.v) - step.h * (step.force + step.bias) - normals(step).T @ p
        return vinci.Update(
            v,
            impulse,
            h_used=step.h,
            effort=np.where(step.role == vinci.PRESCRIBED, missing, 0.0),
            normal_rate=step.contacts.gap / step.h,
            motion=np.full(len(step.motion), vinci.DYNAMIC),
        )


def normals(step):
    """Wnᵀ: the normal rows of the contact Jacobian, shape (n, nv)."""
    n, n_t = len(step.contacts.gap), step.contacts.n_t
    return step.contacts.jacobian.dense()[:: 1 + n_t].reshape(n, len(step.v))


if __name__ == "__main__":
    vinci.serve(Frictionless)
