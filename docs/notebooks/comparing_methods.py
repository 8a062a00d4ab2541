# %% [markdown]
# # Comparing methods
#
# There are many ways to ask the same question privately. Which is the most accurate, and how much does the
# choice matter? Errors are calculated here, not simulated, so the comparison takes seconds. A simulation at
# the end checks one of them.

# %%
import numpy as np
from matplotlib.figure import Figure

import ldprange as ldp

ages = ldp.Domain.integers(0, 119)

# %% [markdown]
# ## All candidates

# %%
print(ldp.compare_plans(ages, epsilon=1.1, expected_users=100_000))

# %% [markdown]
# ## By hand
#
# The paper's methods are a tree and Haar wavelets; the planner usually picks overlapping windows.

# %%
by_hand = {
    "Flat, OUE": ldp.Plan(ages, epsilon=1.1, decomposition=ldp.Flat(), oracle=ldp.OUE()),
    "Haar, HRR": ldp.Plan(ages, epsilon=1.1, decomposition=ldp.Haar(), oracle=ldp.HRR()),
    "Tree of 4, OUE": ldp.Plan(ages, epsilon=1.1, decomposition=ldp.Tree(4), oracle=ldp.OUE()),
    "chosen": ldp.choose_plan(ages, epsilon=1.1, expected_users=100_000),
}
for name, plan in by_hand.items():
    print(f"{name:<15} {plan.predict(users=100_000).range_rmse:.2%}")

# %% [markdown]
# ## Error against ε

# %%
figure = Figure(figsize=(7, 4), layout="constrained")
axes = figure.subplots()
levels = [0.25, 0.5, 1, 2, 4]
for label, decomposition, oracle in [
    ("Haar, HRR", ldp.Haar(), ldp.HRR()),
    ("Tree of 4, OUE", ldp.Tree(4), ldp.OUE()),
]:
    plans = [ldp.Plan(ages, epsilon=level, decomposition=decomposition, oracle=oracle) for level in levels]
    axes.plot(levels, [plan.predict(users=100_000).range_rmse for plan in plans], "o-", label=label)
chosen = [ldp.choose_plan(ages, epsilon=level, expected_users=100_000) for level in levels]
axes.plot(levels, [plan.predict(users=100_000).range_rmse for plan in chosen], "o-", label="chosen")
axes.set(xlabel="ε", ylabel="error of a range (root mean square)", xscale="log", yscale="log")
axes.set_xticks(levels, [f"{level:g}" for level in levels])
axes.set_xticks([], minor=True)
axes.legend(frameon=False)
figure

# %% [markdown]
# ## Does the prediction hold?
#
# 50 rehearsals of the chosen plan, over all ranges of ages:

# %%
plan = by_hand["chosen"]
counts = ages.count(np.random.default_rng(3).normal(43, 15, 100_000).clip(0, 119).astype(int))
lows, highs = np.triu_indices(120)
truth = np.concatenate([[0], counts.cumsum()])
truth = (truth[highs + 1] - truth[lows]) / counts.sum()
errors = [
    ldp.estimate(ldp.simulate(plan, counts, seed=seed)).ranges(lows, highs, confidence=None).value - truth
    for seed in range(50)
]
predicted, measured = plan.predict(users=100_000).range_rmse, np.sqrt(np.mean(np.square(errors)))
print(f"predicted {predicted:.2%}, measured {measured:.2%}")
