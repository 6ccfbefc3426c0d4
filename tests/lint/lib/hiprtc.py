"""Compiles PROGRAM with HEADER, which it includes by its file's name, for an AMD device: hiprtc.py PROGRAM HEADER CODE OPTION...
Exit code 77: there is no hiprtc here."""
import ctypes
import os
import sys


def load():
    folder = os.environ.get("ROOFLINE_HIP_LIBRARIES", "")
    for name in ("libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", "libamdhip64.so.5"):
        try:
            return ctypes.CDLL(os.path.join(folder, name))
        except OSError:
            pass
    sys.exit(77)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text_of(program, size_of, get):
    size = ctypes.c_size_t()
    size_of(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    get(program, text)
    return text.raw[: size.value]


def main(source, header, code, *options):
    rtc = load()
    program = ctypes.c_void_p()
    texts = (ctypes.c_char_p * 1)(read(header))
    names = (ctypes.c_char_p * 1)(os.path.basename(header).encode())
    given = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    created = rtc.hiprtcCreateProgram(ctypes.byref(program), read(source), b"program.hip", 1, texts, names)
    if created != 0 or rtc.hiprtcCompileProgram(program, len(options), given) != 0:
        sys.exit(text_of(program, rtc.hiprtcGetProgramLogSize, rtc.hiprtcGetProgramLog).decode(errors="replace"))
    with open(code, "wb") as file:
        file.write(text_of(program, rtc.hiprtcGetCodeSize, rtc.hiprtcGetCode))


main(*sys.argv[1:])
