"""Writes a wheel of the package that the build made, with the shared libraries inside.

usage: wheel.py PACKAGE VERSION FOLDER

Two runs on the same package give the same bytes. The libraries are this system's: the wheel has its platform's tag.
"""

from __future__ import annotations

import base64
import hashlib
import sys
import sysconfig
import zipfile
from pathlib import Path
from typing import Dict

METADATA = """Metadata-Version: 2.1
Name: roofline
Version: {version}
Summary: How fast can a kernel go on a machine, and what limits it?
License: Apache-2.0
Requires-Python: >=3.9
Provides-Extra: numpy
Requires-Dist: numpy; extra == "numpy"
Provides-Extra: pandas
Requires-Dist: pandas; extra == "pandas"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: roofline\nRoot-Is-Purelib: false\nTag: {tag}\n"
DATE = (1980, 1, 1, 0, 0, 0)


def contents(package: Path, version: str, tag: str) -> Dict[str, bytes]:
    """Every file of the wheel by its path, but for the list of them."""
    files = [path for path in sorted(package.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    found = {f"{package.name}/{path.relative_to(package).as_posix()}": path.read_bytes() for path in files}
    about = f"roofline-{version}.dist-info"
    found[f"{about}/METADATA"] = METADATA.format(version=version).encode()
    found[f"{about}/WHEEL"] = WHEEL.format(tag=tag).encode()
    return found


def listed(files: Dict[str, bytes], name: str) -> bytes:
    """The file RECORD."""
    lines = []
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}\n")
    return "".join([*lines, f"{name},,\n"]).encode()


def main() -> None:
    package, version, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    files = contents(package, version, tag)
    record = f"roofline-{version}.dist-info/RECORD"
    files[record] = listed(files, record)
    path = folder / f"roofline-{version}-{tag}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, DATE)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, data)
    print(path)


if __name__ == "__main__":
    main()
