// Shows that the checks can fail: every pair below but the first is broken on purpose, and the check named has to say so.
// Started by ../selftest.mjs on the pinned Node.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Clients } from "./checks.mjs";
import { craftCompressed, craftLog } from "./craft.mjs";
import { parseLog } from "./log.mjs";
import { Report } from "../report.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const USAGE = 60_000;
const original = craftLog(USAGE);
const { bytes: sound, masks } = craftCompressed(original);

const entries = (bytes) => parseLog(bytes).map((l) => l.entry);
const encode = (list) => Buffer.from(`${list.map((e) => (typeof e === "string" ? e : JSON.stringify(e))).join("\n")}\n`);

// Applies a change to the parsed compressed log; children of an entry that the change removes hang on its parent.
function broken(change) {
  const list = entries(sound);
  const parents = new Map(list.map((e) => [e.id, e.parentId]));
  const changed = change(list) ?? list;
  const left = new Set(changed.map((e) => e.id));
  for (const e of changed) while (e.parentId && !left.has(e.parentId) && parents.has(e.parentId)) e.parentId = parents.get(e.parentId);
  return encode(changed);
}

const at = (list, id) => list.find((e) => e.id === id);
const mask = (list) => at(list, masks[1]);
const human = (list, text) => list.find((e) => e.message?.role === "user" && e.message.content[0].text === text);
const last = (list) => list.at(-1);

// Each row: what is wrong, the broken log, the check that has to report it, and what it has to say.
const PAIRS = [
  ["a result without its call", broken((l) => l.filter((e) => e !== at(l, mask(l).parentId))), "context", /has no call/],
  ["a call without its result", broken((l) => void (mask(l).message.toolCallId = "call_other")), "context", /has no result before/],
  ["a repeated id that closes a cycle", broken((l) => void (mask(l).id = mask(l).parentId)), "context", /parent cycle/],
  ["a repeated id", broken((l) => void (l[1].id = l[2].id)), "context", /duplicate id/],
  ["a parent that is gone", encode(entries(sound).map((e) => (e.id === masks[0] ? { ...e, parentId: "gone" } : e))), "context", /dangling link/],
  ["another leaf", broken((l) => l.slice(0, -1)), "context", /active leaf/],
  ["another leaf, in the client", broken((l) => l.slice(0, -1)), "replay pi", /hangs on/],
  ["another model", broken((l) => void (last(l).message.model = "m2")), "context", /model /],
  ["another thinking level", broken((l) => void (l[2].thinkingLevel = "high")), "context", /thinking level/],
  ["a human text gone", broken((l) => l.filter((e) => e !== human(l, "Then rest."))), "context", /human text is gone/],
  ["a human text gone, in the request", broken((l) => l.filter((e) => e !== human(l, "Then rest."))), "replay pi-legacy", /human text is not sent/],
  ["a human text changed", broken((l) => void (human(l, "Then rest.").message.content[0].text = "Then rest!")), "replay pi", /human text is not sent/],
  ["human texts swapped", broken((l) => void ([human(l, "Then rest.").message, human(l, "And what is next?").message] = [human(l, "And what is next?").message, human(l, "Then rest.").message])), "context", /out of order/],
  ["a human text gone that reads like a completion", broken((l) => l.filter((e) => !e.message?.content[0]?.text?.includes("A joke"))), "context", /human text is gone/],
  ["a metadata line gone", broken((l) => l.filter((e) => e.type !== "custom")), "context", /of the original is gone: custom/],
  ["a kept line encoded anew", Buffer.from(sound.toString().replace('{"type":"thinking_level_change"', '{ "type":"thinking_level_change"')), "context", /neither an original line/],
  ["a mask in the user's role", broken((l) => void (mask(l).message = { role: "user", content: "done", timestamp: mask(l).message.timestamp })), "context", /are both user|has no result before/],
  ["a mask beside an assistant message", broken((l) => (Object.assign(mask(l).message, { role: "assistant", content: [{ type: "text", text: "done" }], api: "a", provider: "local", model: "m1", usage: last(l).message.usage, stopReason: "stop" }), l.filter((e) => e.id !== mask(l).parentId))), "context", /are both assistant/],
  ["a mask larger than what it replaces", broken((l) => void (mask(l).message.content[0].text += "word ".repeat(20_000))), "context", /context tokens as the client estimates/],
  ["a mask that the strict reader drops", broken((l) => void delete mask(l).message.isError), "context", /dropped by the strict reader/],
  ["a mask that the repair pass rewrites", broken((l) => void (human(l, "Then rest.").message.content[0].text = " ")), "context", /repair pass/],
  ["assistant content that is a string", broken((l) => void (last(l).message.content = "Good night.")), "replay pi", /ended with/],
  ["a line that is no JSON", Buffer.from(sound.toString().replace('"type":"custom"', '"type":"custom')), "import", /lines are not stored|transcript_malformed/],
  ["stale usage", stale(), "context", /assumes from recorded usage/],
  ["stale usage, in pi 1.6.0", stale(), "replay pi", /compacts by itself/],
  ["stale usage, in pi 0.73.1", stale(), "replay pi-legacy", /compacts by itself/],
];

