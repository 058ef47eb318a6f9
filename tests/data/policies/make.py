"""Makes the policies of this folder: weights that scikit-learn trained, and the probabilities that it gives with them.

    python3 -m venv env && env/bin/pip install numpy scikit-learn && env/bin/python tests/data/policies/make.py
"""

import csv
import json
import pathlib

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

here = pathlib.Path(__file__).parent
draws = np.random.default_rng(7)
states = draws.normal(size=(400, 3)) * [1.0, 20.0, 0.1] + [0.0, 100.0, -1.0]
scaler = StandardScaler().fit(states)
x = scaler.transform(states)
three = (x[:, 0] + x[:, 1] ** 2 > 0.5).astype(int) + (x[:, 2] > 0.3)


def write(name, shown, probabilities):
    with open(here / name, "w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([f"state_{i}" for i in range(shown.shape[1])] + [f"p_{a}" for a in range(probabilities.shape[1])])
        rows.writerows([repr(float(v)) for v in np.concatenate([s, p])] for s, p in zip(shown, probabilities))


net = MLPClassifier((8, 5), activation="tanh", random_state=1, max_iter=400).fit(x, three)
write("network.csv", states[:100], net.predict_proba(x[:100]))
np.savez(here / "network.npz", activation="tanh", mean=scaler.mean_, scale=scaler.scale_,
         **{f"weight_{i}": w.T for i, w in enumerate(net.coefs_)}, **{f"bias_{i}": b for i, b in enumerate(net.intercepts_)})
layers = [{"weight": w.T.tolist(), "bias": b.tolist()} for w, b in zip(net.coefs_, net.intercepts_)]
(here / "network.json").write_text(json.dumps({"schema": "starope.policy/1", "activation": "tanh", "layers": layers,
                                               "mean": scaler.mean_.tolist(), "scale": scaler.scale_.tolist()}) + "\n")

two = LogisticRegression().fit(x, three > 0)
write("logistic.csv", x[:100], two.predict_proba(x[:100]))
np.savez(here / "logistic.npz", weight_0=two.coef_, bias_0=two.intercept_)

linear = LogisticRegression().fit(x, three)
write("linear.csv", x[:100], linear.predict_proba(x[:100]))
layers = [{"weight": linear.coef_.tolist(), "bias": linear.intercept_.tolist()}]
(here / "linear.json").write_text(json.dumps({"schema": "starope.policy/1", "layers": layers}) + "\n")
