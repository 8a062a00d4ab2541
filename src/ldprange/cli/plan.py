"""``ldprange plan``."""

from collections.abc import Callable
from dataclasses import asdict

import click

from ldprange.cli.command import command
from ldprange.cli.domains import domain_options
from ldprange.cli.options import (
    answers_option,
    check_answers,
    check_output,
    epsilon_option,
    json_option,
    users_option,
    workload_given,
    workload_option,
)
from ldprange.cli.output import console, facts, note, print_json, progress
from ldprange.cli.steering import ask_for_users, steer, tell_of_declining
from ldprange.cli.summary import (
    denoised_facts,
    denoised_object,
    influence_facts,
    median_facts,
    plan_facts,
    plan_object,
    prediction_facts,
    prediction_object,
    warn_if_weak,
)
from ldprange.decompositions import KINDS as SHAPES
from ldprange.decompositions import Decomposition, Grids, Tree
from ldprange.domain import Domain
from ldprange.estimation import predict_estimate
from ldprange.files.sniffing import Kind
from ldprange.oracles import HRR, HadamardHashing, Oracle
from ldprange.oracles import KINDS as ORACLES
from ldprange.plan import Plan
from ldprange.planner import Comparison, choose_plan, compare_plans, optimise_plan
from ldprange.planner.choose import Answers
from ldprange.planner.optimise import Workload, best_oracles
from ldprange.planner.typical_error import non_uniformity
from ldprange.rehearsal import DenoisedPrediction, predict_denoised
from ldprange.rehearsal.kinds import KINDS

_BRANCHING = 4
_FEW_BINS = 512  # up to which it takes no time to tell how far liars can move an answer
_SHAPES = {kind: shape for kind, shape in SHAPES.items() if shape is not Grids}  # trees are made into grids
_ORACLES: dict[str, Callable[[], Oracle]] = {**ORACLES, "hrr": HRR}


