# %% [markdown]
# # Several attributes
#
# Age and commute in one report: who travels how long? Each person sends a single report, and ε covers it all.

# %%
import numpy as np

import ldprange as ldp

both = ldp.Domain.product(age=ldp.Domain.integers(16, 75), minutes=ldp.Domain.integers(0, 120))
plan = ldp.choose_plan(both, epsilon=1.5, expected_users=100_000)

# %% [markdown]
# Made-up people: the older, the longer their way.

# %%
rng = np.random.default_rng(5)
age = rng.integers(16, 76, 100_000)
minutes = (rng.gamma(3, 6, age.size) + age / 2).clip(0, 120).astype(int)
reports = ldp.encode_many(plan, {"age": age, "minutes": minutes}, seed=2)
found = ldp.estimate(ldp.Aggregate.of(plan, reports))

# %% [markdown]
# ## Both at once

# %%
print("50 or older, and more than 45 minutes:", found.range(age=(50, 75), minutes=(46, 120)))
print("the truth:", round(np.mean((age >= 50) & (minutes > 45)), 3))

# %%
found.plot("age", "minutes")

# %% [markdown]
# ## One of them, among some

# %%
for low, high in [(16, 29), (30, 49), (50, 75)]:
    some = found.marginal("minutes", given={"age": (low, high)})
    truth = np.median(minutes[(age >= low) & (age <= high)])
    print(f"median of those aged {low} to {high}: {some.quantile(0.5)} (the truth: {truth:.0f})")

# %%
found.marginal("minutes").plot(counts=both.attribute("minutes").count(minutes), label="minutes")
