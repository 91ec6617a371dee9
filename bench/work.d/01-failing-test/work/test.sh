#!/bin/sh
for pair in 2023:365 2024:366 2000:366 1900:365; do
  year=${pair%:*} want=${pair#*:} got=$(./days.sh "${pair%:*}")
  [ "$got" = "$want" ] || { echo "not ok: $year has $want days, not $got"; exit 1; }
done
echo "ok: 4 years"
