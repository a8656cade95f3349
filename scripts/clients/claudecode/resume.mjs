// Resumes one session log with the real client, print mode, against a fake Messages API on 127.0.0.1, and tells what it sent.
// No key, no account, no outside traffic: proxy variables lead to a dead port.
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from "node:fs";
import http from "node:http";
import { basename, dirname, join } from "node:path";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PROMPT = "go on, check 7305";
const TIMEOUT_MS = 90_000;

export const blocksOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content.filter((b) => b && typeof b === "object") : []);

/** The lines of a log as { raw, entry }; entry is undefined for a line that is no JSON. */
export function parseLog(bytes) {
  return bytes.toString("utf8").split("\n").filter((l) => l.trim()).map((raw) => {
    try {
      return { raw, entry: JSON.parse(raw.replace(/^\ufeff/, "")) };
    } catch {
      return { raw };
    }
  });
}

/** The lines of a log that belong to its own conversation. */
export const conversation = (lines) => lines.filter(({ entry: e }) => e && (e.type === "user" || e.type === "assistant") && e.uuid && !e.isSidechain && e.message?.content !== undefined);

/** Where the client is, below a folder of installed programs. */
export function clientIn(dir) {
  const bin = join(dir, "node_modules", "@anthropic-ai", "claude-code-linux-x64", "claude");
  if (!existsSync(bin)) throw new Error(`clients: no client at ${bin}: the checks need Linux on x86-64`);
  return bin;
}

/**
 * Puts a log where the client looks for it, with the logs of its sub-agents: in a config folder of its own below `dir`. Returns
 * { file, id, dir }. `from` is the log's path, beside which the others lie.
 */
export function place(bytes, from, dir) {
  for (const n of ["home", "config", "work", "tmp"]) mkdirSync(join(dir, n), { recursive: true });
  dir = realpathSync(dir);
  const stem = basename(from).replace(/\.jsonl$/, "");
  const id = UUID.test(stem) ? stem : parseLog(bytes).map((l) => l.entry?.sessionId).findLast((s) => UUID.test(s ?? "")) ?? "5e55c000-0000-4000-8000-000000000000";
  const project = join(dir, "config", "projects", join(dir, "work").replace(/[^A-Za-z0-9]/g, "-"));
  mkdirSync(project, { recursive: true });
  const file = join(project, `${id}.jsonl`);
  writeFileSync(file, bytes, { mode: 0o600 });
  const side = join(dirname(from), stem);
  if (existsSync(side) && statSync(side).isDirectory()) cpSync(side, join(project, id), { recursive: true });
  for (const n of readdirSync(dirname(from))) if (/^agent-.*\.jsonl$/.test(n)) cpSync(join(dirname(from), n), join(project, n));
  return { file, id, dir, project };
}

function listen() {
  const seen = [];
  const server = http.createServer((req, res) => {
    const parts = [];
    req.on("data", (d) => parts.push(d));
    req.on("end", () => {
      const raw = Buffer.concat(parts).toString("utf8");
      let body = null;
      try {
        body = JSON.parse(raw);
      } catch {}
      const where = req.url.split("?")[0];
      seen.push({ where, body });
      const json = (code, v) => {
        res.writeHead(code, { "content-type": "application/json" });
        res.end(JSON.stringify(v));
      };
      const size = Math.ceil(raw.length / 4);
      if (where === "/v1/messages/count_tokens") return json(200, { input_tokens: size });
      if (where !== "/v1/messages" || !body) return json(404, { type: "error", error: { type: "not_found_error", message: "not here" } });
      const usage = { input_tokens: size, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
      const msg = { id: `msg_fake_${seen.length}`, type: "message", role: "assistant", model: body.model, stop_reason: null, stop_sequence: null };
      if (!body.stream) return json(200, { ...msg, content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage });
      res.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_fake_${seen.length}` });
      const send = (type, v) => res.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...v })}\n\n`);
      send("message_start", { message: { ...msg, content: [], usage } });
      send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
      send("content_block_delta", { index: 0, delta: { type: "text_delta", text: "ok" } });
      send("content_block_stop", { index: 0 });
      send("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage });
      send("message_stop", {});
      res.end();
    });
  });
  return new Promise((ok, no) => {
    server.on("error", no);
    server.listen(0, "127.0.0.1", () => ok({ server, seen, port: server.address().port }));
  });
}

/**
 * Resumes a placed log. Returns { exit, talk, messages, model, before, suffix, leaf, compacted }: the messages of the request that holds
 * the new prompt (null: none was sent), what the client appended to the file, and below which line its turn hangs.
 */
export async function resume(bin, { file, id, dir }, env = {}) {
  const before = readFileSync(file);
  const { server, seen, port } = await listen();
  const child = spawn(bin, ["-p", PROMPT, "--resume", id], {
    cwd: join(dir, "work"),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    env: {
      PATH: process.env.PATH, LANG: "C.UTF-8", TERM: "dumb", TMPDIR: join(dir, "tmp"), HOME: join(dir, "home"), CLAUDE_CONFIG_DIR: join(dir, "config"),
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, ANTHROPIC_API_KEY: "not-a-key", NO_PROXY: "127.0.0.1", HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_TELEMETRY: "1", DISABLE_ERROR_REPORTING: "1", DISABLE_AUTOUPDATER: "1", DISABLE_BUG_COMMAND: "1", DISABLE_COST_WARNINGS: "1",
      ...env,
    },
  });
  let talk = "";
  child.stdout.on("data", (d) => (talk += d));
  child.stderr.on("data", (d) => (talk += d));
  const exit = await new Promise((done) => {
    child.on("error", (e) => ((talk += e.message), done(-1)));
    child.on("close", (code, signal) => done(code ?? signal));
  });
  server.closeAllConnections();
  server.close();
  const size = (r) => JSON.stringify(r.body.messages).length;
  const main = seen
    .filter((r) => r.where === "/v1/messages" && Array.isArray(r.body?.messages) && r.body.messages.some((m) => m.role === "user" && blocksOf(m.content).some((b) => b.text?.includes(PROMPT))))
    .sort((a, b) => size(b) - size(a))[0];
  const after = readFileSync(file);
  const suffix = after.subarray(before.length);
  const appended = parseLog(suffix).map((l) => l.entry).filter(Boolean);
  return {
    exit,
    talk: talk.trim().slice(-300),
    messages: main?.body.messages ?? null,
    model: main?.body.model,
    kept: after.subarray(0, before.length).equals(before),
    suffix,
    leaf: appended.find((e) => e.type === "user")?.parentUuid ?? null,
    compacted: appended.some((e) => e.subtype === "compact_boundary"),
  };
}
