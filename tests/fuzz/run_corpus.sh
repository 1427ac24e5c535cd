#!/bin/sh
# run_corpus.sh PROGRAM FOLDER: replays every file of the folder, which may be absent.
set -eu
program=$1
folder=$2
set --
if [ -d "$folder" ]; then
    for file in "$folder"/*; do
        [ ! -f "$file" ] || set -- "$@" "$file"
    done
fi
exec "$program" "$@"
