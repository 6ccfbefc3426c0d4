"""The structures and functions that bindings.py made of the headers are those that a C compiler sees."""

import ctypes
import os
import subprocess

from roofline import _abi as abi
from roofline._library import lib


def structures():
    return [kind for kind in vars(abi).values() if isinstance(kind, type) and issubclass(kind, ctypes.Structure) and kind is not ctypes.Structure]


def test_structures_lie_as_in_c(tmp_path):
    lines = ["#include <stddef.h>", '#include "roofline/roofline.h"']
    for kind in structures():
        tag = f"struct {kind.__name__}" if f"struct {kind.__name__} {{" in headers() and f"}} {kind.__name__};" not in headers() else kind.__name__
        lines.append(f'_Static_assert(sizeof({tag}) == {ctypes.sizeof(kind)}, "{tag}");')
        lines += [f'_Static_assert(offsetof({tag}, {name}) == {getattr(kind, name).offset}, "{tag}.{name}");' for name, _ in kind._fields_]
    source = tmp_path / "layout.c"
    source.write_text("\n".join(lines))
    include = os.path.join(os.environ["ROOFLINE_SOURCE"], "include")
    run = subprocess.run(["cc", "-std=c17", "-fsyntax-only", f"-I{include}", str(source)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[:2000]
    assert len(structures()) > 100 and len(lines) > 1000


def headers():
    folder = os.path.join(os.environ["ROOFLINE_SOURCE"], "include", "roofline")
    return "\n".join(open(os.path.join(folder, name)).read() for name in sorted(os.listdir(folder)))


def test_every_function_is_in_a_library():
    from roofline._region import _library

    loaded = (lib._loaded, _library()._loaded)
    missing = [name for name in abi.FUNCTIONS if not any(hasattr(one, name) for one in loaded)]
    assert missing == []
    assert len(abi.FUNCTIONS) > 500


def test_every_function_of_the_headers_is_there():
    import re

    declared = set(re.findall(r"^ROOF_API [^;(]*?\**(roof_\w+)\(", headers(), re.M))
    variadic = {"roof_error_set", "roof_text_addf", "roof_model_note", "roof_workload_note"}
    assert declared - variadic - set(abi.FUNCTIONS) == set()
    assert set(abi.FUNCTIONS) - declared == set()
