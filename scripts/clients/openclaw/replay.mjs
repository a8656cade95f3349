// Check "replay": the real pi command line resumes original and compressed log against a fake model on 127.0.0.1.
// Nothing leaves the machine: own HOME and configuration, offline switches on, the only provider is the fake one.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { contentText, fairSize, header, missingText, parseLog, requestProblems } from "./log.mjs";
import { humanTexts } from "./context.mjs";

const MODULES = join(process.env.SESSC_CLIENTS_DIR, "node_modules");
const PACKAGES = { pi: "@earendil-works/pi-coding-agent", "pi-legacy": "pi-legacy" };
const RUN_MS = 90_000;
const PROMPT = "ping";
const ANSWER = "ack";

// The clients' own settings at a usual window; the tight run makes compaction possible on small contexts too.
const USUAL = { window: 200_000, reserve: 16_384, keep: 20_000 };
const ROOMY = { ...USUAL, window: 100_000_000 };
const tight = (tokens) => ({ window: tokens + 1_024, reserve: 1_024, keep: 1 });

/** The command line clients, by name. */
export const CLIENTS = Object.keys(PACKAGES);

/** A model that answers every request with one word. Requests are kept by the run they belong to. */
export class FakeModel {
  #requests = new Map();
  #server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8");
    req.on("data", (c) => (body += c));
    req.on("end", () => {
      const run = /^\/(\d+)\//.exec(req.url)?.[1];
      this.#requests.get(run)?.push(JSON.parse(body));
      const chunk = (choice, more) => `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m1", choices: [{ index: 0, ...choice }], ...more })}\n\n`;
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write(chunk({ delta: { role: "assistant", content: ANSWER }, finish_reason: null }));
      res.write(chunk({ delta: {}, finish_reason: "stop" }, { usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } }));
      res.end("data: [DONE]\n\n");
    });
  });
  #runs = 0;

  async listen() {
    await new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  /** A base URL for one run, and the list that its requests will be in. */
  open() {
    const run = String(++this.#runs);
    const requests = [];
    this.#requests.set(run, requests);
    return { url: `http://127.0.0.1:${this.#server.address().port}/${run}/v1`, requests };
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** The bytes of a log with the folder `cwd` in its header: pi refuses to resume where the recorded folder does not exist. */
export function withFolder(bytes, cwd) {
  const lines = parseLog(bytes);
  const end = bytes.indexOf(10);
  return Buffer.concat([Buffer.from(JSON.stringify({ ...header(lines), cwd })), end < 0 ? Buffer.alloc(0) : bytes.subarray(end)]);
}

/** Lets a client resume the log `file` in place and take one turn. `setup` is { window, reserve, keep } in tokens. */
export async function resume(model, client, file, cwd, setup) {
  const home = mkdtempSync(join(tmpdir(), "sessc-pi-"));
  const config = join(home, "agent");
  const { url, requests } = model.open();
  try {
    mkdirSync(config);
    const fake = { id: "m1", name: "m1", contextWindow: setup.window, maxTokens: 1000, input: ["text", "image"] };
    writeFileSync(join(config, "models.json"), JSON.stringify({ providers: { fake: { baseUrl: url, apiKey: "none", api: "openai-completions", models: [fake] } } }));
    writeFileSync(join(config, "settings.json"), JSON.stringify({ compaction: { enabled: true, reserveTokens: setup.reserve, keepRecentTokens: setup.keep } }));
    const dir = join(MODULES, PACKAGES[client]);
    const cli = join(dir, JSON.parse(readFileSync(join(dir, "package.json"), "utf8")).bin.pi);
    const env = { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: config, PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1", NO_COLOR: "1" };
    const args = [cli, "--print", "--session", file, "--model", "fake/m1", "--no-tools", "--no-extensions", "--no-skills", PROMPT];
    const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"], timeout: RUN_MS, killSignal: "SIGKILL" });
    let talk = "";
    child.stdout.on("data", (d) => (talk += d));
    child.stderr.on("data", (d) => (talk += d));
    const exit = await new Promise((resolve) => child.on("close", (code, signal) => resolve(signal ?? code)));
    return { exit, talk: talk.trim().slice(-300), requests };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

// One resumed copy, judged by itself: `problems` lists what went wrong, by kind.
async function observe(model, client, bytes, setup) {
  const dir = mkdtempSync(join(tmpdir(), "sessc-replay-"));
  const file = join(dir, "session.jsonl");
  const cwd = join(dir, "cwd");
  try {
    mkdirSync(cwd);
    const before = withFolder(bytes, cwd);
    writeFileSync(file, before);
    const { exit, talk, requests } = await resume(model, client, file, cwd, setup);
    const after = readFileSync(file);
    const problems = [];
    if (exit !== 0) problems.push(["exit", `the client ended with ${exit}: ${talk}`]);
    const last = requests.at(-1)?.messages;
    if (!last) problems.push(["request", "no request reached the model"]);
    for (const p of requestProblems(last ?? [])) problems.push(["pairing", p]);
    if (last && contentText(last.at(-1).content) !== PROMPT) problems.push(["prompt", "the request does not end with the new prompt"]);

    const kept = before.at(-1) === 10 ? before.length - 1 : before.length;
    if (!after.subarray(0, kept).equals(before.subarray(0, kept))) problems.push(["rewrite", "the client changed lines that were there"]);
    const added = parseLog(after.subarray(before.length)).filter((l) => l.raw !== "");
    if (added.some((l) => !l.entry)) problems.push(["append", "the client's own lines were damaged"]);
    const entries = added.map((l) => l.entry).filter(Boolean);
    entries.forEach((e, i) => i > 0 && e.parentId !== entries[i - 1].id && problems.push(["chain", "the appended entries are no chain"]));
    if (entries.at(-1)?.message?.role !== "assistant") problems.push(["answer", "the turn was not appended"]);
    return {
      problems,
      requests: requests.length,
      bytes: last ? JSON.stringify(last).length : 0,
      compacted: requests.length > 1 || entries.some((e) => e.type === "compaction"),
      leaf: entries[0]?.parentId,
      users: (last ?? []).filter((m) => m.role === "user").map((m) => contentText(m.content)),
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function worse(was, now) {
  const kinds = new Map();
  for (const [kind] of was.problems) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const out = [];
  for (const [kind, text] of now.problems) {
    const left = kinds.get(kind) ?? 0;
    if (left > 0) kinds.set(kind, left - 1);
    else out.push(text);
  }
  if (now.leaf !== was.leaf) out.push(`the new turn hangs on ${now.leaf} instead of ${was.leaf}`);
  return out;
}

/**
 * Resumes a pair in one client. `before` and `after` are { bytes, loaded } as from loadAll. Returns { problems, note }.
 * The last turn of a roomy run shows the whole context, the usual window shows what a user would see, and a window just above the size
 * that may be assumed shows usage that still counts what was removed.
 */
export async function compareReplays(model, client, before, after) {
  if (before.loaded[client].error) return { problems: [], note: `the original does not load: ${before.loaded[client].error}` };
  if (after.loaded[client].error) return { problems: [`load failed: ${after.loaded[client].error}`], note: "" };
  const out = [];
  let was = await observe(model, client, before.bytes, USUAL);
  let now = await observe(model, client, after.bytes, USUAL);
  if (now.compacted && !was.compacted) out.push(`compacts by itself on resume at a window of ${USUAL.window}; the original does not`);
  if (now.requests > was.requests) out.push(`${now.requests} requests instead of ${was.requests}`);
  if (was.compacted || now.compacted) {
    was = await observe(model, client, before.bytes, ROOMY);
    now = await observe(model, client, after.bytes, ROOMY);
    if (was.compacted) out.push("the original is compacted at any window: nothing can be compared");
  }
  out.push(...worse(was, now));

  // Some odd logs load and then crash the client before it sends anything, the original as well.
  if (was.requests === 0) return { problems: out, note: "the client sends nothing for the original" };
  const loaded = before.loaded[client].value;
  const expected = humanTexts(loaded).filter((t) => t !== "");
  const unseen = missingText(expected, was.users);
  if (unseen !== null) out.push(`the request for the original lacks a text of its own: ${JSON.stringify(unseen.slice(0, 60))}`);
  const lost = missingText(expected, now.users);
  if (lost !== null) out.push(`human text is not sent any more, or out of order: ${JSON.stringify(lost.slice(0, 60))}`);

  const room = fairSize(loaded, after.loaded[client].value);
  const narrow = await observe(model, client, after.bytes, tight(room + 600));
  if (narrow.compacted && room + 600 < loaded.assumed) out.push(`compacts by itself on resume at a window just above its size (${room} tokens may be assumed)`);
  return { problems: out, note: `request ${kb(was.bytes)} -> ${kb(now.bytes)}, ${expected.length} human texts${room < loaded.assumed ? "" : ", recorded usage too low to go stale"}` };
}

const kb = (n) => `${(n / 1000).toFixed(1)} kB`;
