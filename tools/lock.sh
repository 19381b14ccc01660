# SPDX-License-Identifier: MIT
# lock NAME WHO: says by the link NAME, which points to this process, that WHO is at work, or ends with
# status 2 if another one lives. One whose process has ended by force is taken over. The caller removes it.
# shellcheck shell=sh
lock() {
    # A link comes to be whole, with its target, or not at all.
    until ln -s $$ "$1" 2>/dev/null; do
        owner=$(readlink "$1") || {
            echo "$2: cannot write into ${1%/*}: is it yours, and is there room?" >&2
            exit 2
        }
        if kill -0 "$owner" 2>/dev/null; then
            echo "$2: another one is at work in ${1%/*}: wait for it, process $owner, or: rm $1" >&2
            exit 2
        fi
        # Whoever moves it has it; if meanwhile it has become another's, it goes back.
        mv "$1" "$1.$$" 2>/dev/null || continue
        if [ "$(readlink "$1.$$")" = "$owner" ]; then rm -f "$1.$$"; else mv "$1.$$" "$1"; fi
    done
}
