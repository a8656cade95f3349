// What the checks know about a session log of OpenClaw or pi (JSONL, version 3), independent of sessc and of the clients.
// It reads bytes and messages and compares two of them; it starts nothing and writes nothing.
import { createHash } from "node:crypto";

/**
 * Splits a log into lines. `raw` holds the bytes of a line one to one as latin-1 characters, so that comparing strings compares bytes;
 * `entry` is the parsed object, or null where the line is no JSON object.
 */
export function parseLog(bytes) {
  const lines = bytes.toString("latin1").split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((raw, i) => ({ number: i + 1, raw, entry: parseObject(Buffer.from(raw, "latin1").toString("utf8")) }));
}

function parseObject(text) {
  try {
    const v = JSON.parse(text);
    return v && typeof v === "object" && !Array.isArray(v) ? v : null;
  } catch {
    return null;
  }
}

/** The header entry of a log, or null when the first line is none: then no client takes it for a session. */
export function header(lines) {
  const first = lines[0]?.entry;
  return first?.type === "session" && typeof first.id === "string" ? first : null;
}

const entriesOf = (lines) => lines.filter((l) => l.entry && l.entry.type !== "session" && typeof l.entry.id === "string");

/** The id at which a parent chain closes on itself, or null. The loaders of all three clients never return from such a log. */
export function parentCycle(lines) {
  const parent = new Map(entriesOf(lines).map((l) => [l.entry.id, l.entry.parentId]));
  const done = new Set();
  for (const start of parent.keys()) {
    const path = new Set();
    for (let id = start; parent.has(id) && !done.has(id); id = parent.get(id)) {
      if (path.has(id)) return id;
      path.add(id);
    }
    for (const id of path) done.add(id);
  }
  return null;
}

// Text that the host program wrote in the user's role to say how a child ended: the four wordings known, after the envelopes
// that may stand before it, and with the key that only the program writes. Whatever else has the role user counts as typed by
// a person: cron prompts, heartbeats and reminders too, which makes the check stricter than the promise.
const ENVELOPE = /^(?:\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [^\]\n]*\] |System: \[[^\]\n]*\] )/;
const KEY = /\bsessionKey \S|\[sessionId: \S+\]|^session_key: \S|\bsourceSession=\S/m;
const EVENT_HEADS = [
  /^A (?:background|subagent) task "/,
  /^\[System Message\] \[sessionId: [^\]]*\] A (?:subagent|background) task "/,
  /^(?:<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\s*)?(?:OpenClaw runtime context \(internal\):[\s\S]{0,400}?)?\[Internal task completion event\]/,
  /^A background task completed\. Use this result/,
  /^\[Inter-session message\] sourceSession=\S* [^\n]*sourceTool=subagent_(?:announce|settle)/,
  /^\[Queued announce messages while agent was busy\]/,
];
const RESUMED = /^\[Subagent Context\] Your prior run ended while waiting/;

// Half of a surrogate pair has no UTF-8 form, so clients drop it before they send a text.
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** The text of a message's content, stored or sent: strings and text blocks as they are, other blocks as a hash of their data. */
export function contentText(content) {
  const blocks = typeof content === "string" ? [{ text: content }] : Array.isArray(content) ? content : [];
  const data = (b) => digest(b?.data ?? b?.image_url?.url?.replace(/^data:[^,]*,/, "") ?? b);
  return blocks.map((b) => (typeof b?.text === "string" ? b.text.replace(LONE_SURROGATE, "") : `[data ${data(b)}]`)).join("\n");
}

/** Whether a message stands for something a person typed: a prompt, or a shell command with `!`. */
export function isHuman(message) {
  if (message?.role === "bashExecution") return true;
  if (message?.role !== "user" || message.provenance?.kind === "inter_session") return false;
  let text = contentText(message.content);
  while (ENVELOPE.test(text)) text = text.replace(ENVELOPE, "");
  return !RESUMED.test(text) && !(KEY.test(text) && EVENT_HEADS.some((head) => head.test(text)));
}

export const digest = (v) => createHash("sha256").update(typeof v === "string" ? v : (JSON.stringify(v) ?? "")).digest("hex").slice(0, 16);

