"""Runs a notebook and writes what its cells show into it, without Jupyter: the last expression of a cell as text, SVG or HTML, and what is printed.

usage: notebook.py [--check] FILE

--check writes nothing: it fails where a cell fails, or where the text that it shows is not what the file has.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from typing import Any, Dict, List

Output = Dict[str, Any]


def lines(text: str) -> List[str]:
    return text.splitlines(keepends=True)


def shown(value: Any) -> Dict[str, List[str]]:
    """A value in every form that it has; a picture stands for the HTML that would hold it."""
    forms = {"text/plain": lines(repr(value))}
    for name, kind in (("_repr_svg_", "image/svg+xml"), ("_repr_html_", "text/html")):
        drawn = getattr(value, name)() if hasattr(value, name) and len(forms) == 1 else None
        if drawn is not None:
            forms[kind] = lines(drawn)
    return forms


def run(source: str, names: Dict[str, Any], number: int) -> List[Output]:
    """What a cell shows."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None  # type: ignore[attr-defined]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {number}", "exec"), names)
        value = eval(compile(last, f"cell {number}", "eval"), names) if last is not None else None
    outputs: List[Output] = []
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": lines(printed.getvalue())})
    if value is not None:
        outputs.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": shown(value)})
    return outputs


def texts(outputs: List[Output]) -> List[Any]:
    return [one.get("text", one.get("data", {}).get("text/plain")) for one in outputs]


def main() -> int:
    check, path = sys.argv[1] == "--check", sys.argv[-1]
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    names: Dict[str, Any] = {}
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    differing = 0
    for number, cell in enumerate(code, 1):
        outputs = run("".join(cell["source"]), names, number)
        if check and texts(outputs) != texts(cell["outputs"]):
            print(f"{path}: cell {number} shows {texts(outputs)}, the file has {texts(cell['outputs'])}; python3 python/notebook.py {path} writes it")
            differing += 1
        cell["outputs"], cell["execution_count"] = outputs, number
    if not check:
        with open(path, "w", encoding="utf-8") as file:
            file.write(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")
    return 1 if differing else 0


if __name__ == "__main__":
    del sys.path[0]  # the sources next to this file are not the package that the build made of them
    sys.exit(main())
