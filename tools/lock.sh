# SPDX-License-Identifier: MIT
# lock NAME WHO: says by the link NAME, which points to this process, that WHO is at work, or ends with
# status 2 if another one lives. One whose process has ended by force is taken over.
# unlock NAME: the end of it.
# shellcheck shell=sh
lock() {
    tries=0
    # A link comes to be whole, with its target, or not at all.
    until [ ! -d "$1" ] && ln -s $$ "$1" 2>/dev/null; do
        owner=$(readlink "$1")
        if [ -n "$owner" ] && kill -0 "$owner" 2>/dev/null; then
            echo "$2: another one is at work in ${1%/*}: wait for it, process $owner, or: rm $1" >&2
            exit 2
        elif [ $((tries += 1)) -gt 20 ]; then
            echo "$2: cannot make $1: is the folder yours, with room? Or something else of that name is there" >&2
            exit 2
        # Only one at a time takes over, or one would remove what another has just made.
        elif [ -n "$owner" ] && mkdir "$1.old" 2>/dev/null; then
            [ "$(readlink "$1")" = "$owner" ] && rm -f "$1"
            rmdir "$1.old"
        else
            sleep 0.1
        fi
    done
}

unlock() {
    [ "$(readlink "$1")" != $$ ] || rm -f "$1"
}
