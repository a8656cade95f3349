// Shows that the checks can fail: every row but the first is broken on purpose. Started by ../selftest.mjs on the pinned Node.
import { check } from "./check.mjs";

const answer = '{"conclusion":"x","tried_and_failed":[],"must_remember":[],"open":["y"]}';
const request = { model: "default_model", response_format: {}, messages: [{ role: "system", content: "conclusion" }] };
const report = (masks) => ({ compacted: [{}], prose: { masks: { normal: 0, aggressive: 0, record: 0, ...masks } } });
const call = { request, content: answer, finish: "stop" };

// Each row: what is wrong, the report, the calls, whether the log is the same, what has to be said.
const ROWS = [
  ["nothing", report({ record: 1 }), [call], true, /^$/],
  ["nothing, cut off", report({ record: 1 }), [{ ...call, content: answer.slice(0, 20), finish: "length" }], true, /^$/],
  ["nothing, in a fence", report({ record: 1 }), [{ ...call, content: `\`\`\`json\n${answer}\n\`\`\`` }], true, /^$/],
  ["no model in the report", { compacted: [{}] }, [call], true, /name a model/],
  ["nobody was asked", report({ record: 1 }), [], true, /no question/],
  ["a mask too few", report({}), [call], true, /for 1 masks/],
  ["noise in a mask", report({ normal: 1 }), [call], true, /taken for words/],
  ["another log", report({ record: 1 }), [call], false, /another log/],
  ["an answer without a list", report({ record: 1 }), [{ ...call, content: '{"conclusion":"x"}' }], true, /breaks the schema/],
  ["no schema", report({ record: 1 }), [{ ...call, request: { ...request, response_format: undefined } }], true, /the schema/],
  ["no instructions", report({ record: 1 }), [{ ...call, request: { ...request, messages: [] } }], true, /the instructions/],
];

let bad = 0;
for (const [what, r, calls, same, want] of ROWS) {
  const said = check(r, calls, same).join("; ");
  const ok = want.test(said);
  if (!ok) bad++;
  console.log(`${ok ? "ok   " : "WRONG"} ${what}${said && `: ${said}`}`);
}
console.log(`llama selftest: ${ROWS.length - bad} ok, ${bad} wrong`);
process.exit(bad ? 1 : 0);
