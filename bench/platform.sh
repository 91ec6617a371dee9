# Sourced by the benchmarks: a platform of their own, on its own folder and free ports, gone when the script ends.

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
launcher=${MOLECULE:-$home/molecule} # any command that takes the launcher's arguments
builds=$home/cli/target/molecule${MOLECULE_BUILD:+-built} # where the launcher keeps what it runs
data=$(mktemp -d "${TMPDIR:-/tmp}/molecule-bench.XXXXXX")
started=()

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "$*"
  exit 1
}

# Prints the port of service or server $1.
port() { sed -n "/\"$1\"/,/}/s/.*\"port\" : \([0-9]*\).*/\1/p" "$data/run.json" | head -n 1; }

# Prints the process of service or server $1.
pid() { sed -n "/\"$1\"/,/}/s/.*\"pid\" : \([0-9]*\).*/\1/p" "$data/run.json" | head -n 1; }

find_java() {
  for folder in "${MOLECULE_JAVA_HOME:-}" "${JAVA_HOME:-}" /usr/lib/jvm/*; do
    case $(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$folder/release" 2>/dev/null) in
      2[5-9] | [3-9]?) echo "$folder/bin/java" && return ;;
    esac
  done
  fail "no JDK 25 found; name one in JAVA_HOME"
}

start_platform() {
  java=$(find_java)
  trap stop_platform EXIT
  trap 'exit 130' INT TERM
  "$launcher" up --backend "${backend:-none}" --no-demo --port 0 --data "$data" >"$data/up.log" 2>&1 </dev/null &
  started+=($!)
  for _ in $(seq 600); do
    grep -qs "^molecule ready" "$data/up.log" && break
    kill -0 "${started[0]}" 2>/dev/null || break
    sleep 0.5
  done
  grep -q '^molecule ready' "$data/up.log" || fail "the platform did not start: $(tail -n 5 "$data/up.log")"
  registry=http://127.0.0.1:$(port registry)
}

# Ends the platform and leaves the rest.
end_platform() {
  kill "${started[0]}"
  wait "${started[0]}" 2>/dev/null
}

# Runs a Java program so that a signal to this script is not held up by it.
run_java() {
  "$java" "$@" &
  started+=($!)
  wait $!
}

stop_platform() {
  for process in "${started[@]}"; do kill "$process" 2>/dev/null; done
  wait "${started[@]}" 2>/dev/null
  rm -rf "$data"
}

# Registers $1 agents; the file $agents then has a line "<id> <token>" for each. With start_agents before it they answer.
seed_agents() {
  agents=$data/agents
  run_java "$home/bench/Seed.java" "$registry" "$1" "$agents" ${ports:+"$ports"} || {
    grep -A 20 ERROR "$data/logs/molecule.log" | head -n 40 >&2
    exit 1
  }
}

# Starts $1 stand-ins for agents, each on a port of its own.
start_agents() {
  ports=$data/ports
  "$java" -XX:+UseSerialGC -Xmx256m "$home/bench/Agent.java" "$1" "$ports" &
  agent_pid=$!
  started+=($!)
  for _ in $(seq 300); do
    [ -s "$ports" ] && return
    sleep 0.1
  done
  fail "the stand-ins for agents did not start"
}

# What the figures depend on.
print_load() { echo "cores: $(nproc), load before: $(cut -d ' ' -f 1-3 /proc/loadavg), $("$java" -version 2>&1 | head -n 1)"; }

print_surroundings() {
  print_load
  driver=$(ls "$home"/cli/target/molecule*/*/lib/postgresql-*.jar "${POSTGRESQL_DRIVER:-/nowhere}" 2>/dev/null | head -n 1)
  "$java" -cp "$driver" "$home/bench/Show.java" "$(port postgres)" "$data/secrets/postgres-password" \
    fsync synchronous_commit server_version
}

# Prints the CPU time in hundredths of a second that the JVM and all of PostgreSQL's processes have used so far.
cpu_ticks() {
  postgres=$(pid postgres)
  for process in "$(pid registry)" "$postgres" $(pgrep -P "$postgres"); do
    sed 's/.*) //' "/proc/$process/stat" 2>/dev/null
  done | awk '{ sum += $12 + $13 } END { print sum }'
}

# Prints the CPU time in microseconds that process $1 and its children have used so far.
cpu_micros() {
  for process in $1 $(pgrep -P "$1"); do
    cat "/proc/$process"/task/*/schedstat 2>/dev/null
  done | awk '{ sum += $1 } END { printf "%d", sum / 1000 }'
}

# The same for the threads of process $1 whose names start with $2.
cpu_micros_of_threads() {
  for task in "/proc/$1"/task/*; do
    case $(cat "$task/comm" 2>/dev/null) in "$2"*) cat "$task/schedstat" ;; esac
  done | awk '{ sum += $1 } END { printf "%d", sum / 1000 }'
}

cpu_now() {
  echo "$(cpu_micros "$(pid registry)") $(cpu_micros_of_threads "$(pid registry)" vert.x-eventloo) $(cpu_micros "$(pid postgres)") $(cpu_micros "$(pid redis)") $(cpu_micros "$agent_pid")"
}

cpu_mark() { cpu_marked=$(cpu_now); }

# Says what the platform's processes have used since the mark for each of $1 requests.
cpu_since_mark() {
  echo "$cpu_marked $(cpu_now)" | awk -v n="$1" '{
    printf "        CPU microseconds per request: platform %.0f (event loops %.0f), PostgreSQL %.0f, Redis %.1f, agents %.0f\n",
      ($6 - $1) / n, ($7 - $2) / n, ($8 - $3) / n, ($9 - $4) / n, ($10 - $5) / n }'
}

# Installs program $1 from package $2, or of the same name.
need() {
  command -v "$1" >/dev/null && return
  say "installing $1"
  (apt-get update && apt-get install -y --no-install-recommends "${2:-$1}") >/dev/null 2>&1
  command -v "$1" >/dev/null || fail "$1 is needed and could not be installed; install it and try again"
}

# Prints after $1 what the platform uses in $2 seconds at rest, and what its heap holds after a collection.
at_rest() {
  before=$(cpu_ticks)
  sleep "$2"
  after=$(cpu_ticks)
  tools=${java%/*}
  "$tools/jcmd" "$(pid registry)" GC.run >/dev/null
  echo "$1: $(awk -v ticks=$((after - before)) -v s="$2" 'BEGIN { printf "%.4f", ticks / 100 / s }') cores for the JVM and PostgreSQL, heap" \
    "$("$tools/jcmd" "$(pid registry)" GC.heap_info | sed -n 's/.*used \([0-9]*\)K.*/\1 kB/p' | head -n 1)," \
    "$(ls "/proc/$(pid registry)/task" | wc -l) threads, $(ls "/proc/$(pid registry)/fd" | wc -l) descriptors"
}
