#!/bin/sh
# Says how many days a year has.
leap() {
  [ $(( $1 % 4 )) -eq 0 ]
}
if leap "$1"; then echo 366; else echo 365; fi
