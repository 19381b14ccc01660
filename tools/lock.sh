# SPDX-License-Identifier: MIT
# lock FOLDER WHO: makes the folder, which says that WHO is at work, or ends with status 2 if another one
# lives. One whose process has ended by force is taken over. The caller removes it.
# shellcheck shell=sh
lock() {
    until mkdir "$1" 2>/dev/null; do
        owner=$(cat "$1/pid" 2>/dev/null)
        if [ -z "$owner" ] || kill -0 "$owner" 2>/dev/null; then
            echo "$2: another one is at work in ${1%/*}: wait for it${owner:+, process $owner}, or: rm -r $1" >&2
            exit 2
        fi
        rm -rf "$1"
    done
    echo $$ >"$1/pid"
}
