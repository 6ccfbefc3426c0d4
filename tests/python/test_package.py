"""The package as it is shipped: its types, its wheel, its documents."""

import doctest
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import roofline

SOURCE = Path(os.environ["ROOFLINE_SOURCE"])
PACKAGE = Path(roofline.__file__).parent

USER = """
import roofline
p = roofline.predict("gemm", m=8192, n=28672, k="8k", dtype="bf16", machine="h100")
reveal_type(p)
reveal_type(p.regime)
reveal_type(roofline.model("llama-3.1-8b", batch=16).memory.total_bytes)
reveal_type(roofline.claim("1TFLOP/s"))
p.regimee
"""


def test_mypy_finds_nothing_and_a_user_has_types(tmp_path):
    mypy = shutil.which("mypy")
    if mypy is None:
        pytest.skip("no mypy")
    options = [mypy, "--strict", "--python-version=3.9", f"--cache-dir={tmp_path}/cache"]
    run = subprocess.run([*options, str(PACKAGE), str(SOURCE / "python/bindings.py"), str(SOURCE / "python/wheel.py")], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
    (tmp_path / "user.py").write_text(USER)
    said = subprocess.run([*options, str(tmp_path / "user.py")], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)}).stdout
    for kind in ('"roofline._predict.Prediction"', '"builtins.str"', '"builtins.float"', '"roofline._claim.Claim"'):
        assert f"Revealed type is {kind}" in said
    assert 'has no attribute "regimee"' in said


def test_two_wheels_are_equal_and_one_works_alone(tmp_path):
    made = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        run = subprocess.run([sys.executable, str(SOURCE / "python/wheel.py"), str(PACKAGE), roofline.__version__, str(tmp_path / name)], capture_output=True, text=True)
        assert run.returncode == 0, run.stderr
        made.append(Path(run.stdout.strip()))
    assert made[0].read_bytes() == made[1].read_bytes()
    assert made[0].name.startswith(f"roofline-{roofline.__version__}-py3-none-linux_")
    with zipfile.ZipFile(made[0]) as wheel:
        wheel.extractall(tmp_path / "site")
        listed = wheel.read(f"roofline-{roofline.__version__}.dist-info/RECORD").decode()
        assert {line.split(",")[0] for line in listed.splitlines()} == set(wheel.namelist())
    program = "import roofline; print(roofline.__file__, roofline.predict('gemm', m=1, n=1, k=1, machine='h100').regime); roofline.region('x').__enter__()"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path / "site"), "HOME": str(tmp_path)})
    assert run.stdout.split() == [str(tmp_path / "site/roofline/__init__.py"), "overhead"], run.stderr


def test_a_library_of_another_version_is_refused(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "roofline")
    abi = tmp_path / "roofline/_abi.py"
    abi.write_text(abi.read_text().replace("\nVERSION = ", "\nVERSION = 1 + ", 1))
    run = subprocess.run([sys.executable, "-c", "import roofline"], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert "ImportError: roofline: the library is" in run.stderr


def test_a_missing_library_is_said(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "roofline", ignore=shutil.ignore_patterns("*.so.*"))
    run = subprocess.run([sys.executable, "-c", "import roofline"], capture_output=True, text=True, env={"PYTHONPATH": str(tmp_path)})
    assert "ImportError: roofline: libroofline.so.1: neither next to the package" in run.stderr


def tried(text, name, path):
    test = doctest.DocTestParser().get_doctest(text, {}, name, str(path), 0)
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE).run(test)
    assert result.failed == 0
    return result.attempted


def test_the_examples_of_docstrings_work():
    names = [name for name in dir(roofline) if not name.startswith("_")]
    texts = [getattr(roofline, name).__doc__ or "" for name in names]
    assert all(texts), [name for name, text in zip(names, texts) if not text]
    assert sum(tried(text, name, name) for name, text in zip(names, texts)) > 10


def test_the_examples_of_the_page_work(tmp_path, monkeypatch):
    page = SOURCE / "docs/python.md"
    blocks = page.read_text().split("```python\n")[1:]
    text = "\n".join(block.split("```")[0] for block in blocks if ">>> import torch" not in block)
    monkeypatch.chdir(tmp_path)
    shutil.copytree(SOURCE / "examples", tmp_path / "examples")
    assert tried(text, "python.md", page) > 20


def test_the_notebook_shows_what_it_says(tmp_path):
    notebook, other = SOURCE / "examples/roofline.ipynb", tmp_path / "other.ipynb"
    check = [sys.executable, str(SOURCE / "python/notebook.py"), "--check"]
    run = subprocess.run([*check, str(notebook)], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    other.write_text(notebook.read_text().replace("compute-bound by", "memory-bound by"))
    run = subprocess.run([*check, str(other)], capture_output=True, text=True)
    assert run.returncode == 1 and "cell 1 shows" in run.stdout
