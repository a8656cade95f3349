// Stands in for sessc in the self-test: node fake-sessc.mjs FAULT compress|restore [flags] FILE. With the fault "none" it does
// what the checks want, with another one it goes wrong in that way.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { craftCompressed } from "./craft.mjs";
import { parseLog } from "./log.mjs";

const [fault, command, ...args] = process.argv.slice(2);
const flags = Object.fromEntries(["archive", "output", "min-age", "min-saving", "keep-last"].map((f) => [f, { type: "string" }]));
const { values: opt, positionals } = parseArgs({ args, options: flags, allowPositionals: true });
const file = positionals[0];
const kept = { original: join(opt.archive, "original"), compressed: join(opt.archive, "compressed") };

function compress() {
  if (fault === "refuse") throw new Error("refused");
  const original = readFileSync(file);
  const { bytes } = craftCompressed(original);
  if (fault === "touch-original") writeFileSync(file, bytes);
  if (fault === "nothing") return;
  mkdirSync(opt.archive, { recursive: true });
  writeFileSync(kept.original, original);
  writeFileSync(kept.compressed, bytes);
  writeFileSync(opt.output ?? file, bytes);
}

function restore() {
  if (fault === "refuse-restore" || !existsSync(kept.original)) throw new Error("no generation of this log is in the archive");
  const original = readFileSync(kept.original);
  const compressed = readFileSync(kept.compressed);
  const worked = readFileSync(file);
  if (worked.subarray(0, compressed.length).equals(compressed)) {
    const suffix = fault === "lose-suffix" ? Buffer.alloc(0) : worked.subarray(compressed.length);
    const body = Buffer.from(original);
    if (fault === "wrong-byte") body[body.length >> 1] ^= 1;
    const text = fault === "wrong-pointer" ? suffix.toString("latin1").replace(/"firstKeptEntryId":"[^"]*"/, '"firstKeptEntryId":"gone"') : suffix.toString("latin1");
    return writeFileSync(file, Buffer.concat([body, Buffer.from(text, "latin1")]));
  }
  const known = new Set(parseLog(compressed).map((l) => l.raw));
  const foreign = new Map(parseLog(worked).filter((l) => l.entry && !known.has(l.raw)).map((l) => [l.entry.id, l.raw]));
  if (fault === "lose-foreign") foreign.clear();
  let lines = parseLog(original).map((l) => foreign.get(l.entry?.id) ?? l.raw);
  if (fault === "lose-removed") lines = lines.filter((raw) => !raw.includes("task 2"));
  writeFileSync(file, Buffer.from(`${lines.join("\n")}\n`, "latin1"));
}

try {
  command === "compress" ? compress() : restore();
} catch (e) {
  console.error(e.message);
  process.exitCode = 1;
}
