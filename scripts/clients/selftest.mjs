// Feeds pairs that are broken on purpose to the checks, and fails when one of them is not reported.
import { OPENCLAW, runPinned } from "./install.mjs";

runPinned(OPENCLAW, "selftest.mjs", process.argv.slice(2));
