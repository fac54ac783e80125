/** The fake upstream's plain mode: the same bytes for every call, made beforehand, for benchmarks. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { type AnswerParts, chatBody, streamFrames } from "./openai/answers.ts";
import { DEFAULT_TEXT, splitText } from "./vendor.ts";

/** Bytes of the plain mode, made once. */
export function plainAnswers(): { body: Buffer; stream: Buffer } {
  const parts: AnswerParts = {
    model: "gpt-4o-mini",
    pieces: splitText(DEFAULT_TEXT, 8),
    reasoning: [],
    finishReason: "stop",
    usage: { prompt_tokens: 12, completion_tokens: 11, total_tokens: 23 },
  };
  return {
    body: Buffer.from(chatBody(parts)),
    stream: Buffer.from(`${streamFrames(parts, true, true).join("")}data: [DONE]\n\n`),
  };
}

/** Answers without looking at more than the stream flag. */
export function answerPlainly(
  request: IncomingMessage,
  response: ServerResponse,
  bytes: ReturnType<typeof plainAnswers>,
): void {
  let isStream = false;
  request.on("data", (part: Buffer) => {
    isStream ||= part.includes('"stream":true') || part.includes('"stream": true');
  });
  request.on("end", () => {
    const answer = isStream ? bytes.stream : bytes.body;
    response.writeHead(200, {
      "content-type": isStream ? "text/event-stream" : "application/json",
      "content-length": answer.length,
    });
    response.end(answer);
  });
}
