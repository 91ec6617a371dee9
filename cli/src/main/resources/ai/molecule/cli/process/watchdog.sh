# Stops what a platform started. $1 is its data folder; standard input is the lifeline, which ends with the launcher.
# Plain POSIX shell, because it runs on every system the launcher runs on.

trap '' HUP INT QUIT TERM # only the lifeline ends this, or SIGKILL

while read -r _; do :; done

data=$1
first_line() { head -n 1 "$1" 2>/dev/null | tr -cd '0-9'; }

# Agents, and what they started: recognised by the folder in their environment, because no file names them. Where there is no
# /proc they have the lifeline alone, which they read themselves.
agents() {
  grep -lzsF "WORKSPACE_CONFIG_PATH=$data/workspaces/" /proc/[0-9]*/environ 2>/dev/null | tr -cd '0-9\n'
}

# The living processes on record, and the agents; sets $postgres, $redis and $left. Read anew every time: a server that was just being
# started when the launcher ended writes its number a moment later.
look() {
  left=
  postgres=$(first_line "$data/postgres/postmaster.pid")
  redis=$(first_line "$data/redis/redis.pid")
  for pid in $postgres $redis; do
    kill -0 "$pid" 2>/dev/null && left="$left $pid"
  done
  for pid in $(agents); do left="$left $pid"; done
  for file in "$data"/pids/*; do
    pid=$(first_line "$file")
    [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null && left="$left $pid"
  done
}

asked=
tenths=0
while [ $tenths -lt 50 ]; do
  look
  [ -z "$left" ] && [ ! -e "$data/starting" ] && break
  for pid in $left; do
    case "$asked " in *" $pid "*) continue ;; esac
    # PostgreSQL waits for its clients after TERM; INT ends their connections and writes everything.
    if [ "$pid" = "$postgres" ]; then kill -INT "$pid"; else kill -TERM "$pid"; fi 2>/dev/null
    asked="$asked $pid"
  done
  sleep 0.1
  tenths=$((tenths + 1))
done

look
for pid in $left; do
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) process $pid did not end in time and is killed"
  kill -KILL "$pid" 2>/dev/null
done
rm -f "$data"/pids/* "$data/starting"
exit 0
