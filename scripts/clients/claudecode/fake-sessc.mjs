// Stands in for sessc in the self-test: fake-sessc.mjs FAULT compress|restore ... --archive DIR FILE
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { compressed, encode } from "./craft.mjs";

const [fault, command, ...args] = process.argv.slice(2);
const archive = args[args.indexOf("--archive") + 1];
const file = args.at(-1);
const kept = join(archive, "original");
const sound = encode(compressed());

function fail(words) {
  console.error(words);
  process.exit(1);
}

if (command === "compress") {
  if (fault === "refuse") fail("refused: no reason");
  const was = statSync(file);
  mkdirSync(archive, { recursive: true });
  writeFileSync(kept, readFileSync(file));
  if (fault === "nothing") process.exit(0);
  writeFileSync(file, sound);
  if (fault !== "new-time") utimesSync(file, was.atime, was.mtime);
  else utimesSync(file, was.atime, new Date(was.mtimeMs + 60_000));
  if (fault === "touch-beside") writeFileSync(join(dirname(file), "agent-beside.jsonl"), "{}\n");
} else {
  if (fault === "refuse-restore") fail("refused: no reason");
  const suffix = readFileSync(file).subarray(sound.length);
  const bytes = Buffer.concat([readFileSync(kept), fault === "lose-suffix" ? suffix.subarray(0, 10) : suffix]);
  if (fault === "wrong-byte") bytes[20] ^= 1;
  writeFileSync(file, bytes);
}
