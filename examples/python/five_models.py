"""Five candidate models of a grid, a truth that mixes them, and what the learner finds out.

The same as examples/rust/src/bin/five_models.rs.
"""

import goalward as gw

# each model has a wind of its own; the truth mixes them with weights that the learner is not told;
# that no weight is negative it may know (simplex)
problem = gw.worlds.make("windy-grid", n=3, simplex=True)
run = gw.run(problem, "lr", episodes=150, seed=1)

print(f"{run.episodes} episodes, {run.result['steps']} steps")
print(f"optimal cost {run.result['optimal_cost']:.2f}, regret {run.total_regret:.2f}")
for name, (low, high), theta in zip(problem.model_names, run.intervals, problem.theta):
    print(f"{name:>6}: between {low:.3f} and {high:.3f}; the truth is {theta}")