const LINKS = ["parentId", "firstKeptEntryId", "targetId", "fromId", "appendParentId"];
const LINK_VALUE = new RegExp(`"(${LINKS.join("|")})":(?:"[^"\\\\]*"|null)`, "g");
const TOTAL = /"totalTokens":\d+/g;
const unlinked = (raw) => raw.replace(LINK_VALUE, '"$1":*');

/**
 * What is wrong with the bytes of a compressed log, relative to its original. A line must be an original one, byte for byte, except for
 * re-pointed links and a lowered usage total, or carry sessc's envelope marker; and whatever is no model message must still be there.
 */
export function structureProblems(before, after) {
  const out = [];
  const originals = new Map();
  for (const l of before) originals.set(l.raw, (originals.get(l.raw) ?? 0) + 1);
  const byId = new Map(entriesOf(before).map((l) => [l.entry.id, l]));
  const remaining = new Map();
  for (const l of after) {
    const key = unlinked(l.raw);
    remaining.set(key, (remaining.get(key) ?? 0) + 1);
    if (originals.has(l.raw) || l.entry?.sessc) continue;
    const was = l.entry && byId.get(l.entry.id);
    const same = was && unlinked(l.raw).replace(TOTAL, "*") === unlinked(was.raw).replace(TOTAL, "*");
    if (!same) out.push(`line ${l.number}: neither an original line nor marked as written by sessc`);
    else if ((l.entry.message?.usage?.totalTokens ?? 0) > (was.entry.message?.usage?.totalTokens ?? 0)) out.push(`line ${l.number}: usage total was raised`);
  }
  for (const l of before) {
    const replaceable = l.entry && ((l.entry.type === "message" && !isHuman(l.entry.message)) || l.entry.type === "custom_message");
    if (replaceable) continue;
    const key = unlinked(l.raw);
    const left = remaining.get(key) ?? 0;
    if (left === 0) out.push(`line ${l.number} of the original is gone: ${l.entry ? (l.entry.message?.role ?? l.entry.type) : "no JSON object"}`);
    else remaining.set(key, left - 1);
  }
  out.push(...newOnes("duplicate id", duplicates(before), duplicates(after)));
  out.push(...newOnes("dangling link", dangling(before), dangling(after)));
  const cycle = parentCycle(after);
  if (cycle && !parentCycle(before)) out.push(`parent cycle at ${cycle}: the clients would never finish loading`);
  return out;
}

function newOnes(label, was, now) {
  const known = new Set(was);
  return now.filter((x) => !known.has(x)).map((x) => `${label}: ${x}`);
}

function duplicates(lines) {
  const seen = new Set();
  const out = [];
  for (const l of entriesOf(lines)) {
    if (seen.has(l.entry.id)) out.push(l.entry.id);
    seen.add(l.entry.id);
  }
  return out;
}

function dangling(lines) {
  const ids = new Set(entriesOf(lines).map((l) => l.entry.id));
  return entriesOf(lines).flatMap((l) => LINKS.filter((k) => typeof l.entry[k] === "string" && !ids.has(l.entry[k])).map((k) => `${l.entry.id}.${k}`));
}

const CALLS = new Set(["toolCall", "toolUse", "functionCall", "tool_call", "tool_use", "function_call"]);
const callsOf = (m) => (m.role === "assistant" && Array.isArray(m.content) ? m.content.filter((b) => CALLS.has(b?.type)) : []);

/** Calls and results of context messages that do not stand together as providers want it: each call answered once, right after its message. */
export function pairingProblems(messages) {
  const out = [];
  let open = new Map();
  const answered = new Set();
  const close = (at) => {
    for (const id of open.keys()) out.push(`call ${id} has no result before message ${at}`);
    open = new Map();
  };
  messages.forEach((m, i) => {
    if (m.role === "toolResult") {
      if (open.delete(m.toolCallId)) answered.add(m.toolCallId);
      else out.push(`result ${m.toolCallId} ${answered.has(m.toolCallId) ? "is repeated" : "has no call"}`);
      return;
    }
    if (m.role !== "assistant" && m.role !== "user") return;
    close(i);
    if (m.stopReason === "error" || m.stopReason === "aborted") return;
    for (const call of callsOf(m)) open.set(call.id, i);
  });
  close(messages.length);
  return out;
}

