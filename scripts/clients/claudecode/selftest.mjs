// Shows that the checks can fail: every pair below but the first is broken on purpose, and the check has to say so.
// Started by ../selftest.mjs on the pinned Node.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { charsOfLog, compare } from "./compare.mjs";
import { compressed, encode, original } from "./craft.mjs";
import { clientIn, place, resume } from "./resume.mjs";
import { pool } from "../report.mjs";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const bin = clientIn(process.env.SESSC_CLIENTS_DIR);
const work = realpathSync(mkdtempSync(join(tmpdir(), "sessc-selftest-")));

// Applies a change to the parsed compressed log; the children of a line that it removes hang on its parent.
function broken(change) {
  const list = compressed();
  const parents = new Map(list.map((e) => [e.uuid, e.parentUuid]));
  const changed = change(list) ?? list;
  const left = new Set(changed.map((e) => e.uuid));
  for (const e of changed) while (e.parentUuid && !left.has(e.parentUuid) && parents.has(e.parentUuid)) e.parentUuid = parents.get(e.parentUuid);
  return encode(changed);
}

const holds = (list, words) => list.find((e) => JSON.stringify(e).includes(words));
const answer = (list) => holds(list, '"tool_use_id":"toolu_a"').message.content[0];
const told = (list) => list.find((e) => e.origin);
const last = (list) => list.at(-1);

// Each row: what is wrong, the broken log, what has to be said.
const PAIRS = [
  ["a result that is blank", broken((l) => void (answer(l).content = [{ type: "text", text: " " }])), /blank text|reads otherwise/],
  ["a result that is gone", broken((l) => l.filter((e) => e !== holds(l, '"tool_use_id":"toolu_a"'))), /is gone|, before/],
  ["a result of another call", broken((l) => void (answer(l).tool_use_id = "toolu_other")), /, before/],
  ["a result with other words", broken((l) => void (answer(l).content = "It went well.")), /reads otherwise/],
  ["a call with more words than before", broken((l) => void (holds(l, '"id":"toolu_a"').message.content[0].input.prompt = "word ".repeat(2000))), /reads otherwise/],
  ["a call without an argument that it had", broken((l) => void delete holds(l, '"id":"toolu_a"').message.content[0].input.subagent_type), /reads otherwise/],
  ["a call with another name", broken((l) => void (holds(l, '"id":"toolu_a"').message.content[0].name = "Read")), /, before/],
  ["a marker inside a block", broken((l) => void (answer(l).content[0].sessc = { v: 1 })), /with the key sessc/],
  ["a marker inside a result", broken((l) => void (answer(l).sessc = { v: 1 })), /with the key sessc/],
  ["a notification that is gone", broken((l) => l.filter((e) => e !== told(l))), /did not finish/],
  ["a notification without its frame", broken((l) => void (told(l).message.content = "done")), /did not finish/],
  ["a notification of another status", broken((l) => void (told(l).message.content = told(l).message.content.replace("completed", "failed"))), /reads otherwise/],
  ["a human text changed", broken((l) => void (holds(l, "Then rest.").message.content = "Then rest!")), /reads otherwise/],
  ["a human text gone", broken((l) => l.filter((e) => e !== holds(l, "And what is next?"))), /, before/],
  ["an answer changed", broken((l) => void (holds(l, "Nothing is open.").message.content[0].text = "All is open.")), /reads otherwise/],
  ["another leaf", broken((l) => l.slice(0, -2)), /hangs on/],
  ["another model", broken((l) => void (last(l).message.model = "claude-haiku-4-5-20251001")), /model /],
  ["history cut off", broken((l) => void (holds(l, "And what is next?").parentUuid = null)), /, before/],
  ["a line without a time", broken((l) => void l.forEach((e) => delete e.timestamp)), /ended with|no turn/],
  ["not smaller", encode(original()), /characters are sent/],
];

// Each row: a fault of the program, the exit code of a whole run, what it has to print.
const RUNS = [
  ["none", 0, /0 worse/],
  ["refuse", 1, /refused: exit 1/],
  ["nothing", 1, /changed no log/],
  ["new-time", 1, /time was not kept/],
  ["touch-beside", 1, /beside the log was changed/],
  ["refuse-restore", 1, /restore failed/],
  ["lose-suffix", 1, /are not back/],
  ["wrong-byte", 1, /are not back/],
];

let passed = 0;
let failed = 0;
function expect(name, good, said) {
  good ? passed++ : failed++;
  console.log(`${good ? "ok    " : "FAILED"} ${name}`);
  if (!good) console.log(said.replace(/^/gm, "       "));
}

let runs = 0;
const resumed = (bytes) => {
  const dir = join(work, `run-${runs++}`);
  return resume(bin, place(bytes, join(work, "log.jsonl"), dir));
};

try {
  const ids = new Set(original().map((e) => e.uuid));
  const was = await resumed(encode(original()));
  const sound = compare(was, await resumed(encode(compressed())), ids);
  expect("a sound pair passes", was.messages && !sound.length, sound.join("\n") || was.talk);
  const own = charsOfLog(was.messages, encode(original()));
  const more = [...was.messages, { role: "user", content: [{ type: "text", text: "a text of the client" }, { type: "tool_result", tool_use_id: "toolu_new", content: "x" }] }];
  const framed = [...was.messages, { role: "user", content: "<frame>Then rest.</frame>" }];
  expect("of a request only what a line holds is from the log", own > 0 && charsOfLog(more, encode(original())) === own && charsOfLog(framed, encode(original())) === own + "Then rest.".length, `${own} characters`);
  await pool(PAIRS, 2, async ([name, bytes, words]) => {
    const said = compare(was, await resumed(bytes), ids).join("\n");
    expect(name, words.test(said), said || "nothing was said");
  });
  const log = join(work, "run.jsonl");
  writeFileSync(log, encode(original()));
  for (const [fault, code, words] of RUNS) {
    const file = join(work, `sessc-${fault}`);
    writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${join(HERE, "fake-sessc.mjs")}" ${fault} "$@"\n`);
    chmodSync(file, 0o755);
    const r = spawnSync(process.execPath, [join(HERE, "main.mjs"), "--sessc", file, log], { encoding: "utf8" });
    expect(`a run with the fault ${fault} ends with ${code}`, r.status === code && words.test(r.stdout), r.stdout + r.stderr);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`clients self-test: claude code: ${passed} as wanted, ${failed} not`);
process.exitCode = failed ? 1 : 0;
