# Sourced by the benchmarks: a platform of their own, on its own folder and free ports, gone when the script ends.

home=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
launcher=${MOLECULE:-$home/molecule} # any command that takes the launcher's arguments
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

# Registers $1 agents; the file $agents then has a line "<id> <token>" for each.
seed_agents() {
  agents=$data/agents
  run_java "$home/bench/Seed.java" "$registry" "$1" "$agents" || {
    grep -A 20 ERROR "$data/logs/molecule.log" | head -n 40 >&2
    exit 1
  }
}

# What the figures depend on.
print_surroundings() {
  echo "cores: $(nproc), load before: $(cut -d ' ' -f 1-3 /proc/loadavg), $("$java" -version 2>&1 | head -n 1)"
  driver=$(ls "$home"/cli/target/molecule/*/lib/postgresql-*.jar "${POSTGRESQL_DRIVER:-/nowhere}" 2>/dev/null | head -n 1)
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
