// What the checks of all clients share: result lines, a pool of workers, sessc as a program.
import { spawn } from "node:child_process";

/** Result lines of one run: what was looked at, and what was worse. */
export class Report {
  ok = 0;
  worse = 0;

  constructor(print) {
    this.print = print;
  }

  /** Prints one log's outcome of one check; `problems` are the things that are worse. */
  add(check, name, problems, note = "") {
    problems.length ? this.worse++ : this.ok++;
    this.print(`${problems.length ? "WORSE" : "ok   "} ${check.padEnd(16)} ${name}${note && `  (${note})`}`);
    for (const p of problems.slice(0, 8)) this.print(`      ${p}`);
    if (problems.length > 8) this.print(`      and ${problems.length - 8} more`);
  }
}

/** Calls fn for every item, `width` at a time. */
export async function pool(items, width, fn) {
  const queue = [...items];
  await Promise.all(Array.from({ length: width }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await fn(item);
  }));
}

/**
 * sessc as { compress(file, archive, output?), restore(file, archive) }; each resolves to an error text or null. It gets a HOME of its
 * own: neither the settings nor the archive of whoever runs this may matter.
 */
export function program(path, flags, home) {
  const run = (args) =>
    new Promise((done) => {
      const child = spawn(path, args, { env: { PATH: process.env.PATH, HOME: home }, stdio: ["ignore", "ignore", "pipe"], timeout: 120_000, killSignal: "SIGKILL" });
      let talk = "";
      child.stderr.on("data", (d) => (talk += d));
      child.on("error", (e) => done(e.message));
      child.on("close", (code, signal) => done(code === 0 ? null : `exit ${signal ?? code}: ${talk.trim().slice(-400)}`));
    });
  return {
    compress: (file, archive, output) => run(["compress", "--min-age", "0", ...flags, "--archive", archive, ...(output ? ["--output", output] : []), file]),
    restore: (file, archive) => run(["restore", "--min-age", "0", "--archive", archive, file]),
  };
}
