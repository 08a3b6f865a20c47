"""A controller in Python: proportional, integral and derivative action towards references, degree of freedom by degree of freedom.

τ = kp e + ki ∫ e dt + kd de/dt, asked at grid times and held between them. The integral is its memory: bytes that the host saves and restores.
"""

import numpy as np
import vinci_plugin as vinci


class Pid:
    """The controller."""

    def __init__(self, options, system):
        self.kp, self.kd, self.ki = (options[name] for name in ("kp", "kd", "ki"))
        self.velocity = system.efforts
        self.coordinate = system.dof_coordinate[self.velocity]
        if (self.coordinate == vinci.NONE).any():
            raise vinci.Refused("rotations in space have no coordinate to be led by")
        self.integral = np.zeros(len(self.velocity))

    def control(self, view):
        m = len(self.velocity)
        target, rate, _ = view.reference.reshape(-1, 3)[:m].T
        has = view.has_reference[:m] != 0
        e = np.where(has, target - view.q[self.coordinate], 0.0)
        e_rate = np.where(has, rate, 0.0) - view.v[self.velocity]
        effort = self.kp * e + self.kd * e_rate + self.integral
        # What is pushed now acts until the next call; the integral of this period acts from then on.
        self.integral = self.integral + self.ki * view.period * e
        return vinci.Commands(effort)

    def save(self):
        return self.integral.tobytes()

    def load(self, state):
        if len(state) != self.integral.nbytes:
            raise vinci.Refused("these bytes are no state of this controller", "bad-state")
        self.integral = np.frombuffer(state).copy()


if __name__ == "__main__":
    vinci.serve(Pid)
