"""Writes roofline/_abi.py, the structures and functions of include/roofline/*.h for ctypes, from what the C preprocessor makes of them.

usage: bindings.py COMPILER INCLUDE OUTPUT
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Dict, List, NamedTuple, Optional, Tuple

# What a constant of the preprocessor is worth is asked by an enumeration behind the headers.
PROBE = """#include "roofline/roofline.h"
# 1 "include/roofline/probe.h"
enum { VERSION = ROOF_VERSION, SOVERSION = ROOF_SOVERSION, PARAM_MAX = ROOF_PARAM_MAX, DIGEST_MAX = ROOF_DIGEST_MAX, NAME_MAX = ROOF_NAME_MAX };
"""

SCALARS = {
    "void": "None",
    "char": "C.c_char",
    "signed char": "C.c_byte",
    "unsigned char": "C.c_ubyte",
    "short": "C.c_short",
    "unsigned short": "C.c_ushort",
    "int": "C.c_int",
    "unsigned": "C.c_uint",
    "unsigned int": "C.c_uint",
    "long": "C.c_long",
    "unsigned long": "C.c_ulong",
    "long long": "C.c_longlong",
    "unsigned long long": "C.c_ulonglong",
    "float": "C.c_float",
    "double": "C.c_double",
    "_Bool": "C.c_bool",
    "size_t": "C.c_size_t",
    "va_list": "C.c_void_p",
    **{f"{sign}int{bits}_t": f"C.c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


class Declared(NamedTuple):
    """A name with its type as an expression of ctypes; of a function also the types that it takes, else None."""

    name: str
    type: str
    takes: Optional[List[str]]


def preprocessed(compiler: str, include: str) -> str:
    """The declarations of the headers alone, those of the system left out."""
    run = subprocess.run([compiler, "-E", "-xc", f"-I{include}", "-"], input=PROBE, capture_output=True, text=True, check=True)
    kept, ours = [], False
    for line in run.stdout.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = "roofline/" in marker[1] and marker[1].endswith(".h")
        elif ours:
            kept.append(line)
    return re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", "\n".join(kept))


def tokens(text: str) -> List[str]:
    return re.findall(r"[A-Za-z_]\w*|\d[\w.]*|<<|>>|\.\.\.|'.'|\"[^\"]*\"|[^\s\w]", text)


def statements(words: List[str]) -> List[List[str]]:
    """What stands between the semicolons outside of braces."""
    found: List[List[str]] = []
    current: List[str] = []
    depth = 0
    for word in words:
        depth += (word == "{") - (word == "}")
        if word == ";" and depth == 0:
            found.append(current)
            current = []
        else:
            current.append(word)
    return found


def split(words: List[str], mark: str) -> List[List[str]]:
    """The parts between the `mark`s that stand in no brackets."""
    parts: List[List[str]] = [[]]
    depth = 0
    for word in words:
        depth += (word in "([{") - (word in ")]}")
        if word == mark and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def unqualified(words: List[str]) -> List[str]:
    """Without the qualifiers that the words begin with."""
    while words and words[0] in ("const", "extern", "restrict", "volatile"):
        words = words[1:]
    return words


class Headers:
    """What was declared so far."""

    def __init__(self) -> None:
        self.constants: Dict[str, int] = {}
        self.types = dict(SCALARS)
        self.functions_types: set[str] = set()
        self.structures: Dict[str, List[Tuple[str, str]]] = {}
        self.functions: Dict[str, Declared] = {}

    def value(self, words: List[str]) -> int:
        text = " ".join(re.sub(r"(?<=\d)[uUlL]+$", "", word) for word in words)
        text = re.sub(r'sizeof ("[^"]*")', r"(len(\1) + 1)", text)
        return int(eval(text, {"__builtins__": {"len": len}}, self.constants))

    def enumeration(self, words: List[str]) -> None:
        following = 0
        for part in split(words, ","):
            if part:
                following = self.value(part[2:]) if len(part) > 1 else following
                self.constants[part[0]] = following
                following += 1

    def base(self, words: List[str]) -> Tuple[str, List[str]]:
        """The type that a declaration begins with, and what follows it."""
        constant = words[:2] == ["const", "char"]
        words = unqualified(words)
        if words[0] in ("struct", "enum"):
            return ("C.c_int" if words[0] == "enum" else words[1]), unqualified(words[2:])
        taken = 1
        while taken < len(words) and " ".join(words[: taken + 1]) in self.types:
            taken += 1
        name = " ".join(words[:taken])
        if name == "char" and constant and "*" in words[taken:]:
            return "const char", words[taken:]
        return self.types.get(name, name), unqualified(words[taken:])

    def pointer(self, to: str) -> str:
        if to == "const char":
            return "C.c_char_p"
        known = to in self.structures or to.startswith(("C.", "P(")) or " * " in to
        return f"P({to})" if known and to not in self.functions_types else "C.c_void_p"

    def parameters(self, words: List[str]) -> List[str]:
        if words in ([], ["void"]):
            return []
        found = []
        for part in split(words, ","):
            if part == ["..."]:
                raise ValueError("variadic")
            base, rest = self.base(part)
            declared = self.declarator(base, rest)
            array = re.fullmatch(r"(.*) \* \d+", declared.type)  # an array is passed by its address
            found.append(self.pointer(array[1]) if array else declared.type)
        return found

    def declarator(self, base: str, words: List[str]) -> Declared:
        """`* name [ 4 ]`, `( * name ) ( ... )` and what is made of them."""
        while words and words[0] == "*":
            base, words = self.pointer(base), unqualified(words[1:])
        if words and words[0] == "(":  # a pointer to a function or to an array
            close = words.index(")")
            name, after = words[close - 1], words[close + 1 :]
            return Declared(name, "C.c_void_p" if after[0] == "(" else self.pointer(self.sized(base, after)), None)
        name = words[0] if words and re.match(r"\w", words[0]) else ""
        rest = words[1:] if name else words
        if rest and rest[0] == "(":
            return Declared(name, base, self.parameters(rest[1:-1]))
        return Declared(name, self.sized(base, rest), None)

    def sized(self, base: str, words: List[str]) -> str:
        counts = []
        while words:
            close = words.index("]")
            counts.append(self.value(words[1:close]) if close > 1 else 0)
            words = words[close + 1 :]
        for count in reversed(counts):
            base = f"{base} * {count}" if " * " not in base else f"({base}) * {count}"
        return base

    def members(self, words: List[str]) -> List[Tuple[str, str]]:
        found = []
        for statement in split(words, ";"):
            if statement:
                base, rest = self.base(statement)
                shared = split(rest, ",")
                declared = [self.declarator(base, part) for part in shared]
                found += [(one.name, one.type) for one in declared]
        return found

    def braced(self, words: List[str]) -> None:
        """An enumeration or a structure with its body."""
        is_type = words[0] == "typedef"
        words = words[1:] if is_type else words
        start, end = words.index("{"), len(words) - 1 - words[::-1].index("}")
        name = words[end + 1] if is_type else words[1]
        if words[0] == "enum":
            self.enumeration(words[start + 1 : end])
            self.types[name] = "C.c_int"
        else:
            self.structures[name] = self.structures.pop(name, [])  # its place in the order is here
            self.types[name] = name
            self.structures[name] = self.members(words[start + 1 : end])

    def take(self, words: List[str]) -> None:
        if "{" in words:
            self.braced(words)
        elif words[0] == "typedef":
            base, rest = self.base(words[1:])
            declared = self.declarator(base, rest)
            self.types[declared.name] = declared.name if declared.takes is not None or words[1] == "struct" else declared.type
            if declared.takes is not None:
                self.functions_types.add(declared.name)
        elif words[0] != "struct":
            base, rest = self.base(words)
            try:
                declared = self.declarator(base, rest)
            except ValueError:
                return  # variadic: nothing that Python formats
            if declared.takes is not None:
                self.functions[declared.name] = declared


def written(headers: Headers) -> str:
    out = [
        '"""Made by python/bindings.py of include/roofline/*.h: no edit here lasts."""',
        "import ctypes as C",
        "from typing import Any, Dict, Tuple",
        "",
        "P: Any = C.POINTER",
    ]
    out += [f"{name} = {headers.constants[name]}" for name in ("VERSION", "SOVERSION", "PARAM_MAX", "DIGEST_MAX", "NAME_MAX")]
    out += [f"{name} = {value}" for name, value in headers.constants.items() if name.startswith("ROOF_")]
    for name in headers.structures:
        out += ["", f"class {name}(C.Structure):", "    pass"]
    for name, members in headers.structures.items():
        fields = "".join(f"    ({member!r}, {kind}),\n" for member, kind in members)
        out += ["", f"{name}._fields_ = [\n{fields}]"]
    out += ["", "FUNCTIONS: Dict[str, Tuple[Any, Tuple[Any, ...]]] = {"]
    for function in headers.functions.values():
        takes = "".join(f"{kind}, " for kind in function.takes or [])
        out.append(f"    {function.name!r}: ({function.type}, ({takes})),")
    return "\n".join([*out, "}", ""])


def main() -> None:
    compiler, include, output = sys.argv[1:]
    headers = Headers()
    for statement in statements(tokens(preprocessed(compiler, include))):
        headers.take(statement)
    with open(output, "w", encoding="utf-8") as file:
        file.write(written(headers))


if __name__ == "__main__":
    main()
