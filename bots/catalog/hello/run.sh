#!/bin/sh
# Greets, works a little in steps, and leaves an output behind.

# Outside a run there is nobody to report to; the greeting still works.
report() { [ -z "${ITERION_EVENTS:-}" ] || iterion report "$@"; }

title=${ITERION_VAR_TITLE:-}
echo "Hello! I am the bot $ITERION_BOT, at work in $(pwd)."
if [ -n "$title" ]; then
	printf 'Your card says: %s\n' "$title"
fi

report progress --percent 10 "looking around"
sleep 1
echo "A bot is any command. What it prints lands here, in its log."

report progress --percent 60 "nearly there"
sleep 1
echo "Its exit code says how it went. This one went well."

report output -- "greeting=Hello, ${title:-world}!"
report progress --percent 100 "done"
