# Nodes that are network namespaces: `netns_up COUNT MICROSECONDS RATE`, each with a host name of its own (n1, n2, ...), and an rsh for launchers.

# Why they cannot be made here; nothing where they can.
netns_absent() {
  local what
  for what in ip tc unshare; do
    command -v "$what" >/dev/null || { echo "$what is not installed"; return; }
  done
  [ "$(id -u)" = 0 ] || { echo "network namespaces need root"; return; }
  ip netns add "rf$$" 2>/dev/null || { echo "no network namespaces here"; return; }
  ip netns exec "rf$$" sh -c 'test -w /dev/net/tun && ip tuntap add probe mode tun && tc qdisc add dev probe root tbf rate 1mbit burst 10kb latency 1s' \
    2>/dev/null || echo "no tun devices or no tbf here"
  ip netns del "rf$$"
}

# Each node sends at RATE, and what it sends takes MICROSECONDS.
netns_up() { # COUNT MICROSECONDS RATE
  local i names=()
  netns_names=rf$$n
  for i in $(seq "$1"); do
    ip netns add "$netns_names$i"
    names+=("$netns_names$i")
  done
  nice -n -20 "$ROOFLINE_BUILD/tests/test-wire" "$2" "${names[@]}" >wire.out 2>&1 3>&- &
  netns_wire=$!
  until grep -q ready wire.out; do
    kill -0 "$netns_wire" || { cat wire.out; return 1; }
    sleep 0.05
  done
  for i in $(seq "$1"); do
    ip -n "$netns_names$i" link set lo up
    ip -n "$netns_names$i" link set eth0 mtu 9000 txqueuelen 1000 up
    ip -n "$netns_names$i" addr add "10.99.7.$i/24" dev eth0
    ip netns exec "$netns_names$i" sh -c 'echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle'
    netns_rate "$i" "$3"
  done
  cat >rsh <<AGENT
#!/bin/sh
# rsh HOST COMMAND...: on the node of that name.
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1; shift
exec ip netns exec $netns_names\${host#n} unshare --uts sh -c "hostname \$host; \$*"
AGENT
  chmod +x rsh
}

netns_rate() { # NODE RATE
  tc -n "$netns_names$1" qdisc replace dev eth0 root tbf rate "$2" burst 40kb limit 4mb
}

netns_down() {
  local name
  kill "$netns_wire" 2>/dev/null || true
  for name in $(ip netns list | awk -v of="^rf$$n" '$1 ~ of { print $1 }'); do
    ip netns del "$name"
  done
}

# netns_openmpi COUNT COMMAND...: a rank on each node, messages by TCP alone, before what else runs here.
netns_openmpi() {
  local count=$1
  shift
  nice -n -19 ./rsh n1 mpirun.openmpi --allow-run-as-root --mca mpi_yield_when_idle 1 --mca plm rsh --mca plm_rsh_agent "$PWD/rsh" \
    --mca oob_tcp_if_include eth0 --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include eth0 \
    --host "$(seq -s, -f 'n%g' "$count")" -n "$count" "$@"
}

# netns_mpich COUNT COMMAND...: the same of MPICH over UCX, which at its very end, after the answer, may wait for ever (rf_job_end).
netns_mpich() {
  local count=$1
  shift
  UCX_TLS=tcp,self UCX_NET_DEVICES=eth0 timeout -s KILL 30 nice -n -10 ./rsh n1 mpirun.mpich -launcher rsh -launcher-exec "$PWD/rsh" \
    -iface eth0 -hosts "$(seq -s, -f 'n%g' "$count")" -n "$count" "$@" || true
}
