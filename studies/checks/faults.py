"""Faults in logs: each takes the episodes of a clean log and returns wrong ones.

An episode is a list of rows, a row a dict of texts as in the CSV file. Numbers are written in full, so that a fault is
the only difference. Columns that a fault does not mention stay as they are.
"""

import math
import random


def _each(episodes, change):
    """The episodes with change(row) applied to copies of all rows."""
    result = []
    for rows in episodes:
        rows = [dict(row) for row in rows]
        for row in rows:
            change(row)
        result.append(rows)
    return result


def _scaled(column, factor):
    def change(row):
        row[column] = repr(min(1.0, float(row[column]) * factor))

    return lambda episodes, chance: _each(episodes, change)


def behavior_of_another_policy(episodes, chance):
    """Every action has the probability that another policy gives it: 0.3 for the first half of them, 0.7 else."""
    actions = 1 + max(int(row["action"]) for rows in episodes for row in rows)

    def change(row):
        low = int(row["action"]) < actions / 2
        share = 0.3 if low else 0.7
        row["behavior_prob"] = repr(share / (actions / 2))

    return _each(episodes, change)


def base_ten(episodes, chance):
    """Logarithms in base 10 in columns that hold natural ones."""

    def change(row):
        for who in ("behavior", "target"):
            p = float(row.pop(who + "_prob"))
            row[who + "_logp"] = repr(math.log10(p)) if p > 0 else "-inf"

    return _each(episodes, change)


def swapped(episodes, chance):
    def change(row):
        row["behavior_prob"], row["target_prob"] = row["target_prob"], row["behavior_prob"]

    return _each(episodes, change)


def target_is_behavior(episodes, chance):
    def change(row):
        row["target_prob"] = row["behavior_prob"]

    return _each(episodes, change)


def wrong_action(share):
    def fault(episodes, chance):
        def change(row):
            if chance.random() >= share:
                return
            actions = [key for key in row if key.startswith("target_probs_")]
            wrong = (int(row["action"]) + 1) % len(actions)
            row["target_prob"] = row["target_probs_%d" % wrong]

        return _each(episodes, change)

    return fault


def _moved(columns, by):
    """Row t has what belongs to row t - by; rows without one keep theirs."""

    def fault(episodes, chance):
        result = []
        for rows in episodes:
            moved = [dict(row) for row in rows]
            for t, row in enumerate(moved):
                if 0 <= t - by < len(rows):
                    for column in row:
                        if any(column == c or column.startswith(c + "_") for c in columns):
                            row[column] = rows[t - by][column]
            result.append(moved)
        return result

    return fault


def twice(episodes, chance):
    return renamed(episodes + episodes)


