package cli

const exitCodes = `Exit codes:
   0  done, or nothing to do; in folders, live or young sessions are skipped
   1  failed; nothing was changed unless the message says so
   2  usage: the command line, the environment or the config file is wrong
   3  batch: some sessions failed, the others are done
   4  a session named on the command line was refused: live, locked, changed,
      too young, or it must not be replaced in place; or another run is at
      the archive`

const rootHelp = `sessc reads the log of an agent that is not running, finds the sub-tasks that
were delegated and are finished, puts a short record in the place of each,
and keeps every removed byte in an archive. The agent resumes the log as
before.

   sessc compress --dry-run ~/.claude/projects
      what would be saved; touches nothing
   sessc compress session.jsonl
      rewrite one log
   sessc restore session.jsonl
      the original back, byte for byte

Settings: flags beat environment variables (SESSC_KEEP_LAST for --keep-last),
these beat the config file ($XDG_CONFIG_HOME/sessc/config.toml, or
SESSC_CONFIG).

` + exitCodes

const compressHelp = `PATHs are session logs of Claude Code, OpenClaw or pi, ids of sessions in an
agent's default folder, or folders: then every session log in them and below,
several at once. In folders, logs that are in use or too young are skipped,
and those that have not changed since an earlier run with the same options
are not read again. One run over folders at a time uses an archive. The
archive gets the original bytes before a log is replaced.

Layers: tasks are finished sub-tasks. turns are finished turns of the agent's
own work: prompt and closing answer stay, what lies between becomes a record.
results are old tool results and long arguments: each becomes a line in its
place. disk takes out what no client reads again: it saves bytes of the file
and no context.

Examples:
   sessc compress --dry-run --show session.jsonl
      every mask below what it would replace
   sessc compress session.jsonl
      rewrite it
   sessc compress --layers all session.jsonl
      finished turns and old results too
   sessc compress --output small.jsonl s.jsonl
      write a copy, leave the log alone
   sessc compress --quiet ~/.claude/projects
      from cron
   sessc compress --quiet --all --max-duration 2h
      from cron: the folders of every known agent
   sessc compress --json --dry-run DIR | jq .context_tokens.saved
   sessc compress --dry-run --model gemini DIR
      how many calls a model would need
   sessc compress --model local session.jsonl
      words of masks by a model on this machine

` + exitCodes

const sessionsHelp = `Lists session logs: those below the PATHs, or, without one, those in the
default folders of every known agent. States: cold (compress would rewrite
it), young (changed within --min-age), live (a program works with it),
restored (by you: name it to compress it again), blocked (something else
forbids it; see --json). Reads only.

Examples:
   sessc sessions
   sessc sessions --agent openclaw --newer-than 7d --min-tokens 50000
   sessc sessions --json DIR | jq 'select(.state=="cold") | .path'

` + exitCodes

const scanHelp = `Lists the delegated sub-tasks of session logs: state, place, cost, and
whether compress would compact each one, or why not. Reads only.

Examples:
   sessc scan session.jsonl
   sessc scan --json session.jsonl | jq '.lifecycles[] | select(.compact)'

` + exitCodes

const reportHelp = `Reports what compress would save in session logs, without writing to any: per
session, per agent, per day and in total, with what the tokens cost and where
they are. With --history: what the rewrites in the archive have saved, of all
logs or of those below PATH.

Examples:
   sessc report --all
   sessc report --format html --output report.html ~/.openclaw/agents
   sessc report --price 3 --format csv DIR > savings.csv
   sessc report --history --newer-than 30d

` + exitCodes

const restoreHelp = `Brings back what sessc removed from a log, and keeps what the agent appended
since.

Examples:
   sessc restore session.jsonl
      back through all rewrites
   sessc restore --generation 2 session.jsonl
      back to before the second one
   sessc restore --output orig.jsonl session.jsonl
      write a copy, leave the log alone

All logs of a folder that sessc has rewritten, one after the other:
  sessc status --json | jq -r '.sessions[].path' | grep "^$(realpath DIR)/" |
     while read -r log; do sessc restore "$log"; done

` + exitCodes

const expandHelp = `Prints the entries that stood where a mask stands now. REF is the reference
in the mask (with or without "sessc:"); the beginning of it is enough while
it is unique.

Examples:
   sessc expand 3f9a1c20be77
   sessc expand --raw sessc:3f9a1c20be77 > lines.jsonl

` + exitCodes

const statusHelp = `Prints what the archive holds and the room that it takes.

Examples:
   sessc status
   sessc status --json | jq .disk_bytes
   sessc status --late SESSION    lines that came too late to be carried over

` + exitCodes

const forgetHelp = `Deletes removed bytes from the archive for good: those of a session, of one
mask, or of all rewrites older than a time. They cannot be restored
afterwards; the logs themselves stay as they are. Of each mask the archive
keeps the reference and the day, to say later what became of it. Asks first,
unless --yes is given.

Examples:
   sessc forget cecd18d9-61cb-4cc2-af33-aa8d134b73a9
      a session, by its id
   sessc forget sessc:3f9a1c20be77
      what one mask stands for
   sessc forget --older-than 90d --yes
      from cron

` + exitCodes

const formatsHelp = `Prints a page on the agents whose logs sessc reads: where the logs lie, which
versions were seen, what a rewrite does to them and what it leaves alone.

Example:
   sessc formats | less

` + exitCodes

const configHelp = `Settings come from flags, then environment variables, then the config file,
then defaults. Keys of the file are the names of the flags with underscores.

Examples:
   sessc config show
   sessc config show --origin

A config file:
   keep_last = 6
   min_age = "1h"
   spawn_tool = ["delegate_task"]

` + exitCodes

const doctorHelp = `Looks at the settings, the archive, the folders of the agents that sessc
knows, and the model if one is named: which one answers, and how long a tiny
question takes. No word of a log is sent. Changes nothing. It warns of
environment variables that begin with SESSC_ and set nothing.

Of the archive it reads what was removed and compares it with the checksums,
the newest rewrites first and for at most ten seconds; it says how many.

Examples:
   sessc doctor
   sessc doctor --model local
   sessc doctor --model local:qwen3:4b --endpoint http://127.0.0.1:11434/v1

` + exitCodes
