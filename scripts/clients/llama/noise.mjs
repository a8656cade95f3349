// Writes a language model of random weights as a GGUF file of version 3: llama architecture, 2 layers of width 64, a vocabulary of bytes
// and letters. It says noise, but through the real tokenizer, sampler and grammar of llama.cpp. The same seed gives the same bytes.
import { writeFileSync } from "node:fs";

const WIDTH = 64;
const LAYERS = 2;
const HEADS = 4;
const INNER = 128;
const CONTEXT = 32768;

const U32 = 4, F32 = 6, STRING = 8, ARRAY = 9, I32 = 5;

class Bytes {
  parts = [];
  size = 0;
  add(b) {
    this.parts.push(b);
    this.size += b.length;
    return this;
  }
  u32(n) {
    const b = Buffer.alloc(4);
    b.writeUInt32LE(n);
    return this.add(b);
  }
  u64(n) {
    const b = Buffer.alloc(8);
    b.writeBigUInt64LE(BigInt(n));
    return this.add(b);
  }
  f32(n) {
    const b = Buffer.alloc(4);
    b.writeFloatLE(n);
    return this.add(b);
  }
  text(s) {
    const b = Buffer.from(s);
    return this.u64(b.length).add(b);
  }
  pad(to) {
    return this.add(Buffer.alloc((to - (this.size % to)) % to));
  }
  value(type, v) {
    if (type === STRING) return this.text(v);
    return type === F32 ? this.f32(v) : this.u32(v);
  }
  pair(key, type, v) {
    return this.text(key).u32(type).value(type, v);
  }
  list(key, type, all) {
    this.text(key).u32(ARRAY).u32(type).u64(all.length);
    for (const v of all) this.value(type, v);
    return this;
  }
}

/** Numbers from -0.5 to 0.5, the same ones for a seed (mulberry32). */
function dice(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32 - 0.5;
  };
}

function vocabulary() {
  const tokens = ["<unk>", "<s>", "</s>"];
  const types = [2, 3, 3]; // unknown, control, control
  for (let i = 0; i < 256; i++) {
    tokens.push(`<0x${i.toString(16).toUpperCase().padStart(2, "0")}>`);
    types.push(6); // byte
  }
  for (const c of ["▁", ..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,:;!?-_/'\"(){}[]+*=<>"]) {
    tokens.push(c);
    types.push(1);
  }
  return { tokens, types, scores: tokens.map((_, i) => -i) };
}

/** Writes the model to the file `path`. */
export function writeNoise(path, seed = 1) {
  const { tokens, types, scores } = vocabulary();
  const next = dice(seed);
  const tensors = [["token_embd.weight", [WIDTH, tokens.length]], ["output_norm.weight", [WIDTH], 1], ["output.weight", [WIDTH, tokens.length]]];
  for (let n = 0; n < LAYERS; n++) {
    const at = `blk.${n}.`;
    tensors.push([at + "attn_norm.weight", [WIDTH], 1], [at + "ffn_norm.weight", [WIDTH], 1]);
    for (const name of ["attn_q", "attn_k", "attn_v", "attn_output"]) tensors.push([`${at}${name}.weight`, [WIDTH, WIDTH]]);
    for (const name of ["ffn_gate", "ffn_up"]) tensors.push([`${at}${name}.weight`, [WIDTH, INNER]]);
    tensors.push([at + "ffn_down.weight", [INNER, WIDTH]]);
  }
  const pairs = new Bytes();
  const meta = [
    ["general.architecture", STRING, "llama"], ["general.name", STRING, "noise"], ["general.file_type", U32, 0],
    ["llama.context_length", U32, CONTEXT], ["llama.embedding_length", U32, WIDTH], ["llama.block_count", U32, LAYERS],
    ["llama.feed_forward_length", U32, INNER], ["llama.attention.head_count", U32, HEADS], ["llama.attention.head_count_kv", U32, HEADS],
    ["llama.attention.layer_norm_rms_epsilon", F32, 1e-5], ["llama.rope.dimension_count", U32, WIDTH / HEADS], ["llama.vocab_size", U32, tokens.length],
    ["tokenizer.ggml.model", STRING, "llama"], ["tokenizer.ggml.bos_token_id", U32, 1], ["tokenizer.ggml.eos_token_id", U32, 2], ["tokenizer.ggml.unknown_token_id", U32, 0],
    ["tokenizer.chat_template", STRING, "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant: "],
  ];
  for (const [key, type, v] of meta) pairs.pair(key, type, v);
  pairs.list("tokenizer.ggml.tokens", STRING, tokens).list("tokenizer.ggml.scores", F32, scores).list("tokenizer.ggml.token_type", I32, types);

  const file = new Bytes();
  file.add(Buffer.from("GGUF")).u32(3).u64(tensors.length).u64(meta.length + 3);
  for (const b of pairs.parts) file.add(b);
  let offset = 0;
  const data = new Bytes();
  for (const [name, shape, constant] of tensors) {
    const count = shape.reduce((a, b) => a * b, 1);
    file.text(name).u32(shape.length);
    for (const n of shape) file.u64(n);
    file.u32(0).u64(offset); // F32
    const values = Float32Array.from({ length: count }, () => constant ?? next() / 4);
    data.add(Buffer.from(values.buffer)).pad(32);
    offset = data.size;
  }
  file.pad(32);
  for (const b of data.parts) file.add(b);
  writeFileSync(path, Buffer.concat(file.parts));
}
