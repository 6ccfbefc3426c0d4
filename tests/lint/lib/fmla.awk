# objdump's listing of a function for AArch64: the share, in percent, of multiply-adds of four numbers in that of its loops (from the target of a
# branch back to the branch) where it is highest. Loops with fewer than 32 of them start or end a product.
/^ +[0-9a-f]+:/ {
  sub(/:/, "", $1)
  at[$1] = ++lines
  sum[lines] = sum[lines - 1] + ($2 == "fmla" && $3 ~ /\.4s/)
  if (($2 ~ /^(b\.|cb|tb)/) && ($(NF - 1) in at)) {
    from = at[$(NF - 1)]
    count = sum[lines] - sum[from - 1]
    share = 100 * count / (lines - from + 1)
    if (count >= 32 && share > most) most = share
  }
}
END { printf "%.0f\n", most }
