"""What the tests of the command line share: they run the real program on small files of their own."""

import csv
import io
import json
import os
import pathlib
import pty
import select
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["STAROPE"]
PATIENCE = 400  # seconds: for a program that hangs, not for one that a sanitizer slows down


def environment(**changes):
    """The caller's environment without what changes the looks of the output."""
    clean = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR", "LINES")}
    clean["TERM"] = "xterm"
    clean.update(changes)
    return clean


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def json(self):
        return json.loads(self.out, parse_constant=lambda text: (_ for _ in ()).throw(ValueError(text)))

    def __repr__(self):
        return f"exit {self.code}\nstdout: {self.out}\nstderr: {self.err}"


class CliTest(unittest.TestCase):
    """Every test has an empty folder of its own in which the program runs."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_cli(self, *arguments, stdin=None, **env):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=environment(**env), input=stdin,
                              capture_output=True, text=True, timeout=PATIENCE)
        return Result(done.returncode, done.stdout, done.stderr)

    def answer(self, *arguments, **env):
        """Runs the program, which must answer, and returns what it said."""
        result = self.run_cli(*arguments, **env)
        self.assertEqual(result.code, 0, result)
        return result

    def refused(self, code, *arguments, says=(), **env):
        """Runs the program, which must refuse with this exit code, say why on stderr and nothing on stdout."""
        result = self.run_cli(*arguments, **env)
        self.assertEqual(result.code, code, result)
        self.assertEqual(result.out, "", result)
        for text in says:
            self.assertIn(text, result.err)
        self.assertNotIn("internal error", result.err)
        return result

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def write_table(self, name, rows, columns=None):
        """A CSV file of dictionaries."""
        text = io.StringIO()
        writer = csv.DictWriter(text, columns or list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return self.write(name, text.getvalue())

    def on_terminal(self, *arguments, width=80, **env):
        """Runs the program with stdout and stderr on a terminal; returns the exit code and all that was shown."""
        main, terminal = pty.openpty()
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], cwd=self.folder, stdin=subprocess.DEVNULL,
                                   stdout=terminal, stderr=terminal, env=environment(COLUMNS=str(width), **env))
        os.close(terminal)
        shown = b""
        while select.select([main], [], [], 60)[0]:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other side has closed: this is how a terminal says so on Linux
                break
            if not piece:
                break
            shown += piece
        os.close(main)
        return process.wait(timeout=PATIENCE), shown.decode().replace("\r\n", "\n")


def steps(episodes, state=None):
    """Rows of the canonical table from lists of (action, reward, behavior probability, target probability)."""
    rows = []
    for i, episode in enumerate(episodes):
        for t, (action, reward, pb, pe) in enumerate(episode):
            row = {"episode": i, "t": t}
            if state is not None:
                row["state"] = state(i, t)
            row.update(action=action, reward=reward, behavior_prob=pb, target_prob=pe)
            rows.append(row)
    return rows


# Three episodes with ratios 2, 1/2 | 1/2 | 2, 2, 1/2 and rewards that tell the steps apart.
EPISODES = [
    [(1, 1.0, 0.25, 0.5), (0, 2.0, 0.5, 0.25)],
    [(0, 4.0, 0.5, 0.25)],
    [(1, 8.0, 0.25, 0.5), (1, 16.0, 0.25, 0.5), (0, 32.0, 0.5, 0.25)],
]


def small_table(state=True):
    return steps(EPISODES, (lambda i, t: t) if state else None)


def random_episodes(count, seed=1, longest=6):
    """Episodes of a fixed pseudo-random walk, the same on every machine (a linear congruential generator)."""
    value = seed

    def draw():
        nonlocal value
        value = (value * 6364136223846793005 + 1442695040888963407) % 2**64
        return (value >> 33) / 2**31

    episodes = []
    for _ in range(count):
        length = 1 + int(draw() * longest)
        episode = []
        for _ in range(length):
            action = int(draw() < 0.5)
            target = 0.7 if action else 0.3
            episode.append((action, round(draw() + action, 3), 0.5, target))
        episodes.append(episode)
    return episodes


def main():
    unittest.main(verbosity=1)
