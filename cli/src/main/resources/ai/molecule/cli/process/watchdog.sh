# Stops what a platform started. $1 is its data folder; standard input is the lifeline, which ends with the launcher.
# Plain POSIX shell, because it runs on every system the launcher runs on.

trap '' HUP INT QUIT TERM # only the lifeline ends this, or SIGKILL

while read -r _; do :; done

data=$1
first_line() { head -n 1 "$1" 2>/dev/null | tr -cd '0-9'; }
alive() { kill -0 "$1" 2>/dev/null; }

postgres=$(first_line "$data/postgres/postmaster.pid")
redis=$(first_line "$data/redis/redis.pid")
children=
for file in "$data"/pids/*; do
  [ -f "$file" ] && children="$children $(first_line "$file")"
done

# Services and agents hold the same lifeline and are ending by themselves; asking as well costs nothing.
for pid in $children; do kill -TERM "$pid" 2>/dev/null; done
[ -n "$postgres" ] && kill -INT "$postgres" 2>/dev/null # fast shutdown: ends connections, writes everything
[ -n "$redis" ] && kill -TERM "$redis" 2>/dev/null

tenths=0
while [ $tenths -lt 50 ]; do
  left=
  for pid in $children $postgres $redis; do
    alive "$pid" && left="$left $pid"
  done
  [ -z "$left" ] && break
  sleep 0.1
  tenths=$((tenths + 1))
done

for pid in $left; do
  echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) process $pid did not end in time and is killed"
  kill -KILL "$pid" 2>/dev/null
done
rm -f "$data"/pids/*
exit 0
