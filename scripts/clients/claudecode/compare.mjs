// Compares what the client sent for a log and for its compressed form. Anything that is worse in the second is a problem.
import { blocksOf, parseLog } from "./resume.mjs";

const UNFINISHED = /didn't finish before the previous session ended/;
const KEYS = {
  text: ["type", "text", "cache_control", "citations"],
  tool_use: ["type", "id", "name", "input", "cache_control", "caller"],
  tool_result: ["type", "tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["type", "thinking", "signature"],
};

/** What a strict provider would refuse in a request, without places, so that two requests can be compared. */
export function refusals(messages) {
  const bad = [];
  const uses = new Set();
  const results = new Set();
  const turns = []; // neighbours of one role merged, system messages left out
  for (const m of messages) {
    if (!["user", "assistant", "system"].includes(m.role)) bad.push(`a message of role ${m.role}`);
    const blocks = blocksOf(m.content);
    for (const b of blocks) {
      if (b.type === "text" && !String(b.text ?? "").trim()) bad.push("a blank text block");
      for (const part of [b, ...(b.type === "tool_result" ? blocksOf(b.content) : [])]) {
        for (const key of Object.keys(part)) if (KEYS[part.type] && !KEYS[part.type].includes(key)) bad.push(`a ${part.type} block with the key ${key}`);
      }
    }
    if (m.role === "system") continue;
    const last = turns.at(-1);
    last?.role === m.role ? last.blocks.push(...blocks) : turns.push({ role: m.role, blocks: [...blocks] });
  }
  if (turns[0]?.role !== "user") bad.push("the first message is not the user's");
  turns.forEach((t, k) => {
    const beside = (turn, type, key) => new Set((turn?.blocks ?? []).filter((b) => b.type === type).map((b) => b[key]));
    if (t.role === "assistant") {
      const answered = beside(turns[k + 1], "tool_result", "tool_use_id");
      for (const b of t.blocks) {
        if (b.type !== "tool_use") continue;
        if (uses.has(b.id)) bad.push(`tool_use ${b.id} twice`);
        uses.add(b.id);
        if (!answered.has(b.id)) bad.push(`tool_use ${b.id} has no result in the next message`);
      }
      return;
    }
    const asked = beside(turns[k - 1], "tool_use", "id");
    for (const b of t.blocks) {
      if (b.type !== "tool_result") continue;
      if (!asked.has(b.tool_use_id)) bad.push(`tool_result ${b.tool_use_id} answers no call before it`);
      if (results.has(b.tool_use_id)) bad.push(`tool_result ${b.tool_use_id} twice`);
      results.add(b.tool_use_id);
    }
  });
  return bad;
}

const textOf = (b) => (b.type === "text" ? b.text : b.type === "tool_result" ? blocksOf(b.content).map((c) => c.text ?? JSON.stringify(c)).join("\n") : b.type === "tool_use" ? JSON.stringify(b.input) : (b.thinking ?? b.data ?? JSON.stringify(b)));
const flat = (messages) => messages.flatMap((m, n) => blocksOf(m.content).map((b) => ({ n, role: m.role, b, text: textOf(b) })));

// The client puts a reminder or a notification that comes right behind a result into the result's text.
function unfolded(x) {
  if (x.b.type !== "tool_result") return [x];
  const [result, ...folded] = x.text.split(/\n+(?=<system-reminder>)/);
  return [{ ...x, text: result }, ...folded.map((text) => ({ ...x, b: { type: "text" }, text }))];
}

/** The characters of a request: text, tool input, tool results and reasoning. */
export const chars = (messages) => flat(messages).reduce((sum, x) => sum + x.text.length, 0);

// What the lines of a log say to the model.
const said = (e) => [e.message?.content, e.attachment?.prompt, ...[e.rendered, e.renderedInHumanTurn].flat().map((r) => r?.content)].flatMap((c) => blocksOf(c).map((b) => textOf(b).trim())).filter(Boolean);

/**
 * The characters of a request that come from the log, whose bytes are given: calls and results of the log, and texts that a line holds. Of a
 * text that the client framed it is what stands in the frame. What no line holds (folders, dates, the new prompt) is the client's own.
 */
export function charsOfLog(messages, log) {
  const entries = parseLog(log).flatMap((l) => l.entry ?? []);
  const texts = [...new Set(entries.flatMap(said))];
  const ids = new Set(entries.flatMap((e) => blocksOf(e.message?.content)).map((b) => b.id ?? b.tool_use_id));
  const held = ({ b, text }) => {
    if (b.type === "tool_use" || b.type === "tool_result") return ids.has(b.id ?? b.tool_use_id) ? text.length : 0;
    const bare = text.trim();
    if (texts.some((t) => t.includes(bare))) return text.length;
    return Math.max(0, ...texts.filter((t) => bare.includes(t)).map((t) => t.length));
  };
  return flat(messages).reduce((sum, x) => sum + held(x), 0);
}

/** How many per cent fewer `now` is than `was`. */
export const fewer = (was, now) => `${(100 * (1 - now / was)).toFixed(1)} % fewer`;

// The client's own texts of the day: folders, dates, budgets.
const fresh = (x) => (x.role === "system" || /^<system-reminder>/.test(x.text)) && !x.text.includes("<task-notification>");

// May this block read otherwise than it did? With layers beside tasks the call that carries a turn's record may lose arguments.
function mayChange(was, now, layers) {
  switch (was.b.type) {
    case "tool_use": {
      const [before, after] = [was, now].map((x) => Object.keys(x.b.input));
      return (layers ? after.every((k) => before.includes(k)) : before.every((k) => after.includes(k))) && now.text.length <= was.text.length;
    }
    case "tool_result":
      return /── COMPACTED TASK ──|^Async agent launched successfully\.\nagentId: \S+$|delegated: .*\(sessc:/.test(now.text) || (layers && /^\[Cleared by sessc, [^\n]*\]$/.test(now.text));
    case "text":
      return was.text.includes("<task-notification>") && frameOf(was.text) === frameOf(now.text);
  }
  return false;
}

const person = (x) => x.role === "user" && x.b.type === "text" && !x.text.includes("<task-notification>");

// May block i be left out with the work of a turn? Never a person's words, and of the model's no text with which it ended a turn.
function mayGo(list, i) {
  if (list[i].role !== "assistant") return list[i].b.type === "tool_result";
  if (list[i].b.type === "tool_use") return true;
  const next = list.slice(i + 1).find((x) => person(x) || x.b.type === "tool_use");
  return next !== undefined && !person(next);
}

// Walks through what was sent and what is sent now: the second is the first without the work of turns.
function walk(m, n, layers) {
  const same = (a, b) => shape(a) === shape(b) && (a.text === b.text || mayChange(a, b, layers));
  const problems = [];
  let i = 0;
  for (const [k, now] of n.entries()) {
    while (layers && i < m.length && !same(m[i], now) && mayGo(m, i)) i++;
    if (i === m.length || shape(m[i]) !== shape(now)) return [...problems, `block ${k} of what is sent is ${shape(now)}, before ${m[i] ? shape(m[i]) : "none"}`];
    if (!same(m[i], now)) problems.push(`block ${k} (${shape(now).trim()}) reads otherwise: ${JSON.stringify(now.text.slice(0, 80))}`);
    i++;
  }
  const left = m.slice(i).findIndex((_, k) => !layers || !mayGo(m, i + k));
  if (left >= 0) problems.push(`block ${i + left} of what was sent is gone: ${shape(m[i + left])}`);
  return problems;
}

const shape = (x) => `${x.role} ${x.b.type} ${x.b.id ?? x.b.tool_use_id ?? ""} ${x.b.name ?? ""} ${x.b.is_error ?? ""}`;

const frameOf = (text) => text.replace(/<result>[\s\S]*<\/result>/, "<result/>");

/** What is worse in `now` than in `was`; both come from resume(). `ids` are those of the original's lines. With `layers` the work of turns may be gone. */
export function compare(was, now, ids, layers) {
  const problems = [];
  if (was.exit === 0 && now.exit !== 0) problems.push(`the client ended with ${now.exit}: ${now.talk}`);
  if (!now.messages) return was.messages ? [...problems, "no turn was sent"] : problems;
  if (!was.messages) return problems;
  const left = refusals(was.messages);
  for (const bad of refusals(now.messages)) {
    const at = left.indexOf(bad);
    at < 0 ? problems.push(`the request would be refused: ${bad}`) : left.splice(at, 1);
  }
  const unfinished = (r) => flat(r.messages).filter((x) => UNFINISHED.test(x.text)).length;
  if (unfinished(now) > unfinished(was)) problems.push("the model is told that a task did not finish, which it was not before");
  if (now.model !== was.model) problems.push(`model ${now.model}, before ${was.model}`);
  // Below a log that ends in an open turn the client hangs a line that it makes up.
  const [hung, hangs] = [was, now].map((r) => (ids.has(r.leaf) ? r.leaf : "a line of the client's own"));
  if (hangs !== hung) problems.push(`the new turn hangs on ${hangs}, before on ${hung}`);
  if (now.compacted && !was.compacted) problems.push("the client compacts by itself");
  if (!now.kept) problems.push("the client changed bytes of the log");
  if (was.compacted) return problems; // it sent a summary for the original
  const [a, b] = [was, now].map((r) => flat(r.messages));
  const [m, n] = [a, b].map((list) => list.flatMap(unfolded).filter((x) => !fresh(x)));
  problems.push(...walk(m, n, layers));
  const [c, d] = [was, now].map((r) => chars(r.messages));
  if (d >= c) problems.push(`${d} characters are sent, before ${c}`);
  return problems;
}
