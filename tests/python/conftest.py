"""What the tests share."""

import json
import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def command():
    """The command's JSON answer to words."""

    def ask(*words, code=0):
        run = subprocess.run([os.environ["ROOFLINE"], *words, "--json"], capture_output=True, text=True)
        assert run.returncode == code, run.stderr
        return json.loads(run.stdout)

    return ask


@pytest.fixture(scope="session")
def refusal():
    """What the command says of words that it refuses: status and line."""

    def ask(*words):
        run = subprocess.run([os.environ["ROOFLINE"], *words], capture_output=True, text=True)
        line = run.stderr.strip()
        assert line.startswith("roofline: ")
        return run.returncode, line[len("roofline: ") :]

    return ask


@pytest.fixture
def program(tmp_path):
    """Runs a program of its own."""

    def run(text, **environment):
        file = tmp_path / "program.py"
        file.write_text(text)
        done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
