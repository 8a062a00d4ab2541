# %% [markdown]
# # A first survey
#
# **How long is your commute?** We rehearse the whole survey with 20,000 made-up people, before anyone real is
# asked: what to ask, how accurate the answers will be, and what one person's report looks like.

# %%
import numpy as np

import ldprange as ldp

minutes = ldp.Domain.integers(0, 120)

# %% [markdown]
# ## Choose a plan
#
# The plan is public. It says which answers are possible, how private they are (ε), and how they are asked.

# %%
plan = ldp.choose_plan(minutes, epsilon=1.0, expected_users=20_000)
prediction = plan.predict(users=20_000)
print(f"a range will be off by about {prediction.range_rmse:.1%}")

# %% [markdown]
# Too much? These say how many people, or how large an ε, an error of one percentage point takes:

# %%
print(ldp.users_needed(minutes, error=0.01, epsilon=1.0), "people at ε = 1")
print(round(ldp.epsilon_needed(minutes, error=0.01, expected_users=20_000), 2), "is the ε for 20,000 people")

# %% [markdown]
# ## What a person sends
#
# This runs on each person's own device. Only the bytes leave it.

# %%
report = ldp.Client(plan).encode(42)
ldp.wire.pack(report).hex()

# %% [markdown]
# ## Rehearse
#
# Made-up people, most of whom live near and some far away:

# %%
rng = np.random.default_rng(1)
people = np.concatenate([rng.gamma(4, 6, 15_000), rng.normal(75, 12, 5_000)]).clip(0, 120).astype(int)

# %% [markdown]
# We know the truth about them, so we can hold 20 surveys of them and see how far off the answers are:

# %%
ldp.rehearse(plan, people, seed=7)

# %% [markdown]
# Now one of these surveys, step by step: everyone's report, counted, and turned into an estimate.

# %%
reports = ldp.encode_many(plan, people, seed=7)
estimate = ldp.estimate(ldp.Aggregate.of(plan, reports))

# %% [markdown]
# ## Ask
#
# Each answer comes with its 95% interval.

# %%
truth = np.mean((people >= 30) & (people <= 60))
print(f"30 to 60 minutes: {estimate.range(30, 60)}; the truth is {truth:.3f}")
print(f"median: {estimate.quantile(0.5)}; the truth is {np.median(people):.0f}")

# %% [markdown]
# The distribution, with the truth beside it (dashed), which only a rehearsal knows:

# %%
estimate.plot(counts=minutes.count(people), label="minutes")

# %% [markdown]
# Each bin by itself is noisy. Denoising gives a proper distribution with less error, and a little bias:

# %%
denoised = ldp.estimate(ldp.Aggregate.of(plan, reports), denoise=True)
denoised.plot(counts=minutes.count(people), label="minutes")
