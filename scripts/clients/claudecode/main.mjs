// Compresses Claude Code logs with sessc and resumes original and result with the real client. Started by ../run.mjs on the pinned Node.
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { check } from "./check.mjs";
import { clientIn, conversation, parseLog } from "./resume.mjs";
import { Report, pool, program } from "../report.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const USAGE = `usage: node scripts/clients/run.mjs --client claudecode [options] [LOG...]

Compresses each log with sessc, in place, where Claude Code looks for it, and resumes original and result with the client. Exit 1
when anything is worse in the result, when sessc refuses a sound log, or when it changed no log at all.
Without LOG: all Claude Code logs in fixtures/claudecode and in the samples.

  --sessc FILE     the program (default: $SESSC, then bin/sessc)
  --samples DIR    sample logs (default: $SESSC_SAMPLES, then ../shared/samples); must exist
  --flags WORDS    further flags for compress (default: "--min-saving 0 --keep-last 4")
  --jobs N         clients at a time (default: one for each processor, at most 4)
  --keep           keep the work folder`;

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        sessc: { type: "string", default: process.env.SESSC || join(ROOT, "bin", "sessc") },
        samples: { type: "string", default: process.env.SESSC_SAMPLES || join(ROOT, "..", "shared", "samples") },
        flags: { type: "string", default: "--min-saving 0 --keep-last 4" },
        jobs: { type: "string", default: String(Math.min(4, availableParallelism())) },
        keep: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
  } catch (e) {
    return fail(e.message);
  }
}

function fail(message) {
  console.error(`clients: ${message}\n\n${USAGE}`);
  process.exit(2);
}

function logsOf(samples) {
  if (!existsSync(join(samples, "claude-code"))) fail(`no samples in ${samples}: name their folder with --samples`);
  const folder = (dir) => readdirSync(dir, { recursive: true }).map((f) => join(dir, f));
  const mit = folder(join(samples, "mit")).filter((f) => /claude-[^/]*\//.test(relative(samples, f)));
  return [...folder(join(ROOT, "fixtures", "claudecode")), ...folder(join(samples, "claude-code")), ...mit]
    .filter((f) => f.endsWith(".jsonl") && !/(^|\/)agent-[^/]*$/.test(f) && statSync(f).isFile())
    .sort();
}

const { values: opt, positionals } = options();
if (opt.help) {
  console.log(USAGE);
  process.exit(0);
}
for (const f of positionals) if (!existsSync(f)) fail(`no such file: ${f}`);
if (!existsSync(opt.sessc)) fail(`no program at ${opt.sessc}: build it with make build`);

const work = realpathSync(mkdtempSync(join(tmpdir(), "sessc-clients-")));
const started = Date.now();
const report = new Report((line) => console.log(line));
const seen = { compressed: 0, unchanged: 0, refused: 0, "no session log": 0 };
try {
  const bin = clientIn(process.env.SESSC_CLIENTS_DIR);
  const sessc = program(resolve(opt.sessc), opt.flags.split(" ").filter(Boolean), join(work, "home"));
  const files = positionals.length ? positionals.map((f) => resolve(f)) : logsOf(resolve(opt.samples));
  await pool(files.entries(), Number(opt.jobs), async ([i, file]) => {
    const name = relative(ROOT, file);
    const bytes = readFileSync(file);
    if (!conversation(parseLog(bytes)).length) {
      seen["no session log"]++;
      return;
    }
    const { state, problems, note } = await check({ bin, sessc, file, bytes, dir: join(work, String(i)), layers: /--layers/.test(opt.flags) });
    seen[state]++;
    report.add("resume", name, problems, note);
    if (!readFileSync(file).equals(bytes)) report.add("resume", name, ["the original was written to"]);
    if (!opt.keep) rmSync(join(work, String(i)), { recursive: true, force: true });
  });
  if (!seen.compressed) report.add("resume", "all logs", ["sessc changed no log: nothing was tested"]);
  const summary = Object.entries(seen).map(([k, n]) => `${n} ${k}`).join(", ");
  console.log(`clients: claude code: ${summary}; ${report.ok} checks ok, ${report.worse} worse, ${Math.round((Date.now() - started) / 1000)} s`);
} finally {
  if (opt.keep) console.log(`clients: kept ${work}`);
  else rmSync(work, { recursive: true, force: true });
}
process.exitCode = report.worse ? 1 : 0;
