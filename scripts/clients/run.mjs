// Compares original and compressed session logs in the real client programs: node scripts/clients/run.mjs --help
import { OPENCLAW, runPinned } from "./install.mjs";

runPinned(OPENCLAW, "main.mjs", process.argv.slice(2));
