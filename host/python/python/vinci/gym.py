"""An experiment as an environment of gymnasium: `pip install gymnasium`."""

from __future__ import annotations

from typing import Any, Callable, Sequence

import gymnasium
import numpy as np

from .errors import StepError
from .experiment import Experiment

__all__ = ["Env"]

Reward = Callable[[np.ndarray, np.ndarray], float]


class Env(gymnasium.Env):
    """Observations and actions by the names of columns.

    An observation is a vector of the columns `observe` (of `Simulation.q_columns` and `v_columns`; m, rad, m/s, rad/s). An action is a
    vector of forces along the velocities `act` (columns of `v_columns`; N, N m), within ±`limit`, and holds for `every` steps of the grid.
    An episode ends by truncation at the experiment's duration, and is terminated where a step cannot be made.

    `reward(observation, action)`: what a step earns. Episodes begin alike; `noise` (m, rad, m/s, rad/s) is the standard deviation of
    what is added to every observation.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        experiment: Experiment,
        observe: Sequence[str],
        act: Sequence[str],
        reward: Reward,
        *,
        limit: float = 1.0,
        every: int = 1,
        noise: float = 0.0,
    ) -> None:
        self._force = np.zeros(0)
        self._simulation = experiment.simulation(controller=lambda t, q, v: self._force)
        sim = self._simulation
        self._start = sim.snapshot()
        self._observed = _places(observe, [*sim.q_columns, *sim.v_columns], "observe")
        self._acted = _places(act, sim.v_columns, "act")
        self._nv, self._every, self._noise, self._reward = len(sim.v_columns), every, noise, reward
        self._force = np.zeros(self._nv)
        n, m = len(self._observed), len(self._acted)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (n,), np.float64)
        self.action_space = gymnasium.spaces.Box(-limit, limit, (m,), np.float64)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Back to the start: the observation there."""
        super().reset(seed=seed)
        self._force = np.zeros(self._nv)
        self._simulation.restore(self._start)
        return self._observation(), {"time": self._simulation.time}

    def step(self, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """`every` steps of the grid under a force: observation, reward, terminated, truncated, facts."""
        force = np.zeros(self._nv)
        force[self._acted] = action
        self._force = force
        info: dict[str, Any] = {}
        failed = False
        try:
            self._simulation.step(self._every)
        except StepError as error:
            failed, info["error"] = True, str(error)
        sim = self._simulation
        info["time"] = sim.time
        observation = self._observation()
        ended = sim.time >= sim.duration * (1.0 - 1e-12)
        return observation, float(self._reward(observation, np.asarray(action))), failed, ended, info

    def _observation(self) -> np.ndarray:
        seen = np.concatenate([self._simulation.q, self._simulation.v])[self._observed]
        return seen + self._noise * self.np_random.standard_normal(len(seen)) if self._noise else seen


def _places(names: Sequence[str], columns: Sequence[str], what: str) -> list[int]:
    missing = [name for name in names if name not in columns]
    if missing:
        raise KeyError(f"{what}: there is no column `{missing[0]}`; columns: {', '.join(columns)}")
    return [list(columns).index(name) for name in names]
