// Check "context": both logs of a pair are loaded by the three session managers; nothing may be worse in the compressed one.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { fairSize, missingText, parseLog, parentCycle, roleProblems, structureProblems } from "./log.mjs";

export const MANAGERS = ["pi", "pi-legacy", "openclaw"];
const LOAD_MS = 60_000;

/** A worker that holds the session managers. A request that does not come back in time ends the worker; the next one gets a new one. */
export class Managers {
  #worker = null;
  #next = 0;
  #waiting = new Map();

  async #start() {
    const worker = fork(fileURLToPath(new URL("managers.mjs", import.meta.url)), { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    await new Promise((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("exit", (code) => reject(new Error(`the session managers do not start (exit ${code})`)));
    });
    worker.removeAllListeners("exit");
    worker.on("message", ({ id, value, error }) => this.#settle(id, error === undefined ? { value } : { error }));
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
      for (const id of [...this.#waiting.keys()]) this.#settle(id, { error: "the client ended while it was loading" });
    });
    return worker;
  }

  #settle(id, answer) {
    const wait = this.#waiting.get(id);
    if (!wait) return;
    this.#waiting.delete(id);
    clearTimeout(wait.timer);
    wait.resolve(answer);
  }

  /** Sends one request (`op` is a manager's name, or "repair" for OpenClaw's repair pass on the file itself). Resolves to { value } or { error }. */
  async request(op, file) {
    this.#worker ??= await this.#start();
    const worker = this.#worker;
    const id = ++this.#next;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#settle(id, { error: `not loaded within ${LOAD_MS / 1000} s` });
        worker.kill("SIGKILL");
      }, LOAD_MS);
      this.#waiting.set(id, { resolve, timer });
      worker.send({ id, op, file });
    });
  }

  close() {
    this.#worker?.kill();
  }
}

/** Loads one log in every manager: { manager: { value } | { error } }. A parent cycle is an error without a load. */
export async function loadAll(managers, file, bytes) {
  const cycle = parentCycle(parseLog(bytes));
  const out = {};
  for (const name of MANAGERS) out[name] = cycle ? { error: `parent cycle at ${cycle}` } : await managers.request(name, file);
  return out;
}

/** What the compressed log is worse in: structure of the file, then each manager. `before` and `after` are { bytes, loaded } as from loadAll. */
export function compareContexts(before, after) {
  const out = structureProblems(parseLog(before.bytes), parseLog(after.bytes)).map((p) => `file: ${p}`);
  for (const name of MANAGERS) out.push(...compareLoaded(before.loaded[name], after.loaded[name]).map((p) => `${name}: ${p}`));
  return out;
}

function compareLoaded(before, after) {
  if (before.error) return [];
  if (after.error) return [`load failed: ${after.error}`];
  const was = before.value;
  const now = after.value;
  const out = [];
  const more = (label, a, b) => a > b && out.push(`${label}: ${a} instead of ${b}`);
  if (now.pairing.length > was.pairing.length) out.push(...now.pairing.filter((p) => !was.pairing.includes(p)));
  more("roots", now.roots, was.roots);
  for (const [label, n] of Object.entries(now.counts ?? {})) more(label, n, was.counts[label]);
  if (now.rewritten && !was.rewritten) out.push("the client rewrites the file on load");
  if (now.leaf !== was.leaf) out.push(`active leaf ${now.leaf} instead of ${was.leaf}`);
  if (JSON.stringify(now.model) !== JSON.stringify(was.model)) out.push(`model ${JSON.stringify(now.model)} instead of ${JSON.stringify(was.model)}`);
  if (now.thinkingLevel !== was.thinkingLevel) out.push(`thinking level ${now.thinkingLevel} instead of ${was.thinkingLevel}`);
  more("context tokens as the client estimates them", now.estimated, was.estimated);
  more("context size that the client assumes from recorded usage", now.assumed, fairSize(was, now));
  out.push(...roleProblems(was.outline, now.outline));
  const lost = missingText(humanTexts(was), humanTexts(now));
  if (lost !== null) out.push(`human text is gone or out of order: ${JSON.stringify(lost.slice(0, 60))}`);
  return out;
}

/** The texts that persons typed, in the order of the context. */
export const humanTexts = (loaded) => loaded.outline.filter((m) => m.text !== undefined).map((m) => m.text);
