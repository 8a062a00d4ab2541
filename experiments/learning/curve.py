"""Accuracy over people and ε, beside that of models that saw every number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure
from sklearn.naive_bayes import CategoricalNB, GaussianNB

import ldprange as ldp
from experiments.figures import grid
from experiments.learning.data import TASKS, Task
from experiments.seeds import seed_of
from experiments.tables import Table, distinct, markdown, number, select

USERS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
_TITLES = {
    "mixture": "three Gaussians, four attributes",
    "late": "flights: 15 minutes late?",
    "origin": "flights: from which airport?",
}
_SHADES = {0.5: "#9ecae1", 1.0: "#5b9fd0", 2.0: "#1f5fa8", 4.0: "#0b2a4d"}
_POINTS = 100.0  # of accuracy, in one


def measure(
    users: Sequence[int] = USERS,
    epsilons: Sequence[float] = EPSILONS,
    repetitions: int = 5,
    names: Sequence[str] = tuple(TASKS),
) -> Iterator[dict[str, str | int | float | None]]:
    """Yield a row for each task, number of people and ε: mean accuracies over the repetitions."""
    for name in names:
        for count in users:
            tasks = [TASKS[name](count, repetition) for repetition in range(repetitions)]
            for epsilon in epsilons:
                scores = np.array(
                    [
                        _scores(task, epsilon, seed_of((name, count, epsilon, repetition)))
                        for repetition, task in enumerate(tasks)
                    ]
                )
                private, stump, exact, gaussian, bins, one = scores.mean(axis=0).tolist()
                labels = np.concatenate([task.new_labels for task in tasks])
                yield {
                    "task": name,
                    "users": count,
                    "epsilon": epsilon,
                    "bins": int(bins),
                    "asked": "one" if one else "all",
                    "private": private,
                    "deviation": float(scores[:, 0].std(ddof=1)) if repetitions > 1 else None,
                    "stump": stump,
                    "exact": exact,
                    "gaussian": gaussian,
                    "majority": float(np.unique(labels, return_counts=True)[1].max() / labels.size),
                }


def _scores(task: Task, epsilon: float, seed: int) -> list[float]:
    """Return accuracies, private and from the same people seen as they are; bins; whether one is asked."""
    model = ldp.NaiveBayes(epsilon=epsilon, bounds=task.bounds, random_state=seed % 2**32)
    model.fit(task.values, task.labels)
    stump = ldp.DecisionStump(plan=model.plan_, random_state=seed % 2**32).fit(task.values, task.labels)
    domains = [plan.domain for plan in model.plan_.plans]
    held, new = (
        np.stack([domain.index(column) for domain, column in zip(domains, values.T, strict=True)], axis=1)
        for values in (task.values, task.new_values)
    )
    exact = CategoricalNB(min_categories=domains[0].bins).fit(held, task.labels)
    gaussian = GaussianNB().fit(task.values, task.labels)
    return [
        model.score(task.new_values, task.new_labels),
        stump.score(task.new_values, task.new_labels),
        exact.score(new, task.new_labels),
        gaussian.score(task.new_values, task.new_labels),
        float(domains[0].bins),
        float(model.plan_.asked == "one"),
    ]


def summary(table: Table, users: int = 1_000_000, epsilon: float = 2.0) -> str:
    """Return the accuracies at one size as a table for a page, in points."""
    rows = [row for row in table if (row["users"], row["epsilon"]) == (users, epsilon)]
    names = ("private", "exact", "gaussian", "stump", "majority")
    return markdown(
        [
            "",
            "naive Bayes from reports",
            "the same, exact counts",
            "Gaussian, exact",
            "stump",
            "always the most common",
        ],
        [
            [_TITLES[str(row["task"])], *(f"{_POINTS * number(row, name):.1f}" for name in names)]
            for row in rows
        ],
    )


def draw(table: Table) -> Figure:
    """Return the learning curves, a panel for each task."""
    names = distinct(table, "task")
    figure, (panels,) = grid(1, len(names), width=4.4, height=3.8)
    for panel, name in zip(panels, names, strict=True):
        rows = select(table, task=name)
        for epsilon in distinct(rows, "epsilon"):
            line = select(rows, epsilon=epsilon)
            panel.errorbar(
                [number(row, "users") for row in line],
                [_POINTS * number(row, "private") for row in line],
                [_POINTS * number(row, "deviation") for row in line],
                color=_SHADES[float(str(epsilon))],
                marker="o",
                ms=4,
                lw=1.2,
                capsize=2,
                label=f"reports, ε = {float(str(epsilon)):g}",
            )
        finest = select(rows, epsilon=max(number(row, "epsilon") for row in rows))
        places = [number(row, "users") for row in finest]
        for column, shade, style, label in (
            ("exact", "#111111", "--", "exact counts, the bins of ε = 4"),
            ("gaussian", "#c2410c", ":", "Gaussian, exact"),
            ("majority", "#6b7280", "-.", "always the commonest class"),
        ):
            heights = [_POINTS * number(row, column) for row in finest]
            panel.plot(places, heights, style, color=shade, lw=1.2, label=label)
        panel.set_xscale("log")
        panel.set_title(_TITLES[str(name)], fontsize=10)
        panel.set_xlabel("people")
    panels[0].set_ylabel("accuracy, %")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    return figure
