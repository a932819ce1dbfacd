"""Timing on a noisy machine: interleaved samples, medians, and ratios within one run."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One figure: a median in ms, its ratio to a floor measured beside it, and the bar for it.

    `bar` is the most that the ratio (or, without a floor, the median itself) may be.
    """

    name: str
    median: float
    ratio: float | None
    bar: float | None

    @property
    def ok(self) -> bool:
        value = self.median if self.ratio is None else self.ratio
        return self.bar is None or value <= self.bar

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}×"
        unit = "ms" if self.ratio is None else "×"
        bar = "" if self.bar is None else f"≤ {self.bar:g} {unit}"
        mark = "" if self.bar is None else "ok" if self.ok else "MISSED"
        return f"{self.name:<52} {self.median:11,.2f} ms {ratio:>8}  {bar:>9}  {mark}"


def interleaved(tasks: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each task in each round; a burst of load hits them all alike."""
    samples: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(rounds):
        for name, task in tasks.items():
            started = time.perf_counter()
            task()
            samples[name].append((time.perf_counter() - started) * 1000)
    return samples


def against(floor: str, samples: Mapping[str, list[float]], bars: Mapping[str, float]) -> list[Row]:
    """Medians, as ratios to the floor's median."""
    base = statistics.median(samples[floor])
    rows = []
    for name, values in samples.items():
        median = statistics.median(values)
        rows.append(Row(name, median, median / base, bars.get(name)))
    return rows
