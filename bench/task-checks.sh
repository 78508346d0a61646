#!/usr/bin/env bash
# The nine checks before a task leaves REQUIREMENTS, as a shell script makes them: one small program for every
# question to a file, and none more. Written for the comparison in task-checks.ts: for seven agents 30 programs,
# 20 of them jq, as many as in the script that people run by hand.
# Usage: task-checks.sh <tasks root> <task> <session>; run in the task's worktree.
set -u
root=$1 task=$2 session=$3
dir=$root/$task
lock=$dir/task.json
fail() { echo "[$1/9] FAILED: $2"; exit 1; }
pass() { echo "[$1/9] PASSED: $2"; }

state=$(jq -r '.state' "$lock")
[ "$state" = REQUIREMENTS ] || fail 1 "state is $state"
pass 1 "state is REQUIREMENTS"

owner=$(jq -r '.session_id' "$lock")
[ "$owner" = "$session" ] || fail 2 "owned by $owner"
pass 2 "lock belongs to this session"

[ "$(pwd)" = "$dir/code" ] || fail 3 "in $(pwd)"
pass 3 "directory is the task worktree"

[ -f "$dir/task.md" ] || fail 4 "no task.md"
for section in "Task Objective" "Scope Definition" "Stakeholder Agent Reports"; do
  grep -q "^## $section" "$dir/task.md" || fail 4 "no section $section"
done
pass 4 "task.md has its sections"

agents=$(jq -r '.required_agents[]' "$lock")
[ -n "$agents" ] || fail 5 "no agents"
for agent in $agents; do
  [ -d "$dir/agents/$agent/code" ] || fail 5 "no worktree for $agent"
done
pass 5 "required agents have worktrees"

complete=0
total=0
for agent in $agents; do
  total=$((total + 1))
  status=$(jq -r '.status' "$dir/agents/$agent/status.json" 2>/dev/null || echo missing)
  if [ "$status" = COMPLETE ]; then complete=$((complete + 1)); fi
done
[ "$complete" -eq "$total" ] || fail 6 "$complete of $total complete"
pass 6 "every agent is COMPLETE"

for agent in $agents; do
  report=$dir/$task-$agent-requirements.md
  [ -f "$report" ] || fail 7 "no report of $agent"
  bytes=$(wc -c <"$report")
  [ "$bytes" -ge 100 ] || fail 7 "$agent: $bytes bytes"
done
pass 7 "every report is valid"

log=$(jq -r '.transition_log' "$lock")
[ "$log" != null ] || fail 8 "there is no log"
for name in CLASSIFIED REQUIREMENTS; do
  jq -e --arg name "$name" '.transition_log[] | select(.to == $name)' "$lock" >/dev/null || fail 8 "the log lacks $name"
done
pass 8 "transition log is complete"

for agent in $agents; do
  status=$(jq -r '.status' "$dir/agents/$agent/status.json" 2>/dev/null || echo missing)
  if [ "$status" = ERROR ]; then
    fail 9 "$agent: $(jq -r '.error_message' "$dir/agents/$agent/status.json")"
  fi
done
pass 9 "no agent is in ERROR"
echo "ALL 9 CHECKS PASSED"
