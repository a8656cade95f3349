// Compares original and compressed session logs in the real client programs: node scripts/clients/run.mjs --client NAME --help
import { runAll } from "./install.mjs";

runAll("main.mjs", process.argv.slice(2));
