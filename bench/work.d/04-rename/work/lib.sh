#!/bin/sh
greeting="Good day"
greet() { echo "$greeting, $1"; }