/** The same for an OpenAI-style request body. */
export function requestProblems(messages) {
  const out = [];
  let open = new Set();
  const close = (at) => {
    for (const id of open) out.push(`call ${id} is unanswered before message ${at}`);
  };
  messages.forEach((m, i) => {
    if (m.role === "tool") {
      if (!open.delete(m.tool_call_id)) out.push(`tool message ${m.tool_call_id} has no call`);
      return;
    }
    close(i);
    open = new Set((m.tool_calls ?? []).map((c) => c.id));
  });
  close(messages.length);
  return out;
}

// The role in which a client sends a context message to the model.
const SENT_AS = { user: "user", custom: "user", bashExecution: "user", compactionSummary: "user", branchSummary: "user", assistant: "assistant", toolResult: "tool", system: "system" };

/** What a comparison of two contexts needs of each message: the role it is sent in, an identity that ignores usage, and whether a person typed it. */
export function outline(messages) {
  return messages.map((m) => ({ role: SENT_AS[m.role] ?? m.role, key: digest({ ...m, usage: undefined }), human: isHuman(m), text: isHuman(m) && m.role === "user" ? contentText(m.content) : undefined }));
}

/**
 * Neighbours of one role that the compressed context has and the original had not in that place, and a context that newly
 * begins with something else than a prompt. A place is the stretch of the original between the nearest messages that both have.
 */
export function roleProblems(was, now) {
  const out = [];
  const place = new Map(was.map((m, i) => [m.key, i]));
  now.forEach((m, i) => {
    const prev = now[i - 1];
    if (!prev || m.role !== prev.role || m.role === "tool") return;
    let from = i - 1;
    while (from >= 0 && !place.has(now[from].key)) from--;
    let to = i;
    while (to < now.length && !place.has(now[to].key)) to++;
    const stretch = was.slice(from < 0 ? 0 : place.get(now[from].key), to === now.length ? was.length : place.get(now[to].key) + 1);
    if (!stretch.some((x, j) => x.role === m.role && stretch[j - 1]?.role === m.role)) out.push(`messages ${i - 1} and ${i} are both ${m.role}`);
  });
  if (now[0] && was[0]?.role === "user" && now[0].role !== "user") out.push(`the context begins with ${now[0].role}`);
  return out;
}

/** The first human text of `was` that `now` lacks at or after its turn in the order, or null. */
export function missingText(was, now) {
  let at = 0;
  for (const text of was) {
    while (at < now.length && now[at] !== text) at++;
    if (at === now.length) return text;
    at++;
  }
  return null;
}

/** A generous count of what messages cost when sent: characters outside ASCII count one each, four of the others one; no client or tokenizer in use counts more by half. */
export function generousTokens(messages) {
  let ascii = 0;
  let other = 0;
  const add = (s) => {
    for (let i = 0; i < s.length; i++) s.charCodeAt(i) < 128 ? ascii++ : other++;
  };
  for (const m of messages) {
    for (const b of Array.isArray(m.content) ? m.content : [{ text: m.content ?? m.summary ?? `${m.command ?? ""}${m.output ?? ""}` }]) {
      if (typeof b?.text === "string") add(b.text);
      else if (typeof b?.thinking === "string") add(b.thinking);
      else if (b?.type === "image") ascii += 4800;
      else add(JSON.stringify(b) ?? "");
    }
  }
  return Math.ceil((ascii / 4 + other) * 1.5);
}

/**
 * The context size that pi takes a loaded session to have: the last recorded usage plus an estimate of what follows. Returns the
 * estimate of everything where no usage was recorded.
 */
export function assumedTokens(messages, estimate) {
  const sum = (list) => list.reduce((n, m) => n + (estimate(m) || 0), 0);
  for (let i = messages.length - 1; i >= 0; i--) {
    const { role, stopReason, usage } = messages[i];
    if (role !== "assistant" || !usage || stopReason === "error" || stopReason === "aborted") continue;
    const total = usage.totalTokens || (usage.input ?? 0) + (usage.output ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
    if (total > 0) return total + sum(messages.slice(i + 1));
  }
  return sum(messages);
}

/**
 * The largest context size that a client may still assume after compression. Recorded usage has to come down with what was removed, by
 * a quarter of it at least, but not below what is sent. Equal to what the original assumes where that leaves no room to tell.
 */
export function fairSize(was, now) {
  const removed = was.estimated - now.estimated;
  return Math.min(was.assumed, Math.max(was.assumed - Math.floor(removed / 4), now.generous));
}
