#!/bin/sh
. ./lib.sh
greet Ada