function stale() {
  return broken((l) => void (last(l).message.usage.totalTokens = USAGE));
}

// Each row: a fault of the program, what the check "restore" has to say.
const RESTORES = [
  ["none", null],
  ["nothing", /nothing was changed/],
  ["refuse", /compress in place failed/],
  ["refuse-restore", /restore failed/],
  ["lose-suffix", /appended differs/],
  ["wrong-byte", /original bytes are not back/],
  ["wrong-pointer", /changed beyond its pointer/],
  ["lose-foreign", /own change of/],
  ["lose-removed", /repair: line \d+ of the original is not back/],
];

// Each row: a fault of the program, the exit code of a whole run, what it has to print.
const RUNS = [
  ["none", 0, /0 worse/],
  ["refuse", 1, /refused: exit 1/],
  ["nothing", 1, /changed no log/],
  ["touch-original", 1, /wrote to the original/],
];

const work = mkdtempSync(join(tmpdir(), "sessc-selftest-"));
let passed = 0;
let failed = 0;
function expect(name, good, said) {
  good ? passed++ : failed++;
  console.log(`${good ? "ok    " : "FAILED"} ${name}`);
  if (!good) console.log(said.replace(/^/gm, "       "));
}

function fake(fault) {
  const file = join(work, `sessc-${fault}`);
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(HERE, "fake-sessc.mjs")}" ${fault} "$@"\n`);
  chmodSync(file, 0o755);
  return file;
}

function asProgram(fault) {
  const run = (args) => {
    const r = spawnSync(fake(fault), args, { encoding: "utf8" });
    return r.status === 0 ? null : r.stderr.trim();
  };
  return { compress: (file, archive) => run(["compress", "--archive", archive, file]), restore: (file, archive) => run(["restore", "--archive", archive, file]) };
}

const clients = await Clients.start();
async function outcome(bytes, check, more = {}) {
  const before = { file: join(work, "before.jsonl"), bytes: original };
  const after = { file: join(work, "after.jsonl"), bytes };
  for (const side of [before, after]) writeFileSync(side.file, side.bytes);
  const said = [];
  const report = new Report((line) => said.push(line));
  await clients.check([{ name: "pair", before, after }], { wanted: [check.split(" ")[0]], report, work, ...more });
  // A line of the check itself opens its block; the problems follow it.
  const text = said.join("\n");
  const own = text.split(/\n(?=ok |WORSE)/).filter((block) => block.slice(6).startsWith(`${check} `.padEnd(17)));
  return { worse: own.some((block) => block.startsWith("WORSE")), said: own.join("\n"), all: text };
}

try {
  for (const check of ["context", "import", "replay pi", "replay pi-legacy"]) {
    const { worse, all } = await outcome(sound, check);
    expect(`a sound pair passes: ${check}`, !worse && all !== "", all);
  }
  for (const [name, bytes, check, words] of PAIRS) {
    const { worse, said, all } = await outcome(bytes, check);
    expect(`${name}: ${check}`, worse && words.test(said), all);
  }
  for (const [fault, words] of RESTORES) {
    const dir = join(work, `restore-${fault}`);
    mkdirSync(dir);
    const { worse, said, all } = await outcome(sound, "restore", { sessc: asProgram(fault), work: dir });
    expect(`restore with the fault ${fault}`, words ? worse && words.test(said) : !worse && /turns, compaction, repair/.test(said), all);
  }
  const log = join(work, "run.jsonl");
  for (const [fault, code, words] of RUNS) {
    writeFileSync(log, original);
    const r = spawnSync(process.execPath, [join(HERE, "main.mjs"), "--sessc", fake(fault), "--check", "context,restore", log], { encoding: "utf8" });
    expect(`a run with the fault ${fault} ends with ${code}`, r.status === code && words.test(r.stdout), r.stdout + r.stderr);
  }
} finally {
  clients.close();
  rmSync(work, { recursive: true, force: true });
}
console.log(`clients self-test: ${passed} as wanted, ${failed} not`);
process.exitCode = failed ? 1 : 0;
