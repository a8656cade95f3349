// Puts llama.cpp behind the part of llama-server's HTTP form that sessc speaks: /health, /v1/models, /v1/chat/completions. The engine,
// its tokenizer, its sampler and its grammars are the real ones; this layer is not.
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { join } from "node:path";

/** Loads the model in the file `model` with the addon below `dir` and serves it on a free port of 127.0.0.1. Returns { url, calls, close }. */
export async function serve(dir, model) {
  const { loadModel } = createRequire(join(dir, "node_modules", "x.js"))("@fugood/llama.node");
  const context = await loadModel({ model, n_ctx: 32768, n_gpu_layers: 0, n_threads: 1 });
  const calls = [];
  let turn = Promise.resolve();
  const server = createServer(async (request, response) => {
    const say = (status, body) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (request.method === "GET" && request.url === "/health") return say(200, { status: "ok" });
    if (request.method === "GET" && request.url === "/v1/models") return say(200, { object: "list", data: [{ id: "noise" }] });
    if (request.method !== "POST" || request.url !== "/v1/chat/completions") return say(404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } });
    let text = "";
    for await (const chunk of request) text += chunk;
    const q = JSON.parse(text);
    // One at a time: the context has one slot.
    turn = turn.then(async () => {
      try {
        const got = await context.completion({ messages: q.messages, jinja: true, n_predict: q.max_tokens, temperature: q.temperature, seed: 1, response_format: q.response_format });
        const content = got.content || got.text;
        const finish = got.stopped_limited ? "length" : "stop";
        calls.push({ request: q, content, finish });
        say(200, {
          id: `chatcmpl-${calls.length}`, object: "chat.completion", model: q.model, created: 0,
          choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", content } }],
          usage: { prompt_tokens: got.tokens_evaluated, completion_tokens: got.tokens_predicted, total_tokens: got.tokens_evaluated + got.tokens_predicted },
        });
      } catch (e) {
        say(500, { error: { code: 500, message: String(e.message ?? e), type: "server_error" } });
      }
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, calls, close: () => new Promise((done) => server.close(done)) };
}
