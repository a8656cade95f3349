// Compresses session logs with sessc and checks each pair in the real clients. Started by ../run.mjs on the pinned Node.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CHECKS, Clients } from "./checks.mjs";
import { header, parentCycle, parseLog } from "./log.mjs";
import { Report, program } from "../report.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const USAGE = `usage: node scripts/clients/run.mjs [options] [LOG...]
       node scripts/clients/run.mjs --pair ORIGINAL COMPRESSED

Compresses each log with sessc and lets the real clients read original and result. Exit 1 when anything is
worse in the result, when sessc refuses a sound log, or when it changed no log at all.
Without LOG: all session logs in fixtures/openclaw and in the samples.

  --sessc FILE     the program (default: $SESSC, then bin/sessc)
  --samples DIR    sample logs (default: $SESSC_SAMPLES, then ../shared/samples); must exist
  --flags WORDS    further flags for compress (default: "--min-saving 0 --keep-last 4")
  --check NAMES    some of ${CHECKS.join(",")} (default: all)
  --jobs N         clients at a time (default 2)
  --keep           keep the work folder`;

function options() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        sessc: { type: "string", default: process.env.SESSC || join(ROOT, "bin", "sessc") },
        samples: { type: "string", default: process.env.SESSC_SAMPLES || join(ROOT, "..", "shared", "samples") },
        flags: { type: "string", default: "--min-saving 0 --keep-last 4" },
        check: { type: "string", default: CHECKS.join(",") },
        jobs: { type: "string", default: "2" },
        keep: { type: "boolean", default: false },
        pair: { type: "boolean", default: false },
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
  if (!existsSync(join(samples, "openclaw"))) fail(`no samples in ${samples}: name their folder with --samples`);
  const folder = (dir) => (existsSync(dir) ? readdirSync(dir, { recursive: true }).map((f) => join(dir, f)) : []);
  const files = [...folder(join(ROOT, "fixtures", "openclaw")), ...folder(join(samples, "openclaw")), join(samples, "mit", "pi-large-session.jsonl")];
  return files.filter((f) => f.endsWith(".jsonl") && !f.endsWith(".want.jsonl") && statSync(f).isFile()).sort();
}

// Logs that sessc may refuse: those that no rewrite can be checked on, or that loading itself rewrites.
function refusable(lines) {
  if (header(lines).version !== 3) return `version ${header(lines).version}`;
  const cycle = parentCycle(lines);
  return cycle ? `parent cycle at ${cycle}` : null;
}

async function makePairs(files, sessc, work, report) {
  const pairs = [];
  const seen = { compressed: 0, unchanged: 0, refused: 0, "no session log": 0 };
  for (const [i, file] of files.entries()) {
    const name = relative(ROOT, file);
    const bytes = readFileSync(file);
    const lines = parseLog(bytes);
    if (!header(lines)) {
      seen["no session log"]++;
      continue;
    }
    const output = join(work, "output", `${i}-${basename(file)}`);
    const error = await sessc.compress(file, join(work, "archive"), output);
    if (!readFileSync(file).equals(bytes)) report.add("compress", name, ["sessc wrote to the original although --output was given"]);
    if (error) {
      const why = refusable(lines);
      seen.refused++;
      report.add("compress", name, why ? [] : [`refused: ${error}`], why ? `refused, rightly: ${why}` : "");
      continue;
    }
    const result = existsSync(output) ? readFileSync(output) : bytes;
    if (result.equals(bytes)) {
      seen.unchanged++;
      report.add("compress", name, [], "unchanged: same bytes");
      continue;
    }
    seen.compressed++;
    report.add("compress", name, [], `${bytes.length} -> ${result.length} bytes`);
    pairs.push({ name, before: { file, bytes }, after: { file: output, bytes: result } });
  }
  return { pairs, seen };
}

const { values: opt, positionals } = options();
if (opt.help) {
  console.log(USAGE);
  process.exit(0);
}
const wanted = opt.check.split(",").filter((c) => !opt.pair || c !== "restore");
for (const c of wanted) if (!CHECKS.includes(c)) fail(`no check is called ${c}`);
for (const f of positionals) if (!existsSync(f)) fail(`no such file: ${f}`);
if (opt.pair && positionals.length !== 2) fail("--pair takes two logs");
if (!opt.pair && !existsSync(opt.sessc)) fail(`no program at ${opt.sessc}: build it with make build`);

const work = mkdtempSync(join(tmpdir(), "sessc-clients-"));
mkdirSync(join(work, "output"));
mkdirSync(join(work, "home"));
const started = Date.now();
const report = new Report((line) => console.log(line));
const clients = await Clients.start();
try {
  const sessc = program(resolve(opt.sessc), opt.flags.split(" ").filter(Boolean), join(work, "home"));
  let pairs;
  let summary;
  if (opt.pair) {
    const [before, after] = positionals.map((file) => ({ file, bytes: readFileSync(file) }));
    pairs = [{ name: basename(after.file), before, after }];
    summary = "1 pair";
  } else {
    const files = positionals.length ? positionals.map((f) => resolve(f)) : logsOf(resolve(opt.samples));
    const made = await makePairs(files, sessc, work, report);
    pairs = made.pairs;
    summary = Object.entries(made.seen).map(([k, n]) => `${n} ${k}`).join(", ");
    if (!pairs.length) report.add("compress", "all logs", ["sessc changed no log: nothing was tested"]);
  }
  await clients.check(pairs, { wanted, report, sessc, work, jobs: Number(opt.jobs) });
  console.log(`clients: ${summary}; ${report.ok} checks ok, ${report.worse} worse, ${Math.round((Date.now() - started) / 1000)} s`);
} finally {
  clients.close();
  if (opt.keep) console.log(`clients: kept ${work}`);
  else rmSync(work, { recursive: true, force: true });
}
process.exitCode = report.worse ? 1 : 0;
