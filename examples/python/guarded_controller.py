"""A controller of your own, under guard: it is followed while its bill allows it.

The same as examples/rust/src/bin/guarded_controller.rs.
"""

import numpy as np

import goalward as gw

# from home, state 0, to work, state 1: over the bridge, or through the town
open_bridge = np.array([[[0.1, 0.9], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]])
closed = np.array([[[0.9, 0.1], [0.5, 0.5]], [[0.0, 1.0], [0.0, 1.0]]])
models = {"open": open_bridge, "closed": closed}
problem = gw.Problem.from_models(models, costs=1.0, start=0, goal=1)
learner = gw.Learner("guarded", problem, inner="proposals")

steps, followed = 0, 0
for episode in range(200):
    state = 0
    while state != 1:
        # your controller always takes the bridge; today it is closed
        action = learner.act(state, proposal=0)
        followed += learner.player == "inner"
        luck = steps * 7 % 10
        next_state = 1 if luck < (1, 5)[action] else 0
        learner.observe(state, action, 1.0, next_state)
        state, steps = next_state, steps + 1
    learner.end_episode()

print(f"{followed} of {steps} steps were the controller's")
print(f"regret at most {learner.regret_certified:.1f}")
