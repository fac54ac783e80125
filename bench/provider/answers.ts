/** The prepared answers of the benchmark's provider, and how the load client finds a chunk's sending time in them. */

/** Every call asks for this model, which every gateway knows a price for. */
export const MODEL = "gpt-4o-mini";
export const STAMP_DIGITS = 16;
/** Stands before the sending time in the content of every chunk. */
const STAMP_MARK = '"content":"@';
const STAMP_MARK_BYTES = Buffer.from(STAMP_MARK);
/** The longest end of a piece that can hold the beginning of a stamp and never a whole one. */
export const STAMP_CARRY_BYTES = STAMP_MARK.length + STAMP_DIGITS - 1;
const PROMPT_TOKENS = 24;

const COMPLETION = {
  id: "chatcmpl-benchmark0000000000000001",
  object: "chat.completion",
  created: 1_760_000_000,
  model: MODEL,
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "A turnpike is a road that one pays to use. ".repeat(6).trim(),
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: 66,
    total_tokens: PROMPT_TOKENS + 66,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  },
  service_tier: "default",
  system_fingerprint: "fp_benchmark",
};

/** One whole HTTP answer to a chat completion without streaming, about 0.9 kB with its head. */
export const completionResponse = httpAnswer(JSON.stringify(COMPLETION));

function httpAnswer(body: string): Buffer {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** The head of a streamed answer. X-Accel-Buffering is how a provider makes nginx pass each chunk on at once. */
export const streamHead =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n" +
  "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n";

const EVENT_HEAD = `data: {"id":"chatcmpl-benchmark0000000000000001","object":"chat.completion.chunk","created":1760000000,"model":"${MODEL}","service_tier":"default","system_fingerprint":"fp_benchmark",`;
const CHUNK_HEAD = `${EVENT_HEAD}"choices":[{"index":0,"delta":{${STAMP_MARK}`;
const CHUNK_TAIL = ' turnpike"},"logprobs":null,"finish_reason":null}]}\n\n';
const CHUNK_SIZE_LINE = `${(CHUNK_HEAD.length + STAMP_DIGITS + CHUNK_TAIL.length).toString(16)}\r\n`;

/** Microseconds of the machine's monotonic clock, which all its processes share. */
export function monotonicMicroseconds(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** One content chunk in HTTP chunked coding, stamped with the moment it is made. */
export function chunkFrame(): string {
  const stamp = String(monotonicMicroseconds()).padStart(STAMP_DIGITS, "0");
  return `${CHUNK_SIZE_LINE}${CHUNK_HEAD}${stamp}${CHUNK_TAIL}\r\n`;
}

/** Finish reason, usage and [DONE], each its own HTTP chunk, and the end of the body. */
export function closingFrames(completionTokens: number): string {
  const total = PROMPT_TOKENS + completionTokens;
  const finish = `${EVENT_HEAD}"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}\n\n`;
  const usage = `${EVENT_HEAD}"choices":[],"usage":{"prompt_tokens":${PROMPT_TOKENS},"completion_tokens":${completionTokens},"total_tokens":${total}}}\n\n`;
  const frames = [finish, usage, "data: [DONE]\n\n"].map((frame) => `${frame.length.toString(16)}\r\n${frame}\r\n`);
  return `${frames.join("")}0\r\n\r\n`;
}

/** Calls `found` with the sending time (monotonic microseconds) after every `mark`, or of every content chunk, in the bytes. */
export function eachStamp(
  bytes: Buffer,
  found: (sentMicroseconds: number) => void,
  mark: Buffer = STAMP_MARK_BYTES,
): void {
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) {
    const start = at + mark.length;
    if (start + STAMP_DIGITS <= bytes.length) found(Number(bytes.toString("latin1", start, start + STAMP_DIGITS)));
  }
}

const QUESTION = "What is a turnpike, and why would somebody name a gateway after one?";
/** A line of the text that a long prompt brings along. */
const QUOTED_LINE = "A turnpike is a road that one pays to use, and this is one line of many on it.\n";

/** The JSON body of a call as clients send it, about 0.3 kB; with a text of `promptBytes` in front of its question. */
export function requestBody(stream: boolean, promptBytes = 0): string {
  const quoted = QUOTED_LINE.repeat(Math.ceil(promptBytes / QUOTED_LINE.length));
  const messages = [
    { role: "system", content: "You are a helpful assistant. Answer briefly." },
    { role: "user", content: quoted + QUESTION },
  ];
  return JSON.stringify({ model: MODEL, messages, max_tokens: 256, temperature: 0.7, ...(stream ? { stream } : {}) });
}
