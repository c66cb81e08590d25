"""The state machine of one trading range, read as accumulation.

Distribution is the same machine run in the mirrored frame: its spring is an upthrust, its sign of strength a sign of weakness. The
machine visits only bars outside the box and confirmations of pivots, in order; no step reads anything later than its bar.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from runtime.wyckoff import rules
from runtime.wyckoff.climax import BOUNCE_ATR
from runtime.wyckoff.evidence import at_least
from runtime.wyckoff.frame import Frame
from runtime.wyckoff.marks import Ground, Mark, Role
from runtime.wyckoff.pivots import Pivot
from runtime.wyckoff.primitives import previous
from runtime.wyckoff.records import Evidence, Phase

SETTLED_BARS: Final = 30  # a range this old with a test behind it is ripe for phase C
THRUST_APART_BARS: Final = 5
MOST: Final = {  # a range; more are not news
    Role.SECONDARY_TEST: 4,
    Role.TEST: 2,
    Role.BACKUP: 3,
}


class Campaign:
    """Walks one range and collects marks and phase changes.

    Attributes:
        frame: the bars as this side sees them.
        ground: the range.
        marks: events by confirmation.
        history: phases by the bar at whose close they began; the last one holds.
        floor: lower edge, a secondary test below the climax included; log units of the frame.
    """

    def __init__(self, frame: Frame, ground: Ground, pivots: tuple[Pivot, ...]) -> None:
        self.frame = frame
        self.ground = ground
        self._pivots = {p.confirm: p for p in pivots if p.is_low and ground.known < p.confirm < ground.stop}
        lows = [p.index for p in pivots if p.is_low and p.confirm <= ground.known]
        self._origin = ground.climax.extreme if ground.climax else lows[-1]
        self._leg_origin = self._origin  # low that the leg of the sign of strength came from
        self._dip: tuple[int, int] | None = None  # first and lowest bar of an excursion below the floor
        self._width = ground.ceiling - ground.floor
        self.floor = ground.floor
        self.marks: list[Mark] = []
        self.history: list[tuple[int, Phase]] = [(ground.known, Phase.A if ground.climax else Phase.B)]
        if ground.climax is not None:
            self._open()

    @property
    def phase(self) -> Phase:
        """The phase after the last bar visited."""
        return self.history[-1][1]

    def held(self, role: Role) -> Mark | None:
        """The latest mark of a role that was not taken back."""
        return next((m for m in reversed(self.marks) if m.role is role and m.invalidated_at is None), None)

    def count(self, role: Role) -> int:
        """How many marks of a role there are, those taken back included."""
        return sum(mark.role is role for mark in self.marks)

    def run(self) -> Campaign:
        """Visit every bar that can matter, once, in order."""
        for bar in self._moments():
            if bar == self.ground.end:
                self._leave(bar)
            if self.phase is Phase.FAILED:
                break
            if self.phase is not Phase.E:
                self._at_bar(bar)
            pivot = self._pivots.get(bar)
            if pivot is not None:
                self._at_low(pivot)
                self._origin = pivot.index
        return self

    def _moments(self) -> list[int]:
        """Bars outside the box, those just after a dip, crossings of its middle, and confirmations of lows."""
        ground, frame = self.ground, self.frame
        first = ground.known + 1
        part = slice(first, min(ground.end + 1, ground.stop))
        dip, close = frame.low[part] < ground.floor, frame.close[part]
        middle = ground.floor + self._width / 2
        matter = dip | (close > ground.ceiling) | ((close < middle) & (previous(close) >= middle))
        for later in range(1, rules.RECOVERY_BARS + 1):
            matter[later:] |= dip[:-later]
        bars = set((first + np.flatnonzero(matter)).tolist()) | set(self._pivots)
        bars.update(bar for bar in (ground.end, ground.known + rules.RIPE_BARS) if bar < ground.stop)
        return sorted(bars)

    def _open(self) -> None:
        climax = self.ground.climax
        if climax is None or climax.reaction is None or climax.reaction_confirm is None:
            return
        unit = float(self.frame.atr[climax.extreme])
        rally = (self.ground.ceiling - climax.floor) / unit
        self.marks.append(
            Mark(
                role=Role.REACTION,
                phase=Phase.A,
                index=climax.reaction,
                confirm=climax.reaction_confirm,
                level=self.ground.ceiling,
                evidence=(at_least("bounce_atr", rally, BOUNCE_ATR),),
                refs=((Role.CLIMAX, climax.bar),),
            )
        )

    def _enter(self, bar: int, phase: Phase) -> None:
        if self.phase is not phase:
            self.history.append((bar, phase))

    def _leave(self, bar: int) -> None:
        self._enter(bar, Phase.E if self.ground.works else Phase.FAILED)
        if self.phase is Phase.FAILED:
            self._take_back({Role.SECONDARY_TEST, Role.THRUST, Role.TEST, Role.BREAK, Role.BACKUP}, bar)

    def _take_back(self, roles: set[Role], bar: int) -> None:
        for position, mark in enumerate(self.marks):
            if mark.role in roles and mark.invalidated_at is None:
                self.marks[position] = replace(mark, invalidated_at=bar)

    def _at_bar(self, bar: int) -> None:
        close = float(self.frame.close[bar])
        thrust, strength = self.held(Role.THRUST), self.held(Role.BREAK)
        if self.phase is Phase.A and bar - self.ground.known >= rules.RIPE_BARS:
            self._enter(bar, Phase.B)
        if strength is not None and close < self.ground.floor + self._width / 2:
            self._take_back({Role.BREAK, Role.BACKUP}, bar)
            self._enter(bar, Phase.C if thrust is not None and thrust.phase is Phase.C else Phase.B)
        if thrust is not None and close < float(self.frame.low[thrust.index]):
            self._take_back({Role.THRUST, Role.TEST}, bar)
            self._enter(bar, Phase.B)
        if self.phase in {Phase.B, Phase.C} and self._age(bar) >= rules.RIPE_BARS:
            self._look_below(bar)
            self._look_above(bar)

    def _age(self, bar: int) -> int:
        return bar - self.ground.start

    def _look_below(self, bar: int) -> None:
        """Follow an excursion below the floor until it fails (a spring) or is over."""
        frame = self.frame
        if self._dip is None:
            thrust = self.held(Role.THRUST)
            if thrust is not None and self._goes_on(thrust, bar):
                return
            if rules.penetration(frame, bar, self.floor) < rules.THRUST_ATR:
                return
            self._dip = (bar, bar)
        first, lowest = self._dip
        lowest = bar if frame.low[bar] < frame.low[lowest] else lowest
        self._dip = (first, lowest)
        facts = rules.thrust(frame, first, lowest, bar, self.floor)
        if facts is not None:
            tested = self.ground.climax is None or self.count(Role.SECONDARY_TEST) > 0
            phase = Phase.C if tested and self._age(bar) >= SETTLED_BARS else self.phase
            self._enter(bar, phase)
            self._mark(Role.THRUST, lowest, bar, self.floor, facts)
            self._origin = lowest
        if facts is not None or (bar - first >= rules.RECOVERY_BARS and frame.close[bar] >= self.floor):
            self._dip = None

    def _goes_on(self, thrust: Mark, bar: int) -> bool:
        """Whether a dip still belongs to a spring: just after it, or in phase C without a lower low."""
        higher = bool(self.frame.low[bar] >= self.frame.low[thrust.index])
        return bar - thrust.confirm <= THRUST_APART_BARS or (thrust.phase is Phase.C and higher)

    def _look_above(self, bar: int) -> None:
        facts = rules.strength(self.frame, bar, self.ground.ceiling, self._origin)
        if facts is not None:
            self._enter(bar, Phase.D)
            self._mark(Role.BREAK, bar, bar, self.ground.ceiling, facts)
            self._leg_origin = self._origin

    def _at_low(self, pivot: Pivot) -> None:
        """Read a confirmed low: a secondary test, the test of a spring, or a backup after the break-out."""
        thrust, strength = self.held(Role.THRUST), self.held(Role.BREAK)
        if strength is not None and self.phase in {Phase.D, Phase.E}:
            self._at_backup(pivot, strength)
        elif thrust is not None and self._tests(thrust, pivot):
            loud = self.frame.loudest(thrust.index - 1, thrust.confirm)
            facts = rules.retest(self.frame, pivot, self.floor, self._width, thrust.index, loud)
            self._mark(Role.TEST, pivot.index, pivot.confirm, self.floor, facts)
        elif self.ground.climax is not None and self.phase in {Phase.A, Phase.B}:
            self._at_test(pivot, self.ground.climax.bar)

    def _tests(self, thrust: Mark, pivot: Pivot) -> bool:
        """Whether a low comes soon enough after a spring to be its test."""
        return self.phase in {Phase.B, Phase.C} and pivot.index - thrust.index <= rules.RETEST_BARS

    def _at_test(self, pivot: Pivot, climax_bar: int) -> None:
        depth = rules.penetration(self.frame, pivot.index, self.floor)
        if self._age(pivot.index) >= rules.RIPE_BARS and self.phase is Phase.B and depth >= rules.THRUST_ATR:
            return  # a break of the floor is a spring or nothing
        facts = rules.secondary_test(self.frame, pivot, self.floor, self._width, climax_bar)
        if self._mark(Role.SECONDARY_TEST, pivot.index, pivot.confirm, self.floor, facts):
            self.floor = min(self.floor, pivot.price)
            self._enter(pivot.confirm, Phase.B)

    def _at_backup(self, pivot: Pivot, strength: Mark) -> None:
        facts = rules.backup(self.frame, pivot, self.ground.ceiling, self._width, strength.index, self._leg_origin)
        self._mark(Role.BACKUP, pivot.index, pivot.confirm, self.ground.ceiling, facts)

    def _mark(
        self,
        role: Role,
        index: int,
        confirm: int,
        level: float,
        facts: tuple[Evidence, ...] | None,
    ) -> bool:
        if facts is None or (role in MOST and self.count(role) >= MOST[role]):
            return False
        self.marks.append(
            Mark(
                role=role,
                phase=self.phase,
                index=index,
                confirm=confirm,
                level=level,
                evidence=facts,
                refs=self._refs(),
            )
        )
        return True

    def _refs(self) -> tuple[tuple[Role, int], ...]:
        """The events of this range that a new one leans on, the latest of each role."""
        latest = {mark.role: mark.index for mark in self.marks if mark.invalidated_at is None}
        if self.ground.climax is not None:
            latest[Role.CLIMAX] = self.ground.climax.bar
        return tuple(sorted(latest.items(), key=lambda item: item[1]))
