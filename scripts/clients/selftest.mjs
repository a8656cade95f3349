// Feeds pairs that are broken on purpose to the checks, and fails when one of them is not reported.
import { runAll } from "./install.mjs";

runAll("selftest.mjs", process.argv.slice(2));
