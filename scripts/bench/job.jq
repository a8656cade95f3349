# What the index of sessc holds of a line: what it is, where it hangs, when it was written, who speaks, which tools it
# calls, which call it answers, how much text it has, what its turn used, and what it says of sub-tasks: what was asked
# for, which child was started for it, and how that ended.
def texts: if type == "string" then utf8bytelength else [.[]? | .text? // empty | utf8bytelength] | add // 0 end;
def words: if type == "string" then . else [.[]? | .text? // empty] | join("\n") end;
def ends: words | select(contains("[Internal task completion event]\n"))
  | [ capture("\nsession_key: (?<child>[^\n]*)\nsession_id: (?<session>[^\n]*)\ntype: (?<type>[^\n]*)\ntask: (?<task>[^\n]*)\nstatus: (?<status>[^\n]*)"),
      capture("\nStats: (?<stats>[^\n]*)") ];
[ .type, .id, .parentId, .timestamp, .message.role,
  [.message.content | arrays | .[] | select(.type == "toolCall") | .name, .id],
  .message.toolCallId,
  (.message.content // .content // .summary // "" | texts),
  .message.usage.totalTokens,
  [.message.content | arrays | .[] | select(.type == "toolCall" and .name == "sessions_spawn") | .arguments | [.label, .task]],
  [.message | objects | select(.role == "toolResult" and .toolName == "sessions_spawn") | .details | objects | [.status, .childSessionKey, .runId]],
  [.message | objects | select(.role == "user") | .content | ends] ]
