# Length of every function of clang-formatted C: from the first line of its signature to its closing brace, both counted.
# Prints `lines file:line name`.
FNR == 1 { begin = 0; start = 0 }
!begin && /^[A-Za-z_]/ { start = FNR; signature = $0 }
!begin && start && /\) \{$/ {
  begin = start
  name = signature
  sub(/\(.*/, "", name)
  sub(/.*[ *]/, "", name)
}
!begin && /[;}]$/ { start = 0 }
begin && /^}/ { printf "%d %s:%d %s\n", FNR - begin + 1, FILENAME, begin, name; begin = 0; start = 0 }
