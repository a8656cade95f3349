// Worker process: loads logs through the session managers of pi 1.6.0, pi 0.73.1 and OpenClaw 2026.7.35 and tells what they made of them.
// The managers stay loaded between requests. They run here and not in the caller because a loader may never return.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { assumedTokens, generousTokens, outline, pairingProblems } from "./log.mjs";

const MODULES = join(process.env.SESSC_CLIENTS_DIR, "node_modules");
const load = (...path) => import(pathToFileURL(join(MODULES, ...path)).href);

// OpenClaw ships its helpers in bundles with hashed file names and shortened export names; the trailing export list still has the original names.
async function hidden(prefix, names) {
  const dist = join(MODULES, "openclaw", "dist");
  for (const file of readdirSync(dist).filter((f) => f.startsWith(prefix) && f.endsWith(".js"))) {
    const source = readFileSync(join(dist, file), "utf8");
    const exports = source.slice(source.lastIndexOf("export {"));
    const found = names.map((n) => new RegExp(`\\b${n}(?: as (\\w+))?\\b`).exec(exports));
    if (!found.every(Boolean)) continue;
    const mod = await load("openclaw", "dist", file);
    return Object.fromEntries(names.map((n, i) => [n, mod[found[i][1] ?? n]]));
  }
  throw new Error(`OpenClaw's ${names.join(", ")} not found: is its version still the pinned one?`);
}

const [pi, piLegacy, openclaw, { repairSessionFileIfNeeded }, { readTranscriptFileState }, guards] = await Promise.all([
  load("@earendil-works", "pi-coding-agent", "dist", "index.js"),
  load("pi-legacy", "dist", "index.js"),
  load("openclaw", "dist", "plugin-sdk", "agent-sessions.js"),
  hidden("session-manager-", ["repairSessionFileIfNeeded"]),
  hidden("transcript-rewrite-", ["readTranscriptFileState"]),
  hidden("session-transcript-repair-", ["sanitizeToolCallInputs", "repairToolUseResultPairing"]),
]);

function open(mod, file) {
  const manager = mod.SessionManager.open(file);
  const context = manager.buildSessionContext();
  const messages = context.messages;
  return {
    messages,
    facts: {
      leaf: manager.getLeafId(),
      entries: manager.getEntries().length,
      roots: manager.getTree().length,
      model: context.model,
      thinkingLevel: context.thinkingLevel,
      outline: outline(messages),
      pairing: pairingProblems(messages),
      estimated: messages.reduce((n, m) => n + (mod.estimateTokens(m) || 0), 0),
      generous: generousTokens(messages),
      assumed: assumedTokens(messages, mod.estimateTokens),
      sent: mod.convertToLlm(messages).length,
    },
  };
}

// The file-backed OpenClaw repairs the file before each turn, reads it again with a strict reader before compactions and
// rewrites, and guards call/result pairs on replay. Each says by counts how much it had to change.
async function openOpenClaw(file) {
  const repair = await repairCounts(file);
  const { messages, facts } = open(openclaw, file);
  const strict = await readTranscriptFileState(file);
  const checked = guards.sanitizeToolCallInputs(messages);
  const paired = guards.repairToolUseResultPairing(checked);
  facts.counts = {
    ...repair,
    "entries dropped by the strict reader": facts.entries - strict.getEntries().length,
    "messages the strict reader does not show": messages.length - strict.buildSessionContext().messages.length,
    "calls dropped by the input guard": messages.length - checked.length,
    "results made up by the pairing guard": paired.added.length,
    "orphan results dropped by the pairing guard": paired.droppedOrphanCount,
    "repeated results dropped by the pairing guard": paired.droppedDuplicateCount,
    "messages moved or changed by the pairing guard": paired.messages.filter((m, i) => JSON.stringify(m) !== JSON.stringify(checked[i])).length,
  };
  return facts;
}

async function repairCounts(file) {
  const r = await repairSessionFileIfNeeded({ sessionFile: file, warn: () => {} });
  if (r.reason && !r.repaired) throw new Error(`OpenClaw's repair pass refuses the file: ${r.reason}`);
  const counts = {};
  for (const k of ["droppedLines", "rewrittenAssistantMessages", "rewrittenUserMessages", "removedCorruptedImageBlocks", "insertedToolResults"]) counts[`repair pass: ${k}`] = r[k] ?? 0;
  return counts;
}

const REQUESTS = {
  pi: (file) => open(pi, file).facts,
  "pi-legacy": (file) => open(piLegacy, file).facts,
  openclaw: openOpenClaw,
};

// Clients rewrite files that they do not like, so each gets a copy of its own.
async function onCopy(file, fn) {
  const dir = mkdtempSync(join(tmpdir(), "sessc-managers-"));
  const copy = join(dir, "session.jsonl");
  try {
    copyFileSync(file, copy);
    const original = readFileSync(copy);
    const facts = await fn(copy);
    facts.rewritten = !existsSync(copy) || !original.equals(readFileSync(copy));
    return facts;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

// What the clients print belongs to nobody here; the channel to the caller is not the terminal.
for (const k of ["log", "info", "warn", "error", "debug"]) console[k] = () => {};
process.on("message", async ({ id, op, file }) => {
  try {
    const value = op === "repair" ? await repairCounts(file) : await onCopy(file, REQUESTS[op]);
    process.send({ id, value });
  } catch (e) {
    process.send({ id, error: String(e?.message ?? e) });
  }
});
process.send({ ready: true });
