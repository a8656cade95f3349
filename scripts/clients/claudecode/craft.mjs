// A hand-made log for the self-test, with one agent that ran at once and one in the background, and its compressed form: the words of
// calls, results and notifications shortened in place. Much simpler than sessc.
const SESSION = "5e551011-0000-4000-8000-000000000001";
const START = Date.UTC(2026, 3, 13, 10);
const filler = (word, n) => Array.from({ length: n }, (_, i) => `${word} ${i} reads a part of the tree and notes what stands there.`).join("\n");
const record = (ref) => `── COMPACTED TASK ──\ntask: a task\nresult: success\nconclusion: done\nerrors: none\nref: sessc:${ref}\n────`;

class Writer {
  lines = [];
  parent = null;

  line(type, own) {
    const n = this.lines.length + 1;
    const uuid = `5e551011-0000-4000-a000-${String(n).padStart(12, "0")}`;
    this.lines.push({ parentUuid: this.parent, isSidechain: false, type, ...own, uuid, timestamp: new Date(START + n * 60_000).toISOString(), userType: "external", cwd: "/home/dev/app", sessionId: SESSION, version: "2.1.328", gitBranch: "main" });
    this.parent = uuid;
    return uuid;
  }

  user(content, more = {}) {
    return this.line("user", { message: { role: "user", content }, ...more });
  }

  assistant(block) {
    const id = `msg_${this.lines.length}`;
    const calls = block.type === "tool_use";
    return this.line("assistant", { message: { id, type: "message", role: "assistant", model: "claude-opus-4-6", content: [block], stop_reason: calls ? "tool_use" : "end_turn", usage: { input_tokens: 4, cache_creation_input_tokens: 100, cache_read_input_tokens: 20_000, output_tokens: 50 } } });
  }
}

const text = (t) => ({ type: "text", text: t });
const call = (id, prompt) => ({ type: "tool_use", id, name: "Agent", input: { description: "a task", prompt, subagent_type: "general-purpose" } });
const result = (id, t) => [{ tool_use_id: id, type: "tool_result", content: [text(t)] }];
const notice = (said) => `<task-notification>\n<task-id>a0123456789abcdef</task-id>\n<tool-use-id>toolu_b</tool-use-id>\n<output-file>/tmp/x.output</output-file>\n<status>completed</status>\n<summary>Agent "a task" finished</summary>\n<result>${said}</result>\n</task-notification>`;

function write(short) {
  const w = new Writer();
  w.user("Good morning. Say when you are ready.");
  w.assistant(text("Ready."));
  w.user("Have both tasks done, please.");
  const sessc = (ref) => (short ? { sessc: { v: 1, ref, gen: 1 } } : {});
  const mark = (ref) => short && Object.assign(w.lines.at(-1), sessc(ref));
  w.assistant(call("toolu_a", short ? "a task" : filler("The reader", 40)));
  mark("aa");
  w.user(result("toolu_a", short ? `${record("aa")}\nagentId: a00000000000000aa` : filler("The child", 60)), short ? sessc("aa") : { toolUseResult: { status: "completed", agentId: "a00000000000000aa", content: [text(filler("The child", 60))], totalDurationMs: 9000, totalTokens: 900 } });
  w.assistant(call("toolu_b", short ? "a task" : filler("The second reader", 40)));
  mark("bb");
  w.user(result("toolu_b", "Async agent launched successfully.\nagentId: a0123456789abcdef"), { toolUseResult: { isAsync: true, status: "async_launched", agentId: "a0123456789abcdef", description: "a task", prompt: "x", outputFile: "/tmp/x.output" } });
  w.assistant(text("The second one runs."));
  w.user(notice(short ? record("bb") : filler("The second child", 60)), { origin: { kind: "task-notification" }, promptSource: "system", ...sessc("bb") });
  w.assistant(text("Both are done."));
  w.user("And what is next?");
  w.assistant(text("Nothing is open."));
  w.user("Then rest.");
  w.assistant(text("Good night."));
  return w.lines;
}

export const encode = (lines) => Buffer.from(`${lines.map((e) => JSON.stringify(e)).join("\n")}\n`);
export const original = () => write(false);
export const compressed = () => write(true);
