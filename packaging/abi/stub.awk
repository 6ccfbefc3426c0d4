# A source that defines every public function of the headers, without what it does: compiled with debug information it has the
# interface of the library.
BEGIN { print "#include <roofline/roofline.h>" }
/^ROOF_API / { declaration = ""; inside = 1 }
inside {
  declaration = declaration " " $0
  if (/;/) {
    sub(/;.*/, "", declaration)
    sub(/ROOF_PRINTF\([0-9, ]*\)/, "", declaration)
    variable = sub(/ extern /, " ", declaration)
    print declaration (variable ? ";" : " { __builtin_unreachable(); }")
    inside = 0
  }
}
