// What a run of sessc with a model of noise has to look like.

const FIELDS = ["conclusion", "tried_and_failed", "must_remember", "open"];

/** Whether a text is one object of the schema: four fields, a text and three lists of texts. */
function follows(text) {
  let v;
  try {
    v = JSON.parse(text.replace(/^\s*```(?:json)?\s*|\s*```\s*$/g, ""));
  } catch {
    return false;
  }
  return Object.keys(v).length === 4 && FIELDS.every((f) => f in v) && typeof v.conclusion === "string" && FIELDS.slice(1).every((f) => Array.isArray(v[f]) && v[f].every((s) => typeof s === "string"));
}

/**
 * Returns what is wrong with one run: its report, the calls that the engine answered ({ request, content, finish }), and whether the
 * log is the one that is written without a model.
 */
export function check(report, calls, same) {
  const problems = [];
  const masks = report.compacted.length;
  const p = report.prose;
  if (!p) return ["the report does not name a model"];
  if (masks && !calls.length) problems.push("no question was asked");
  if (p.masks.normal + p.masks.aggressive + p.masks.record !== masks) problems.push(`${JSON.stringify(p.masks)} for ${masks} masks`);
  if (p.masks.normal + p.masks.aggressive > 0) problems.push("noise was taken for words");
  if (!same) problems.push("another log than without a model");
  for (const c of calls) {
    if (c.finish !== "length" && !follows(c.content)) problems.push(`an answer that breaks the schema: ${c.content.slice(0, 200)}`);
    if (c.request.model !== "default_model" || !c.request.response_format) problems.push("a request without the model's name or the schema");
    if (!JSON.stringify(c.request.messages).includes("conclusion")) problems.push("a request without the instructions");
  }
  return problems;
}
