# Numbers and letters that would follow the locale of the program: reading by the C library, and writing with %e, %f or %g where
# no rf_format does it. Input: C files of src. A call is followed over its lines until its parentheses are closed.
FNR == 1 { depth = 0; state = "" }

function report(why) {
  printf "%s:%d: %s\n", FILENAME, FNR, why
}

# True when `text` holds a format of a number with a decimal point; `%.0f` has none.
function pointed(text) {
  gsub(/%%/, "", text)
  gsub(/%[-+ #]*[0-9*]*\.0f/, "", text)
  return text ~ /%[-+ #0]*([0-9]+|\*)?(\.([0-9]+|\*)?)?[lL]?[aefgAEFG]/
}

FILENAME ~ /core\/number\.c$/ { next }

{
  plain = code($0)
  if (plain ~ /(^|[^A-Za-z0-9_])(strtod|strtof|strtold|atof|strtod_l)[ ]*\(/)
    report("reads a number as the locale does: roof_number_read")
  if (plain ~ /(^|[^A-Za-z0-9_])(strcasecmp|strncasecmp|strcasestr|tolower|toupper)[ ]*\(/)
    report("compares letters as the locale does: core/letters.h")
  if (plain ~ /(^|[^A-Za-z0-9_])(setlocale|localeconv|newlocale|uselocale)[ ]*\(/)
    report("the locale is the program's: core/number.c alone deals with it")
  if (plain ~ /(^|[^A-Za-z0-9_])v[a-z]*printf[ ]*\(/)
    report("writes what a caller formats as the locale does: rf_vformat")
  if (depth == 0 && match(plain, /(^|[^A-Za-z0-9_])(snprintf|sprintf|fprintf|printf|fscanf|sscanf|json_sprintf)[ ]*\(/)) {
    depth = 1
    reads = substr(plain, RSTART, RLENGTH) ~ /scanf/
    rest = substr(plain, RSTART + RLENGTH)
  } else {
    rest = plain
  }
  if (depth > 0) {
    if (pointed($0)) report(reads ? "sscanf of a number with a point: rf_numbers_read" : "%e, %f or %g outside rf_format and roof_text_addf")
    for (i = 1; i <= length(rest) && depth > 0; i++) {
      c = substr(rest, i, 1)
      if (c == "(") depth++
      if (c == ")") depth--
    }
  }
}
