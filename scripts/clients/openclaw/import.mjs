// Check "import": the importer of OpenClaw 2026.9.6, which keeps sessions in SQLite, takes originals and compressed logs into a
// throw-away state folder. It must find no new fault in a compressed log and store exactly its lines.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import { header, parseLog } from "./log.mjs";

const MODULES = join(process.env.SESSC_CLIENTS_DIR, "node_modules");
const RUN_MS = 240_000;

// Each log gets a session id of its own, so that an original and its compressed form can be in one store.
function place(folder, bytes, i) {
  const id = randomUUID();
  const lines = parseLog(bytes).map((l) => Buffer.from(l.raw, "latin1").toString("utf8"));
  lines[0] = JSON.stringify({ ...header(parseLog(bytes)), id });
  const file = join(folder, `${id}.jsonl`);
  writeFileSync(file, `${lines.join("\n")}\n`);
  return { id, key: `agent:main:log${i}`, file, lines: lines.filter((l) => l.trim() !== "") };
}

const sameEvent = (a, b) => {
  if (a === b) return true;
  try {
    return JSON.stringify(JSON.parse(a)) === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
};

/** Imports logs (buffers) in one run. Returns for each { issues, lines, different }: messages, and how many lines are not stored as they are. */
export function importAll(logs) {
  const home = mkdtempSync(join(tmpdir(), "sessc-import-"));
  const state = join(home, ".openclaw");
  const folder = join(state, "agents", "main", "sessions");
  try {
    mkdirSync(folder, { recursive: true });
    const placed = logs.map((bytes, i) => place(folder, bytes, i));
    const index = Object.fromEntries(placed.map((p) => [p.key, { sessionId: p.id, updatedAt: Date.now(), sessionFile: p.file, chatType: "direct" }]));
    writeFileSync(join(folder, "sessions.json"), JSON.stringify(index));
    const args = [join(MODULES, "openclaw-sqlite", "openclaw.mjs"), "doctor", "--session-sqlite", "import", "--session-sqlite-all-agents", "--json"];
    const env = { PATH: process.env.PATH, HOME: home, OPENCLAW_STATE_DIR: state, NO_COLOR: "1", npm_config_offline: "true" };
    const run = spawnSync(process.execPath, args, { cwd: home, env, encoding: "utf8", timeout: RUN_MS, maxBuffer: 1 << 26 });
    const store = join(state, "agents", "main", "agent", "openclaw-agent.sqlite");
    const start = run.stdout?.indexOf("{") ?? -1;
    if (start < 0 || !existsSync(store)) throw new Error(`the importer made no store (exit ${run.status ?? run.signal}): ${run.stderr?.slice(-300)}`);
    const issues = JSON.parse(run.stdout.slice(start)).targets.flatMap((t) => t.issues);
    const stray = issues.filter((x) => !placed.some((p) => p.key === x.sessionKey));
    if (stray.length) throw new Error(`the importer reports ${stray[0].code}: ${stray[0].message}`);

    const db = new DatabaseSync(store, { readOnly: true });
    const query = db.prepare("select event_json, event_zstd from transcript_events where session_id = ? order by seq");
    const results = placed.map((p) => {
      const stored = query.all(p.id).map((r) => r.event_json ?? zstdDecompressSync(r.event_zstd).toString("utf8"));
      let different = 0;
      for (let i = 0; i < Math.max(stored.length, p.lines.length); i++) if (!sameEvent(stored[i], p.lines[i])) different++;
      return { issues: issues.filter((x) => x.sessionKey === p.key).map((x) => `${x.code}: ${x.message.split(": ").slice(1).join(": ")}`), lines: p.lines.length, different };
    });
    db.close();
    return results;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What the importer found worse in a compressed log than in its original. */
export function compareImports(was, now) {
  const out = [];
  if (now.issues.length > was.issues.length) out.push(...now.issues);
  if (now.different > was.different) out.push(`${now.different} of ${now.lines} lines are not stored as they are; ${was.different} of the original's`);
  return out;
}
