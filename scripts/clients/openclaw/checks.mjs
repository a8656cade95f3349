// Runs the checks over pairs of logs and keeps the result lines. Holds the clients that stay up between pairs.
import { Managers, compareContexts, loadAll } from "./context.mjs";
import { CLIENTS, FakeModel, compareReplays } from "./replay.mjs";
import { compareImports, importAll } from "./import.mjs";
import { checkRestore } from "./restore.mjs";
import { pool } from "../report.mjs";

export const CHECKS = ["context", "import", "replay", "restore"];

/** The clients of one run. Close it, or the process does not end. */
export class Clients {
  managers = new Managers();

  static async start() {
    const c = new Clients();
    c.model = await new FakeModel().listen();
    return c;
  }

  close() {
    this.managers.close();
    this.model.close();
  }

  /**
   * Checks pairs of { name, before, after } (names and bytes in files: { file, bytes }) with the checks named in `wanted`; `sessc` is needed
   * for "restore" only (see checkRestore). `jobs` clients run at a time.
   */
  async check(pairs, { wanted, report, sessc, work, jobs = 2 }) {
    for (const pair of pairs) {
      for (const side of [pair.before, pair.after]) side.loaded = await loadAll(this.managers, side.file, side.bytes);
      if (!wanted.includes("context")) continue;
      const [was, now] = [pair.before, pair.after].map((s) => s.loaded.pi.value);
      report.add("context", pair.name, compareContexts(pair.before, pair.after), was && now ? `${was.estimated} -> ${now.estimated} tokens by pi's estimate, ${was.sent} -> ${now.sent} messages` : "");
    }
    if (wanted.includes("import") && pairs.length) {
      const results = importAll(pairs.flatMap((p) => [p.before.bytes, p.after.bytes]));
      pairs.forEach((p, i) => {
        const [was, now] = [results[2 * i], results[2 * i + 1]];
        report.add("import", p.name, compareImports(was, now), `${now.lines} lines, ${now.issues.length} issues`);
      });
    }
    if (wanted.includes("replay")) {
      const runs = pairs.flatMap((pair) => CLIENTS.map((client) => ({ pair, client })));
      await pool(runs, jobs, async ({ pair, client }) => {
        const { problems, note } = await compareReplays(this.model, client, pair.before, pair.after);
        report.add(`replay ${client}`, pair.name, problems, note);
      });
    }
    if (wanted.includes("restore")) {
      await pool(pairs.entries(), jobs, async ([i, pair]) => {
        const tokens = pair.after.loaded.pi.value?.estimated ?? 0;
        const { problems, note, changed } = await checkRestore({ sessc, model: this.model, managers: this.managers, bytes: pair.before.bytes, tokens, dir: `${work}/restore-${i}` });
        if (!changed && !problems.length) problems.push("in place nothing was changed, with --output it was");
        report.add("restore", pair.name, problems, note);
      });
    }
  }
}
