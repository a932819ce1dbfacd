#!/bin/sh
# The main job from end to end, in a scratch repository: a run with two rejections, its lessons,
# and a second run whose planner is shown them. The agents' texts are those of a shipped example.
#
#   tools/demo.sh [TEMPLATE]     git-relay must be on PATH
set -eu

template=${1:-bug-rca-fix}
here=$(cd "$(dirname "$0")/.." && pwd)
example=$here/templates/$template/example
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi

# Show a command, then run it.
run() {
    printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
    "$@"
}

# Play the agents of one run: write each step's artifacts, then advance.
play() {
    for step in "$1"/*/; do
        for artifact in "$step"*.md; do
            printf '\n# %s: the agent writes %s\n' "$(basename "$step")" "$(basename "$artifact")"
            cp "$artifact" .relay/artifacts/
        done
        run git relay advance
    done
}

cd "$scratch"
run git init --quiet project
cd project
git config user.name >/dev/null || git config user.name 'Demo'
git config user.email >/dev/null || git config user.email 'demo@example.com'
printf '# A project\n' >README.md
git add README.md
run git commit --quiet --message 'the project'

run git relay init --template "$template"
git add .relay
run git commit --quiet --message 'set git-relay up'

set --
for file in "$example"/*.md; do
    case $file in */README.md | */LESSONS.md) ;; *) set -- "$@" "$file" ;; esac
done
run git relay start --slug first --context "$@"
run git relay status
play "$example/steps"

run git relay runs --all
run git relay log first
run git relay verify --all
run git relay lessons list
git add .relay
run git commit --quiet --message 'lessons of the first run'
run git relay distill
run git status --short

printf '\n# A second run in the same project: what does its first role that learns get to read?\n'
run git relay start --slug second --context "$example/second/context.md"
[ ! -d "$example/second/steps" ] || play "$example/second/steps"
run git relay next
