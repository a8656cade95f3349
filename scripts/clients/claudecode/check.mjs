// One log: the client resumes the original; sessc compresses a copy in place; the client resumes that; sessc restores it.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { chars, charsOfLog, compare, fewer } from "./compare.mjs";
import { parseLog, place, resume } from "./resume.mjs";

/** Below `dir`, with `sessc` as program() of ../report.mjs gives it. Resolves to { state, problems, note }. */
export async function check({ bin, sessc, file, bytes, dir, layers }) {
  const [before, after] = [place(bytes, file, join(dir, "before")), place(bytes, file, join(dir, "after"))];
  const archive = join(dir, "archive");
  const beside = others(after);
  const { mtimeMs } = statSync(after.file);
  const error = await sessc.compress(after.file, archive);
  if (error) return { state: "refused", problems: [`refused: ${error}`], note: "" };
  const compressed = readFileSync(after.file);
  const problems = [];
  if (others(after) !== beside) problems.push("a file beside the log was changed");
  if (compressed.equals(bytes)) return { state: "unchanged", problems, note: "unchanged: same bytes" };
  if (Math.abs(statSync(after.file).mtimeMs - mtimeMs) > 1000) problems.push("the log's time was not kept: the client deletes logs by age");
  const was = await resume(bin, before);
  const now = await resume(bin, after);
  const ids = new Set(parseLog(bytes).map((l) => l.entry?.uuid).filter(Boolean));
  problems.push(...compare(was, now, ids, layers));
  problems.push(...(await fullContext(bin, bytes, compressed, file, dir)));
  const failed = await sessc.restore(after.file, archive);
  if (failed) problems.push(`restore failed: ${failed}`);
  else if (!readFileSync(after.file).equals(Buffer.concat([bytes, now.suffix]))) problems.push("restore: the original bytes and what the client appended are not back");
  if (others(after) !== beside) problems.push("a file beside the log was changed");
  const note = was.messages && now.messages ? sizes({ bytes, messages: was.messages }, { bytes: compressed, messages: now.messages }) : `the client sends nothing for the original either: ${was.talk.slice(0, 60)}`;
  return { state: "compressed", problems, note };
}

// What became smaller: the file, the request, and what of the request comes from the log.
function sizes(was, now) {
  const [all, own] = [chars, charsOfLog].map((count) => [was, now].map((r) => count(r.messages, r.bytes)));
  const line = ([before, after], what) => `${before} -> ${after} ${what} (${fewer(before, after)})`;
  return `${was.bytes.length} -> ${now.bytes.length} bytes, ${line(all, "characters sent")}, ${line(own, "of them from the log")}`;
}

// Without its own compaction the client refuses to go on from a log whose recorded context is near the limit.
async function fullContext(bin, bytes, compressed, file, dir) {
  const recorded = Math.max(...[...bytes.toString().matchAll(/"cache_read_input_tokens":(\d+)/g)].map((m) => Number(m[1])), 0);
  if (recorded < 150_000) return [];
  const env = { DISABLE_AUTO_COMPACT: "1" };
  const was = await resume(bin, place(bytes, file, join(dir, "full-before")), env);
  const now = await resume(bin, place(compressed, file, join(dir, "full-after")), env);
  if (was.messages && !now.messages) return [`with a full context the client goes on from the original, not from the result: ${now.talk}`];
  if (!now.messages) return [`the client takes the context for full although much was removed: ${now.talk}`];
  return [];
}

// The names and sizes of all that lies in the project's folder but the log.
function others({ file, project }) {
  return readdirSync(project, { recursive: true })
    .map((f) => join(project, f))
    .filter((f) => f !== file && statSync(f).isFile() && !f.endsWith(".tmp"))
    .map((f) => `${f}:${readFileSync(f).length}`)
    .sort()
    .join("\n");
}
