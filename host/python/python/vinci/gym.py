"""An experiment as an environment of gymnasium: `pip install gymnasium`."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Sequence

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from .errors import StepError
from .experiment import Experiment

__all__ = ["Env", "VectorEnv"]

Reward = Callable[[np.ndarray, np.ndarray], float]


class Env(gymnasium.Env):
    """Observations and actions by the names of columns.

    An observation is a vector of the columns `observe` (of `Simulation.q_columns` and `v_columns`; m, rad, m/s, rad/s). An action is a
    vector of forces along the velocities `act` (columns of `v_columns`; N, N m) that holds for `every` steps of the grid; what is beyond
    ±`limit` is cut to it.
    An episode ends by truncation at the experiment's duration, and is terminated where a step cannot be made or an event of the experiment
    stops it. Events fire in every episode anew.

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
        if every < 1:
            raise ValueError(f"every={every}: an action holds for one step or more")
        if not limit > 0.0:
            raise ValueError(f"limit={limit}: the largest force along an axis is a number above 0")
        if not 0.0 <= noise < np.inf:
            raise ValueError(f"noise={noise}: a standard deviation is a number from 0")
        self._force = np.zeros(0)
        self._simulation = experiment.simulation(controller=lambda t, q, v: self._force)
        sim = self._simulation
        self._start = sim.snapshot()
        self._observed = _places(observe, [*sim.q_columns, *sim.v_columns], "observe")
        self._acted = _places(act, sim.v_columns, "act")
        if len(set(act)) < len(act):
            raise ValueError(f"act names a column twice: {', '.join(act)}")
        driven = [name for name in act if name in sim.prescribed]
        if driven:
            raise ValueError(f"act: a drive prescribes `{driven[0]}`, no force acts along it")
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
        given = _action(action, self.action_space)
        force = np.zeros(self._nv)
        force[self._acted] = np.clip(given, self.action_space.low, self.action_space.high)
        self._force = force
        info: dict[str, Any] = {}
        failed = False
        sim = self._simulation
        try:
            end = sim.time + self._every * sim.h
            if end < sim.duration * (1.0 - 1e-9):
                sim.step(self._every)
            else:
                sim.run_until(sim.duration)
        except StepError as error:
            failed, info["error"] = True, str(error)
        info["time"] = sim.time
        observation = self._observation()
        ended = sim.time >= sim.duration * (1.0 - 1e-12)
        if sim.stopped is not None:
            info["stopped"] = sim.stopped
        terminated = failed or sim.stopped is not None
        return observation, float(self._reward(observation, np.asarray(action))), terminated, ended and not terminated, info

    def _observation(self) -> np.ndarray:
        seen = np.concatenate([self._simulation.q, self._simulation.v])[self._observed]
        return seen + self._noise * self.np_random.standard_normal(len(seen)) if self._noise else seen


class VectorEnv(gymnasium.vector.VectorEnv):
    """`count` environments of one experiment that are stepped at the same time, on `threads` threads (by default one per processor).

    The other arguments are those of `Env`. What each environment gives depends on its seed and its actions alone, whatever the number of
    threads. Where an episode has ended, the next step begins another one and does not use its action, as in gymnasium's own vectors.
    `reward` is called on these threads: it depends on its arguments alone.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        experiment: Experiment,
        count: int,
        observe: Sequence[str],
        act: Sequence[str],
        reward: Reward,
        *,
        threads: int | None = None,
        **options: Any,
    ) -> None:
        if count < 1:
            raise ValueError(f"count={count}: at least one environment is needed")
        if threads is not None and threads < 1:
            raise ValueError(f"threads={threads}: at least one thread is needed")
        self._envs = [Env(experiment, observe, act, reward, **options) for _ in range(count)]
        self._pool = ThreadPoolExecutor(min(count, threads or os.cpu_count() or 1))
        self._ended = np.zeros(count, dtype=bool)
        self._last = [np.zeros(len(observe))] * count
        self.num_envs = count
        self.single_observation_space = self._envs[0].observation_space
        self.single_action_space = self._envs[0].action_space
        self.observation_space = batch_space(self.single_observation_space, count)
        self.action_space = batch_space(self.single_action_space, count)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """All back to the start: observations, shape (count, n). A number as `seed` gives environment i `seed` + i.

        ``options={"reset_mask": mask}``, count booleans: only those where it is true; the others stay where they are.
        """
        mask = np.asarray((options or {}).get("reset_mask", np.ones(self.num_envs, dtype=bool)))
        if mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            raise ValueError(f"reset_mask: {self.num_envs} booleans are expected")
        which = np.flatnonzero(mask)
        seeds = self._seeds(seed)
        infos: list[dict[str, Any]] = [{} for _ in self._envs]
        for i, (observation, info) in zip(which, self._pool.map(lambda i: self._envs[i].reset(seed=seeds[i]), which)):
            self._last[i], infos[i] = observation, info
        self._ended[which] = False
        return np.stack(self._last), self._infos(infos)

    def _seeds(self, seed: Any) -> list[int | None]:
        """A seed for each."""
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + i for i in range(self.num_envs)]
        seeds = [None if one is None else int(one) for one in seed]
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds for {self.num_envs} environments")
        return seeds

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """A step of every environment: observations, rewards, terminated, truncated, facts."""
        if len(actions) != self.num_envs:
            raise ValueError(f"{len(actions)} actions for {self.num_envs} environments")
        # All of them before the first environment moves.
        given = [_action(action, self.single_action_space) for action in actions]
        answers = list(self._pool.map(self._one, range(self.num_envs), given))
        observations, rewards, terminated, truncated, infos = zip(*answers)
        terminated, truncated = np.array(terminated, dtype=bool), np.array(truncated, dtype=bool)
        self._last = list(observations)
        return np.stack(observations), np.array(rewards), terminated, truncated, self._infos(infos)

    def _one(self, i: int, action: np.ndarray) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        if self._ended[i]:
            observation, info = self._envs[i].reset()
            self._ended[i] = False
            return observation, 0.0, False, False, info
        # Begun anew where a reward raises: the environment has moved, and nobody has seen where to.
        self._ended[i] = True
        answer = self._envs[i].step(action)
        self._ended[i] = answer[2] or answer[3]
        return answer

    def _infos(self, infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
        together: dict[str, Any] = {}
        for i, info in enumerate(infos):
            together = self._add_info(together, info, i)
        return together

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the threads."""
        self._pool.shutdown()


def _action(action: Any, space: Any) -> np.ndarray:
    """An action as finite numbers."""
    given = np.asarray(action, dtype=np.float64)
    if given.shape != space.shape or not np.isfinite(given).all():
        raise ValueError(f"action {action!r}: {space.shape[0]} finite numbers are expected")
    return given


def _places(names: Sequence[str], columns: Sequence[str], what: str) -> list[int]:
    missing = [name for name in names if name not in columns]
    if missing:
        raise KeyError(f"{what}: there is no column `{missing[0]}`; columns: {', '.join(columns)}")
    return [list(columns).index(name) for name in names]