@command(
    "ldprange plan --low 0 --high 119 --epsilon 1.1 --users 1000000 -o ages.plan.json",
    "ldprange plan --low 0.1 --high 60000 --bins 256 --logarithmic --epsilon 2 -o latency.plan.json",
    "ldprange plan --attribute age 0..119 --attribute income 0..8000/64 --epsilon 2 -o both.plan.json",
    "ldprange plan --labels XS,S,M,L,XL --epsilon 1 --decomposition flat --oracle oue -o sizes.plan.json",
)
@domain_options()
@epsilon_option(required=True)
@users_option(help="How many people you expect; you'll see how accurate the answers will be.")
@click.option(
    "--decomposition",
    type=click.Choice(["best", *_SHAPES]),
    default="best",
    help="How the domain is split into levels.",
)
@click.option("--branching", type=int, help=f"Children to a node of a tree.  [default: {_BRANCHING}]")
@click.option(
    "--oracle",
    type=click.Choice(["best", *_ORACLES]),
    default="best",
    help="How a person's place on a level is randomised; the best is chosen for every level.",
)
@click.option("--bits", type=int, help="Bits of a Hadamard hash, 1 to 4; the best for ε if left out.")
@click.option(
    "--levels",
    type=click.Choice(["best", "even"]),
    default="best",
    help="How many people report on each level: the best numbers for the workload, or the same number on "
    "each (as in the paper).",
)
@workload_option
@answers_option
@click.option(
    "--max-influence",
    type=float,
    metavar="SHARE",
    help="How far 1% of all reports, made up, may move an answer; the most accurate such plan is taken.",
)
@click.option(
    "-o", "--output", metavar="FILE", help="Write the plan here; without it, it goes to standard output."
)
@json_option
def plan(
    domain: Domain,
    epsilon: float,
    users: int | None,
    decomposition: str,
    branching: int | None,
    oracle: str,
    bits: int | None,
    levels: str,
    workload: Workload,
    answers: Answers,
    max_influence: float | None,
    output: str | None,
    as_json: bool,
) -> None:
    """Make a plan: the public agreement between clients and collector.

    It is the most accurate of those that ldprange compare lists, unless you choose its parts. Give --users
    to see how accurate its answers will be. Which plan is best depends on --users with four attributes or
    more, with more than 2^24 joint bins, and for --answers denoised.
    """
    if output:
        check_output(output, writes=Kind.PLAN)
    shape, randomiser = _decomposition(decomposition, branching), _oracle(oracle, bits)
    if shape is not None and (answers == "denoised" or max_influence is not None):
        limited = "--max-influence" if answers == "unbiased" else "--answers denoised"
        raise click.UsageError(
            f"{limited} goes with --decomposition best only, got {decomposition}; leave one out"
        )
    if levels == "even" and workload_given():
        raise click.UsageError(
            f"--workload goes with --levels best only, got {levels}; leave one of them out"
        )
    comparison: Comparison | None = None
    if shape is None:
        _check_free(oracle, levels)
        check_answers(answers, users)
        if answers == "unbiased" and max_influence is None:
            comparison = compare_plans(domain, epsilon=epsilon, expected_users=users or 1, workload=workload)
            made = comparison.best.plan
        else:
            made = choose_plan(
                domain,
                epsilon=epsilon,
                expected_users=users or 1,
                workload=workload,
                answers=answers,
                max_influence=max_influence,
            )
    elif levels == "best":
        made = optimise_plan(
            domain, epsilon=epsilon, decomposition=shape, oracle=randomiser, workload=workload
        )
    else:
        made = _even(domain, epsilon, shape, randomiser)
    on_a_line = len(domain.attributes) == 1 and not domain.unordered
    prediction = made.predict(users) if users else None
    denoised = _denoised(made, users) if users and answers == "denoised" else None
    median = predict_estimate(made, users).median() if users and on_a_line else None
    told = len(domain.attributes) == 1 and (domain.bins <= _FEW_BINS or max_influence is not None)
    influence = made.influence() if told else None
    reason = comparison.reason if comparison and users else None
    if output:
        made.save(output)
    warn_if_weak(made.epsilon)
    if comparison and reason and not comparison.useful:
        note(reason)
    uneven = non_uniformity(made)
    if users:
        tell_of_declining(domain)
    if comparison:
        ask_for_users(made, users)
    if as_json:
        print_json(
            {
                **plan_object(made),
                "prediction": prediction and prediction_object(prediction),
                **({"non_uniformity": uneven} if uneven else {}),
                **({"median": median.to_dict()} if median else {}),
                **({"denoised": denoised_object(denoised)} if denoised else {}),
                "influence": influence and asdict(influence),
                "reason": reason,
                "output": output,
            }
        )
        return
    if not output:
        click.echo(made.to_json())
    # without a file, standard output is the plan itself, ready to be redirected
    screen = console(stderr=not output)
    predicted_facts = prediction_facts(made, prediction) if prediction else []
    predicted_facts += median_facts(median) if median else []
    after_facts = denoised_facts(denoised) if denoised else []
    liars_facts = influence_facts(influence, domain) if influence else []
    screen.print(facts(plan_facts(made) + predicted_facts + after_facts + liars_facts))
    if comparison and reason and comparison.useful:
        screen.print(reason)
    if output:
        screen.print(f"plan written to {output}")
    if users and answers == "unbiased":
        steer(made, users)


def _decomposition(kind: str, branching: int | None) -> Decomposition | None:
    """Return the one that was chosen, or None for the best."""
    if kind == "tree":
        return Tree(_BRANCHING if branching is None else branching)
    if branching is not None:
        raise click.UsageError(f"--branching goes with --decomposition tree only, got {kind}")
    return None if kind == "best" else _SHAPES[kind]()


def _oracle(kind: str, bits: int | None) -> Oracle | None:
    """Return the one that was chosen, or None for the best on every level."""
    if kind == "hadamard":
        return HadamardHashing(bits)
    if bits is not None:
        raise click.UsageError(f"--bits goes with --oracle hadamard only, got {kind}")
    return None if kind == "best" else _ORACLES[kind]()


def _check_free(oracle: str, levels: str) -> None:
    """Make sure that whoever wants the best plan has not chosen half of it."""
    for option, chosen in {"--oracle": oracle, "--levels": levels}.items():
        if chosen != "best":
            shapes = ", ".join(_SHAPES)
            raise click.UsageError(
                f"{option} {chosen} goes with a decomposition of your choice, and none is chosen; "
                f"add --decomposition, one of: {shapes}"
            )


def _denoised(plan: Plan, users: int) -> DenoisedPrediction:
    """Return the error of denoised answers, and show how far that is: several attributes take a while."""
    with progress("trying kinds of populations", "tried", KINDS) as bar:
        return predict_denoised(plan, users, progress=lambda _: bar.advance(1))


def _even(domain: Domain, epsilon: float, shape: Decomposition, oracle: Oracle | None) -> Plan:
    """Return the plan with as many people on each level of ``shape``, with ``oracle`` or the best on each."""
    return Plan(domain, epsilon, shape, oracle or best_oracles(shape.on(domain).levels, epsilon))
