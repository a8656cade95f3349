// Check "restore": a log is compressed in place, real clients work on it, and restore has to bring back the original bytes
// plus what the clients appended. Judged by bytes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLIENTS, resume, withFolder } from "./replay.mjs";
import { parseLog } from "./log.mjs";

const NEVER_COMPACTS = { window: 100_000_000, reserve: 16_384, keep: 20_000 };
const compactsTo = (keep) => ({ window: 1_100, reserve: 1_000, keep });

/**
 * Runs the three stories of one log in the folder `dir`. `sessc` is { compress(file, archive), restore(file, archive) }; each resolves to
 * an error text or null; `tokens` is the size of the compressed context. Returns { problems, note, changed }.
 */
export async function checkRestore({ sessc, model, managers, bytes, tokens, dir }) {
  const stories = { turns: appendTurns, compaction: letCompact, repair: letRepair };
  const problems = [];
  const notes = [];
  for (const [name, story] of Object.entries(stories)) {
    const place = join(dir, name);
    const cwd = join(place, "cwd");
    mkdirSync(cwd, { recursive: true });
    const file = join(place, "session.jsonl");
    const archive = join(place, "archive");
    const original = withFolder(bytes, cwd);
    writeFileSync(file, original);
    const failed = await sessc.compress(file, archive);
    if (failed) return { problems: [`compress in place failed: ${failed}`], note: "", changed: false };
    const compressed = readFileSync(file);
    if (compressed.equals(original)) return { problems: [], note: "unchanged", changed: false };
    const used = await story({ file, cwd, model, managers, tokens, original, compressed });
    if (used.skip) {
      notes.push(`${name}: ${used.skip}`);
      continue;
    }
    const worked = readFileSync(file);
    const error = await sessc.restore(file, archive);
    const found = error ? `restore failed: ${error}` : used.judge(original, compressed, worked, readFileSync(file));
    if (found) problems.push(`${name}: ${found}`);
    else notes.push(name);
  }
  return { problems, note: notes.join(", "), changed: true };
}

// Both clients resume the compressed log one after the other and take a turn each.
async function appendTurns({ file, cwd, model, original }) {
  for (const client of CLIENTS) {
    const { exit, talk } = await resume(model, client, file, cwd, NEVER_COMPACTS);
    if (exit !== 0) return failedTurn({ client, exit, talk, cwd, model, original });
  }
  return { judge: (original, compressed, worked, restored) => sameWithSuffix(original, suffixOf(compressed, worked), restored) };
}

// A client that cannot work on the original either says nothing about restore.
async function failedTurn({ client, exit, talk, cwd, model, original }) {
  const file = join(cwd, "original.jsonl");
  writeFileSync(file, original);
  const was = await resume(model, client, file, cwd, NEVER_COMPACTS);
  if (was.exit !== 0) return { skip: `${client} fails on the original as well` };
  return { judge: () => `${client} ended with ${exit}: ${talk}` };
}

// The client compacts the older half on its own. Its pointer to the first entry it keeps may name a mask, and then has to be re-pointed.
async function letCompact({ file, cwd, model, tokens, original, compressed }) {
  const { exit, talk } = await resume(model, "pi", file, cwd, compactsTo(Math.ceil(tokens / 2)));
  if (exit !== 0) return failedTurn({ client: "pi", exit, talk, cwd, model, original });
  const added = suffixOf(compressed, readFileSync(file));
  if (!added?.includes('"type":"compaction"')) return { skip: "the client found nothing to compact" };
  return {
    judge(original, before, worked, restored) {
      const suffix = suffixOf(before, worked);
      if (!sameWithSuffix(original, suffix, restored)) return null;
      const masks = new Set(parseLog(before).filter((l) => l.entry?.sessc).map((l) => l.entry.id));
      const ids = new Set(parseLog(original).map((l) => l.entry?.id));
      if (!restored.subarray(0, original.length).equals(original)) return "the original bytes are not back";
      const want = parseLog(suffix);
      const got = parseLog(restored.subarray(original.length));
      if (got.length !== want.length) return `${got.length} appended lines instead of ${want.length}`;
      for (const [i, line] of got.entries()) {
        if (line.raw === want[i].raw) continue;
        const from = want[i].entry?.firstKeptEntryId;
        const to = line.entry?.firstKeptEntryId;
        if (!masks.has(from) || !ids.has(to) || line.raw.replace(to, from) !== want[i].raw) return `appended line ${i + 1} was changed beyond its pointer to a mask`;
      }
      return null;
    },
  };
}

// OpenClaw's repair pass rewrites lines that were kept. Restore has to put back every removed line and leave the foreign changes in place.
async function letRepair({ file, managers, compressed }) {
  const repaired = await managers.request("repair", file);
  if (repaired.error) return { skip: repaired.error };
  const after = readFileSync(file);
  if (after.equals(compressed)) return { skip: "the repair pass had nothing to do" };
  return {
    judge(original, before, worked, restored) {
      const kept = new Set(parseLog(before).map((l) => l.raw));
      const foreign = parseLog(worked).filter((l) => !kept.has(l.raw));
      const want = parseLog(original);
      const got = new Set(parseLog(restored).map((l) => l.raw));
      const touched = new Set(foreign.map((l) => l.entry?.id));
      // What the client itself dropped stays dropped.
      const left = new Set(parseLog(worked).map((l) => l.raw));
      const dropped = (l) => kept.has(l.raw) && !left.has(l.raw);
      const gone = want.find((l) => l.raw.trim() !== "" && l.entry && !got.has(l.raw) && !touched.has(l.entry.id) && !dropped(l));
      if (gone) return `line ${gone.number} of the original is not back`;
      const lost = foreign.find((l) => !got.has(l.raw) && !l.entry?.sessc);
      return lost ? `the client's own change of ${lost.entry?.id} was lost` : null;
    },
  };
}

function suffixOf(compressed, worked) {
  return worked.subarray(0, compressed.length).equals(compressed) ? worked.subarray(compressed.length) : null;
}

function sameWithSuffix(original, suffix, restored) {
  if (!suffix) return "the client changed lines that were there";
  if (restored.equals(Buffer.concat([original, suffix]))) return null;
  return restored.subarray(0, original.length).equals(original) ? "what the clients appended differs" : "the original bytes are not back";
}
