/** Plays one answer of the fake upstream: which bytes a plan means, and how they go out. */
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { Answer, wait } from "./answer-writer.ts";
import {
  type AnswerParts,
  chatBody,
  completionBody,
  embeddingBody,
  modelsBody,
  splitText,
  streamFrames,
} from "./answers.ts";
import type { Plan, SeenRequest } from "./fake-upstream.ts";
import type { Refusal } from "./validate.ts";

export const DEFAULT_TEXT = "The quick brown fox jumps over the lazy dog.";

/** Tokens as this upstream counts them: a quarter of the characters. */
const tokensOf = (text: string): number => Math.max(1, Math.ceil(text.length / 4));

function partsOf(plan: Plan, seen: SeenRequest): AnswerParts {
  const text = plan.text ?? DEFAULT_TEXT;
  const input = tokensOf(
    JSON.stringify(seen.json?.["messages"] ?? seen.json?.["prompt"] ?? seen.json?.["input"] ?? ""),
  );
  const output = tokensOf(text + (plan.reasoning ?? ""));
  const counted = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return {
    model: String(seen.json?.["model"] ?? ""),
    pieces: splitText(text, plan.chunks ?? 8),
    reasoning: plan.reasoning === undefined ? [] : splitText(plan.reasoning, plan.chunks ?? 8),
    finishReason: plan.finishReason === undefined ? "stop" : plan.finishReason,
    usage: plan.usage === undefined ? counted : plan.usage,
  };
}

const errorBody = (error: { message: string; type?: string; code?: unknown; param?: unknown }): string =>
  JSON.stringify({
    error: {
      message: error.message,
      type: error.type ?? "invalid_request_error",
      param: error.param ?? null,
      code: error.code ?? null,
    },
  });

async function sendWhole(plan: Plan, response: ServerResponse, status: number, text: string | Buffer): Promise<void> {
  const plain = Buffer.from(text);
  const bytes = plan.isGzipped === true ? gzipSync(plain) : plain;
  const answer = new Answer(plan, response);
  answer.head(status, "application/json", bytes.length);
  if (!(await answer.write(bytes))) return;
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  response.end();
}

async function sendStream(plan: Plan, response: ServerResponse, frames: readonly string[]): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(200, "text/event-stream; charset=utf-8");
  for (const text of frames) {
    if (plan.chunkDelayMs !== undefined) await wait(plan.chunkDelayMs);
    if (response.destroyed || !(await answer.write(Buffer.from(text)))) return;
  }
  if (plan.endDelayMs !== undefined) await wait(plan.endDelayMs);
  if (plan.sendsDone !== false && !(await answer.write(Buffer.from("data: [DONE]\n\n")))) return;
  response.end();
}

async function sendPieces(plan: Plan, response: ServerResponse, pieces: readonly string[]): Promise<void> {
  const answer = new Answer(plan, response);
  answer.head(plan.status ?? 200, "text/event-stream");
  for (const piece of pieces) {
    if (response.destroyed || !(await answer.write(Buffer.from(piece)))) return;
    await wait(plan.chunkDelayMs ?? 10);
  }
  response.end();
}

function bodyFor(path: string, plan: Plan, seen: SeenRequest): string {
  const parts = partsOf(plan, seen);
  if (path.endsWith("/embeddings")) {
    const input = seen.json?.["input"];
    const tokens = tokensOf(JSON.stringify(input ?? ""));
    const usage = plan.usage === undefined ? { prompt_tokens: tokens, total_tokens: tokens } : plan.usage;
    return embeddingBody(parts.model, Array.isArray(input) ? input.length : 1, usage);
  }
  return path.endsWith("/chat/completions") || !path.endsWith("/completions") ? chatBody(parts) : completionBody(parts);
}

/** Answers one request as its plan says; `refusal` is what a vendor would say to the request itself. */
export async function play(
  plan: Plan,
  seen: SeenRequest,
  response: ServerResponse,
  models: readonly string[],
  refusal: Refusal | undefined,
): Promise<void> {
  if (plan.dropsRequest === "destroy") return void response.socket?.destroy();
  if (plan.dropsRequest === "reset") return void response.socket?.resetAndDestroy();
  if (plan.neverAnswers === true) return;
  if (plan.headerDelayMs !== undefined) await wait(plan.headerDelayMs);
  if (Array.isArray(plan.rawBody)) return sendPieces(plan, response, plan.rawBody as readonly string[]);
  if (plan.rawBody !== undefined) return sendWhole(plan, response, plan.status ?? 200, plan.rawBody as string | Buffer);
  if (plan.error !== undefined) return sendWhole(plan, response, plan.status ?? 200, errorBody(plan.error));
  if (plan.status !== undefined && plan.status >= 300)
    return sendWhole(plan, response, plan.status, errorBody({ message: `status ${plan.status}` }));
  if (refusal !== undefined) return sendWhole(plan, response, refusal.status, errorBody(refusal));
  if (seen.method === "GET") return sendWhole(plan, response, 200, modelsBody(models));
  if (seen.json?.["stream"] !== true) return sendWhole(plan, response, 200, bodyFor(seen.path, plan, seen));
  const options = seen.json["stream_options"] as { include_usage?: boolean } | undefined;
  const frames = streamFrames(
    partsOf(plan, seen),
    seen.path.endsWith("/chat/completions"),
    options?.include_usage === true,
  );
  return sendStream(plan, response, frames);
}
