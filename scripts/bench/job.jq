# What the index of sessc holds of a line: what it is, where it hangs, when it was written, who speaks, which tools it
# calls, which call it answers, how much text it has, and what its turn used.
def texts: if type == "string" then utf8bytelength else [.[]? | .text? // empty | utf8bytelength] | add // 0 end;
[ .type, .id, .parentId, .timestamp, .message.role,
  [.message.content | arrays | .[] | select(.type == "toolCall") | .name, .id],
  .message.toolCallId,
  (.message.content // .content // .summary // "" | texts),
  .message.usage.totalTokens ]
