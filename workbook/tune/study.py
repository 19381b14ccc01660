# SPDX-License-Identifier: MIT
"""The settings that were tried, in Optuna's database, and which to try next. Of a trial that was
interrupted nothing is left: it is written when it is over, in one piece."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, IntDistribution
from optuna.exceptions import OptunaError
from optuna.samplers import TPESampler
from optuna.storages import RDBStorage
from optuna.trial import FrozenTrial, TrialState, create_trial
from sqlalchemy.exc import SQLAlchemyError

from workbook import UserError
from workbook.tune.space import Point, Space

SEED = 1
AT_FIRST = 10  # measured settings from all over, before Optuna has enough to go by
ASKED = 20  # times in a row, where all that Optuna wants was tried

RIGHT, REFUSED, WRONG = TrialState.COMPLETE, TrialState.PRUNED, TrialState.FAIL

optuna.logging.set_verbosity(optuna.logging.ERROR)


@dataclass(frozen=True)
class Tried:
    point: Point
    state: TrialState
    gflops: float = 0.0  # where it is right
    why: str = ""  # where it is not
    built: bool = True  # False: params.h refused it


@contextmanager
def in_reach(path: Path) -> Iterator[None]:
    try:
        yield
    except (SQLAlchemyError, OptunaError) as error:
        said = str(getattr(error, "orig", None) or error.__cause__ or error).partition("\n")[0]
        raise UserError(
            f"{path} cannot be used: {said}: move it away, and make tune begins anew"
        ) from error


class Study:
    def __init__(self, path: Path, name: str, space: Space) -> None:
        self.path, self.name, self.space = path, name, space
        self.tried: dict[Point, Tried] = {}
        with in_reach(path):
            storage = RDBStorage(f"sqlite:///{path}")
            self._study = optuna.create_study(
                storage=storage, study_name=name, direction="maximize", load_if_exists=True
            )
            for trial in self._study.get_trials(deepcopy=False):
                self._note(known(trial, space))

    def _note(self, tried: Tried) -> None:
        """What was wrong once is wrong."""
        if tried.point not in self.tried or tried.state == WRONG:
            self.tried[tried.point] = tried

    @property
    def built(self) -> list[Tried]:
        return [tried for tried in self.tried.values() if tried.built]

    def having(self, state: TrialState) -> list[Tried]:
        return [tried for tried in self.built if tried.state == state]

    @property
    def best(self) -> list[Tried]:
        """Those that are right, the fastest first."""
        return sorted(self.having(RIGHT), key=lambda tried: -tried.gflops)

    def add(self, tried: Tried) -> None:
        trial = create_trial(
            state=tried.state,
            value=tried.gflops if tried.state == RIGHT else None,
            params=dict(zip(self.space.names, tried.point)),
            distributions=dict(
                zip(self.space.names, map(CategoricalDistribution, self.space.values))
            ),
            user_attrs={"why": tried.why, "built": tried.built},
        )
        with in_reach(self.path):
            self._study.add_trial(trial)
        self._note(tried)

    def next(self) -> Point | None:
        """What to try; None where all has been."""
        if len(self.having(RIGHT)) >= AT_FIRST:
            for point in self._wanted():
                if point not in self.tried:
                    return point
        return next((point for point in self.space.points() if point not in self.tried), None)

    def _wanted(self) -> Iterator[Point]:
        """What Optuna wants. It is asked in memory, so that what it only thought of is not kept;
        about places among the values, as more and less mean something to it. It goes for the best
        tenth of all it knows: of what is not right it is told the latest, no more than is right, or
        these were that tenth."""
        right = self.having(RIGHT)
        others = [tried for tried in self.tried.values() if tried.state != RIGHT]
        sampler = TPESampler(seed=SEED + len(self.tried), n_startup_trials=0, multivariate=True)
        memory = optuna.create_study(direction="maximize", sampler=sampler)
        places: dict[str, BaseDistribution] = {
            name: IntDistribution(0, len(values) - 1)
            for name, values in zip(self.space.names, self.space.values)
        }
        memory.add_trials(
            [self._by_place(tried, places) for tried in right + others[-len(right) :]]
        )
        for _ in range(ASKED):
            trial = memory.ask(places)
            yield tuple(
                values[trial.params[name]]
                for name, values in zip(self.space.names, self.space.values)
            )
            memory.tell(trial, state=TrialState.FAIL)  # it was tried: Optuna forgets that it asked

    def _by_place(self, tried: Tried, places: dict[str, BaseDistribution]) -> FrozenTrial:
        right = tried.state == RIGHT
        at = {
            name: values.index(value)
            for name, values, value in zip(self.space.names, self.space.values, tried.point)
        }
        return create_trial(
            state=RIGHT if right else REFUSED,
            value=tried.gflops if right else None,
            params=at,
            distributions=places,
        )


def known(trial: FrozenTrial, space: Space) -> Tried:
    point = tuple(trial.params[name] for name in space.names)
    return Tried(
        point, trial.state, trial.value or 0.0, trial.user_attrs["why"], trial.user_attrs["built"]
    )
