"""The patients of simglucose (the UVA/Padova model of type 1 diabetes), all episodes at once.

A decision sets the insulin pump for half an hour, as a multiple of the patient's basal rate. Seen are the glucose under the
skin, its change in the last half hour, the hour of the day and the carbohydrates eaten in that half hour. Insulin under the
skin and food in the gut are hidden and act for hours. Parameters come from the package; `check_vectorized.py` compares the
states with the original's, minute by minute.
"""

from types import SimpleNamespace

import numpy as np

from vectorized import Dynamics


def parameters(name):
    import pandas
    from simglucose.patient.t1dpatient import PATIENT_PARA_FILE
    patients = pandas.read_csv(PATIENT_PARA_FILE)
    return patients.loc[patients.Name == name].squeeze()


def first_state(params):
    return np.asarray(params.iloc[2:15], float)


class Patient:
    """State (episodes, 13) and what the original keeps beside it, advanced by a minute with food (g) and insulin (U/min)."""

    EAT_RATE = 5.0  # g/min

    def __init__(self, params):
        self.p = SimpleNamespace(**{name: float(value) for name, value in params.items() if name != "Name"})
        self.start = first_state(params)
        self.basal = self.p.u2ss * self.p.BW / 6000

    def reset(self, count):
        self.x = np.tile(self.start, (count, 1))
        self.in_stomach = self.x[:, 0] + self.x[:, 1]
        self.eaten, self.planned, self.last_food = np.zeros(count), np.zeros(count), np.zeros(count)
        self.eating = np.zeros(count, bool)

    def slope(self, x, food, insulin):
        p = self.p
        qsto, total = x[:, 0] + x[:, 1], self.in_stomach + self.eaten
        safe = np.where(total > 0, total, 1.0)
        rise = np.tanh(2.5 / (1 - p.b) / safe * (qsto - p.b * total)) - np.tanh(2.5 / p.d / safe * (qsto - p.d * total))
        empty = np.where(total > 0, p.kmin + (p.kmax - p.kmin) / 2 * (rise + 2), p.kmax)
        plasma, tissue, level = x[:, 3], x[:, 4], x[:, 5] / p.Vi
        made = np.maximum(p.kp1 - p.kp2 * plasma - p.kp3 * x[:, 8], 0)
        excreted = np.where(plasma > p.ke2, p.ke1 * (plasma - p.ke2), 0)
        used = (p.Vm0 + p.Vmx * x[:, 6]) * tissue / (p.Km0 + tissue)
        kept = lambda column, change: np.where(x[:, column] >= 0, change, 0)  # noqa: E731  what is below zero stands still
        return np.stack([
            -p.kmax * x[:, 0] + food * 1000,
            p.kmax * x[:, 0] - x[:, 1] * empty,
            empty * x[:, 1] - p.kabs * x[:, 2],
            kept(3, made + p.f * p.kabs * x[:, 2] / p.BW - p.Fsnc - excreted - p.k1 * plasma + p.k2 * tissue),
            kept(4, -used + p.k1 * plasma - p.k2 * tissue),
            kept(5, -(p.m2 + p.m4) * x[:, 5] + p.m1 * x[:, 9] + p.ka1 * x[:, 10] + p.ka2 * x[:, 11]),
            -p.p2u * x[:, 6] + p.p2u * (level - p.Ib),
            -p.ki * (x[:, 7] - level),
            -p.ki * (x[:, 8] - x[:, 7]),
            kept(9, -(p.m1 + p.m30) * x[:, 9] + p.m2 * x[:, 5]),
            kept(10, insulin * 6000 / p.BW - (p.ka1 + p.kd) * x[:, 10]),
            kept(11, p.kd * x[:, 10] - p.ka2 * x[:, 11]),
            kept(12, -p.ksc * x[:, 12] + p.ksc * plasma)], axis=1)

    def minute(self, meal, insulin):
        self.planned = self.planned + meal
        food = np.minimum(self.EAT_RATE, self.planned)
        self.planned = np.maximum(self.planned - food, 0)
        starts = (food > 0) & (self.last_food <= 0)
        self.in_stomach = np.where(starts, self.x[:, 0] + self.x[:, 1], self.in_stomach)
        self.eaten = np.where(starts, 0, self.eaten)
        self.eating |= starts
        self.eaten = np.where(self.eating, self.eaten + food, self.eaten)
        self.eating &= ~((food <= 0) & (self.last_food > 0))
        self.last_food = food
        h, x = 0.5, self.x
        for _ in range(2):
            k1 = self.slope(x, food, insulin)
            k2 = self.slope(x + h / 2 * k1, food, insulin)
            k3 = self.slope(x + h / 2 * k2, food, insulin)
            x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + self.slope(x + h * k3, food, insulin))
        self.x = x

    def glucose(self):
        return self.x[:, 12] / self.p.Vg


class Glucose(Dynamics):
    """A day from six in the morning with three meals of random time and size; reward 1 in half an hour between 70 and 180
    mg/dl, less 2 below 70."""

    doses = np.array([0.0, 1.0, 2.5, 5.0])
    minutes = 30

    def __init__(self, name="adult#001"):
        self.patient = Patient(parameters(name))

    def reset(self, rng, count):
        self.patient.reset(count)
        # As the original does on request: glucose starts around its default, here with the spread of a night.
        self.patient.x[:, [3, 4, 12]] *= np.exp(0.2 * rng.standard_normal((count, 1)))
        self.clock = 360
        self.meal_at = np.stack([rng.integers(low, high, count) for low, high in ((390, 540), (690, 840), (1050, 1230))])
        self.meal_of = np.stack([rng.uniform(low, high, count) for low, high in ((30, 60), (50, 90), (60, 100))])
        self.last = self.patient.glucose()
        self.food = np.zeros(count)
        return self.observe()

    def observe(self):
        now = self.patient.glucose()
        hour = np.full(len(now), (self.clock % 1440) / 60)
        return np.stack([now, now - self.last, hour, self.food], axis=1).astype(np.float32)

    def advance(self, actions):
        insulin = self.doses[actions] * self.patient.basal
        self.last, self.food = self.patient.glucose(), np.zeros(len(actions))
        for _ in range(self.minutes):
            meal = (self.meal_of * (self.meal_at == self.clock)).sum(axis=0)
            self.patient.minute(meal, insulin)
            self.food = self.food + meal
            self.clock += 1
        now = self.patient.glucose()
        return np.where((now >= 70) & (now <= 180), 1.0, 0.0) - 2.0 * (now < 70), np.zeros(len(actions), bool)