def two_hundred_ten_times(episodes, chance):
    return renamed(episodes[:200] * (len(episodes) // 200))


def one_in_fifty_twice(episodes, chance):
    return renamed(episodes + episodes[::50])


def rows_twice(share):
    """Rows stand in the file twice, one behind the other, as a join writes them that matched twice; nothing counts steps."""

    def fault(episodes, chance):
        result = []
        for rows in episodes:
            more = []
            for row in rows:
                row = {key: value for key, value in row.items() if key != "t"}
                if chance.random() < share:
                    more.append(dict(row, terminated="0", truncated="0"))
                more.append(row)
            result.append(more)
        return result

    return fault


def renamed(episodes):
    return [[dict(row, episode=str(number)) for row in rows] for number, rows in enumerate(episodes)]


def shuffled(episodes, chance):
    result = []
    for rows in episodes:
        mixed = [dict(row) for row in rows]
        ends = [(row.get("terminated"), row.get("truncated")) for row in rows]
        chance.shuffle(mixed)
        for row, (terminated, truncated) in zip(mixed, ends):
            row.pop("t", None)
            if terminated is not None:
                row["terminated"], row["truncated"] = terminated, truncated
        result.append(mixed)
    return result


def rows_missing(episodes, chance):
    result = []
    for rows in episodes:
        kept = [dict(row) for row in rows[:-1] if chance.random() >= 0.3] + [dict(rows[-1])]
        result.append(kept)
    return result


def rows_missing_without_t(episodes, chance):
    return _each(rows_missing(episodes, chance), lambda row: row.pop("t", None))


def rows_of_an_action_missing_without_t(episodes, chance):
    """Rows vanish in a way that depends on what was done in them."""
    result = []
    for rows in episodes:
        kept = [dict(row) for row in rows[:-1] if row["action"] != "0" or chance.random() >= 0.3] + [dict(rows[-1])]
        result.append(kept)
    return _each(result, lambda row: row.pop("t", None))


def half_times_thousand(episodes, chance):
    def change(row):
        if chance.random() < 0.5:
            row["reward"] = repr(1000 * float(row["reward"]))

    return _each(episodes, change)


def few_missing_codes(episodes, chance):
    def change(row):
        if chance.random() < 0.002:
            row["reward"] = "-99999"

    return _each(episodes, change)


def other_actions(episodes, chance):
    """In 30 % of the rows the logged action was not drawn from the logged distribution: it is the first possible one."""

    def change(row):
        if chance.random() < 0.3:
            actions = [key for key in row if key.startswith("behavior_probs_")]
            a = next(a for a in range(len(actions)) if float(row["behavior_probs_%d" % a]) > 0.0)
            row["action"] = str(a)
            row["behavior_prob"] = row["behavior_probs_%d" % a]
            row["target_prob"] = row["target_probs_%d" % a]

    return _each(episodes, change)


# Name, fault, whether it leaves the full distributions in the file (they would contradict it, and be refused).
FAULTS = [
    ("clean", lambda episodes, chance: episodes, False),
    ("behavior_prob of another policy", behavior_of_another_policy, False),
    ("behavior_prob x 0.7", _scaled("behavior_prob", 0.7), False),
    ("behavior_prob x 1.1", _scaled("behavior_prob", 1.1), False),
    ("target_prob x 0.7", _scaled("target_prob", 0.7), False),
    ("logarithms in base 10", base_ten, False),
    ("behavior and target swapped", swapped, False),
    ("target equal to behavior", target_is_behavior, False),
    ("target_prob of another action", wrong_action(1.0), False),
    ("target_prob of another action, 20 % of the rows", wrong_action(0.2), False),
    ("target_prob one row late", _moved(["target_prob"], 1), False),
    ("target_prob one row early", _moved(["target_prob"], -1), False),
    ("behavior_prob one row late", _moved(["behavior_prob"], 1), False),
    ("all episodes twice", twice, True),
    ("200 episodes ten times", two_hundred_ten_times, True),
    ("2 % of the episodes twice", one_in_fifty_twice, True),
    ("all rows twice, no t", rows_twice(1.0), True),
    ("5 % of the rows twice, no t", rows_twice(0.05), True),
    ("rows shuffled, no t", shuffled, True),
    ("30 % of the rows missing", rows_missing, True),
    ("30 % of the rows missing, no t", rows_missing_without_t, True),
    ("30 % of the rows with action 0 missing, no t", rows_of_an_action_missing_without_t, False),
    ("rewards one row late", _moved(["reward"], 1), True),
    ("rewards one row early", _moved(["reward"], -1), True),
    ("states one row late", _moved(["state"], 1), True),
    ("states one row early", _moved(["state"], -1), True),
    ("half of the rewards x 1000", half_times_thousand, True),
    ("0.2 % of the rewards -99999", few_missing_codes, True),
    ("clean, full distributions", lambda episodes, chance: episodes, True),
    ("30 % of the actions not drawn from behavior_probs_*", other_actions, True),
]


def inject(name, episodes, seed):
    """The episodes with the fault of that name."""
    for known, fault, full in FAULTS:
        if known == name:
            wrong = fault(episodes, random.Random(seed))
            if not full:
                wrong = _each(wrong, without_distributions)
            return wrong
    raise KeyError(name)


def without_distributions(row):
    for key in [key for key in row if "_probs_" in key]:
        del row[key]
