"""``python -m experiments.liars.settings``: how often liars are found in surveys of other sizes and kinds."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import NamedTuple

import click
import numpy as np

from experiments.liars.surveys import ATTACKS, OF_HASHES, attacks_on, found, plan_of

SHARE = 0.05  # of liars


class Setting(NamedTuple):
    """What surveys are held: first the documented ones, then others that differ in one thing."""

    name: str
    bins: int = 256
    users: int = 100_000
    epsilon: float = 1.0
    population: str = "smooth"
    plan: str = "default"


SETTINGS = (
    Setting("as above"),
    Setting("64 bins", bins=64),
    Setting("1,024 bins", bins=1024),
    Setting("30,000 people", users=30_000),
    Setting("1,000,000 people", users=1_000_000),
    Setting("ε = 0.5", epsilon=0.5),
    Setting("ε = 2", epsilon=2.0),
    Setting("30,000 people, ε = 0.5", users=30_000, epsilon=0.5),
    Setting("two peaks", population="two peaks"),
    Setting("spikes", population="spikes"),
    Setting("Haar, HRR", plan="haar"),
    Setting("Tree 4, OUE", plan="tree"),
    Setting("Tree 4, OLH", plan="olh"),
)


@click.command()
@click.option("--repetitions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
@click.option("--only", multiple=True, type=click.Choice([each.name for each in SETTINGS]))
def main(repetitions: int, workers: int, only: tuple[str, ...]) -> None:
    """Print for each setting how often each attack by 5% of liars is found, and how often surveys without."""
    columns = [*ATTACKS, *OF_HASHES]
    click.echo(f"| survey | {' | '.join(columns)} | no liars |")
    click.echo("|---" * (2 + len(columns)) + "|")
    with ProcessPoolExecutor(workers) as pool:
        for setting in SETTINGS:
            if only and setting.name not in only:
                continue
            plan = plan_of(setting.plan, setting.bins, setting.users, setting.epsilon)
            is_found = partial(found, plan, setting.population, setting.users)
            lied = {
                attack: list(pool.map(partial(is_found, attack, SHARE), range(repetitions)))
                for attack in attacks_on(plan)
            }
            honest = [
                list(pool.map(partial(is_found, attack, 0.0), range(repetitions))) for attack in ATTACKS
            ]
            shares = [f"{np.mean(lied[attack]):.0%}" if attack in lied else "–" for attack in columns]
            cells = [setting.name, *shares, f"{np.sum(honest)} of {np.size(honest)}"]
            click.echo(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
