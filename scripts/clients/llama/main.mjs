// Compresses logs with sessc and a model that llama.cpp runs: --model local against the real engine. Its weights are noise, so what is
// proved is the protocol, the schema and the fallback, not prose. Started by ../run.mjs on the pinned Node.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { check } from "./check.mjs";
import { writeNoise } from "./noise.mjs";
import { serve } from "./server.mjs";
import { Report } from "../report.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const USAGE = `usage: node scripts/clients/run.mjs --client llama [options]

Compresses an OpenClaw fixture with and without --model local, against llama.cpp with random weights. Exit 1 when sessc ends badly,
asks nothing, gets an answer that breaks the schema, or writes another log than without a model.

  --sessc FILE     the program (default: $SESSC, then bin/sessc)
  --samples DIR    not used`;

const { values } = parseArgs({ options: { sessc: { type: "string", default: process.env.SESSC || join(ROOT, "bin", "sessc") }, samples: { type: "string" }, help: { type: "boolean", default: false } } });
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const work = mkdtempSync(join(tmpdir(), "sessc-llama-"));
const env = { PATH: process.env.PATH, HOME: work };

/** Runs sessc; resolves to { code, out, talk }. */
function sessc(args) {
  return new Promise((done) => {
    const child = spawn(values.sessc, args, { env, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000, killSignal: "SIGKILL" });
    let out = "";
    let talk = "";
    child.stdout.on("data", (d) => (out += d));
    child.stderr.on("data", (d) => (talk += d));
    child.on("error", (e) => done({ code: -1, out, talk: e.message }));
    child.on("close", (code, signal) => done({ code: signal ?? code, out, talk }));
  });
}

const model = join(work, "noise.gguf");
writeNoise(model);
const server = await serve(process.env.SESSC_CLIENTS_DIR, model);
const report = new Report(console.log);

const doctor = await sessc(["doctor", "--model", "local", "--endpoint", server.url]);
report.add("doctor", "llama.cpp", doctor.code === 0 && /^ok +models +noise$/m.test(doctor.out) && /^ok +model +local/m.test(doctor.out) ? [] : [`exit ${doctor.code}: ${doctor.out}${doctor.talk}`]);

// A byte is a token to this model, and a brief with its answer takes it seconds: one log and a few answers are enough.
const logs = ["demo.jsonl"];
let asked = 0;
for (const name of logs) {
  const log = join(ROOT, "fixtures", "openclaw", name);
  const flags = ["compress", "--min-saving", "0", "--spawn-tool", "delegate_task", "--spawn-tool", "subagent", "--json"];
  const code = await sessc([...flags, "--archive", join(work, "a"), "--output", join(work, `${name}.code`), log]);
  if (code.code !== 0) continue; // refused: the other clients look at that
  const before = server.calls.length;
  const told = await sessc([...flags, "--archive", join(work, "b"), "--output", join(work, `${name}.told`), "--model", "local", "--endpoint", server.url, "--max-calls", "4", "--timeout", "5m", log]);
  const calls = server.calls.slice(before);
  asked += calls.length;
  const bytes = (kind) => readFileSync(join(work, `${name}.${kind}`));
  const problems = told.code === 0 ? check(JSON.parse(told.out), calls, bytes("told").equals(bytes("code"))) : [`exit ${told.code}: ${told.talk}`];
  report.add("model", name, problems, `${calls.length} answers`);
}
if (asked < 3) report.add("model", "all logs", [`only ${asked} questions were asked`]);
await server.close();
rmSync(work, { recursive: true, force: true });
console.log(`llama.cpp: ${report.ok} ok, ${report.worse} worse, ${asked} answers`);
process.exit(report.worse ? 1 : 0);
