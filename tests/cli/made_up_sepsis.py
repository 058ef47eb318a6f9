"""Tables in the form of ICU-Sepsis with made-up numbers, as an .npz file, and the values of policies in them.

The published tables belong to others and are not part of the repository. From live state s every action leads to s + 1, to death
or to survival; odd states are kinder. So the value of a policy that does not look at the state is one loop over time."""

import struct
import zipfile

ACTIONS = 25
FEATURES = 47
EXPERT = [(1 + a) / 325 for a in range(ACTIONS)]  # 1 + 2 + ... + 25 = 325, the same in every state
HORIZON = 150


def softened(temperature):
    powers = [p ** (1 / temperature) for p in EXPERT]
    return [p / sum(powers) for p in powers]


def outcome(state, action):
    """Probabilities of death and of survival."""
    return 0.03, (0.02 + 0.002 * action) * (2 if state % 2 else 1)


def value(policy, frozen=False):
    """Starting in state 0. A frozen row: all transitions are those of the first state."""
    alive, earned = 1.0, 0.0
    for t in range(HORIZON):
        state = 0 if frozen else t
        survives = sum(p * outcome(state, a)[1] for a, p in enumerate(policy))
        earned += alive * survives
        alive *= 1.0 - outcome(state, 0)[0] - survives
    return earned


def write(path, states):
    live, death, survival, after = states - 3, states - 3, states - 2, states - 1

    def row(entries):
        cells = bytearray(8 * states)
        for column, number in entries.items():
            struct.pack_into("<d", cells, 8 * column, number)
        return bytes(cells)

    def transitions():
        for state in range(states):
            for action in range(ACTIONS):
                if state >= live:
                    yield row({after: 1.0})
                else:
                    dies, survives = outcome(state, action)
                    yield row({(state + 1) % live: 1.0 - dies - survives, death: dies, survival: survives})

    def rewards():
        earning, nothing = row({survival: 1.0}) * ACTIONS, row({}) * ACTIONS
        for state in range(states):
            yield earning if state < live else nothing

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        def add(name, shape, parts):
            header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}"
            header += " " * (-(len(header) + 11) % 64) + "\n"
            with archive.open(name + ".npy", "w", force_zip64=True) as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
                for part in parts:
                    file.write(part)

        add("tx_mat", (states, ACTIONS, states), transitions())
        add("r_mat", (states, ACTIONS, states), rewards())
        add("d_0", (states,), [row({0: 1.0})])
        add("expert_policy", (states, ACTIONS), [struct.pack(f"<{ACTIONS}d", *EXPERT)] * states)
        add("state_cluster_centers", (states, FEATURES),
            (struct.pack(f"<{FEATURES}d", *[0.01 * s - 0.02 * k for k in range(FEATURES)]) for s in range(states)))
