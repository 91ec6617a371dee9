#!/usr/bin/env bash
# Makes the folder that the notes are kept in, with the form they begin from. Running it again changes nothing.
set -eu
mkdir -p notes
[ -e notes/form.md ] || cp skills/meeting-notes/form.md notes/form.md
