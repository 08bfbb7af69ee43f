"""Your own loop: act, pay, observe. The same as examples/rust/src/bin/minimal_loop.rs."""

import numpy as np

import goalward as gw

# two candidate models of one action: it reaches the goal, state 1, with probability 0.9 or 0.2
fast = np.array([[[0.1, 0.9]], [[0.0, 1.0]]])
slow = np.array([[[0.8, 0.2]], [[0.0, 1.0]]])
problem = gw.Problem.from_models({"fast": fast, "slow": slow}, costs=1.0, start=0, goal=1)
learner = gw.Learner("levis++lr", problem, B=5.0)

for episode in range(100):
    state, tries = 0, 0
    while state != 1:
        action = learner.act(state)
        # the world: here it follows the fast model, in yours it follows nature
        next_state = 0 if (episode + tries) % 10 == 0 else 1
        learner.observe(state, action, 1.0, next_state)
        state, tries = next_state, tries + 1
    learner.end_episode()

for name, weight in zip(problem.model_names, learner.theta):
    print(f"{name}: {weight:.2f}")
print(f"cost to the goal, at least: {learner.values[0]:.2f}")
