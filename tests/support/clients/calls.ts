/** A relay client that records how much of an answer it received, and a load of such calls that continues through restarts. */
import { Agent, request } from "node:http";
import type { IncomingMessage } from "node:http";
import { type Directive, PLAN_MARK } from "../systems/directed-upstream.ts";

export interface CallOptions {
  model: string;
  isStream: boolean;
  plan?: Directive;
  /** More fields of the body. */
  fields?: Readonly<Record<string, unknown>>;
  agent?: Agent;
  /** Called with all that came so far; true closes the connection there. */
  leaves?: (received: Buffer) => boolean;
}

export interface CallOutcome {
  /** 0 where no head came. */
  status: number;
  /** Empty where no head came. */
  requestId: string;
  /** The whole answer came: `[DONE]`, or a JSON body of the announced length. */
  isComplete: boolean;
  body: Buffer;
}

const NO_ANSWER: CallOutcome = { status: 0, requestId: "", isComplete: false, body: Buffer.alloc(0) };

export const bodyOf = ({ model, isStream, plan = {}, fields = {} }: CallOptions): string =>
  JSON.stringify({
    model,
    stream: isStream,
    ...(isStream ? { stream_options: { include_usage: true } } : {}),
    messages: [{ role: "user", content: PLAN_MARK + JSON.stringify(plan) }],
    ...fields,
  });

function isWhole(answer: IncomingMessage, body: Buffer): boolean {
  if (!answer.complete || answer.statusCode !== 200) return false;
  const isStream = String(answer.headers["content-type"]).startsWith("text/event-stream");
  if (isStream) return body.toString("latin1").endsWith("data: [DONE]\n\n");
  return body.length > 0 && body.length === Number(answer.headers["content-length"]);
}

/** Posts one chat completion. Never throws: what went wrong is seen by how far the answer came. */
export function callChat(url: string, key: string, options: CallOptions): Promise<CallOutcome> {
  return new Promise((resolve) => {
    const call = request(`${url}/v1/chat/completions`, {
      method: "POST",
      agent: options.agent ?? false,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    });
    let hasHead = false;
    // After the head the answer itself shows how far it came.
    call.on("error", () => hasHead || resolve(NO_ANSWER));
    call.on("response", (answer) => {
      hasHead = true;
      const parts: Buffer[] = [];
      const over = (): void => {
        const body = Buffer.concat(parts);
        const requestId = String(answer.headers["x-request-id"] ?? "");
        resolve({ status: answer.statusCode ?? 0, requestId, isComplete: isWhole(answer, body), body });
      };
      answer.on("data", (part: Buffer) => {
        parts.push(part);
        if (options.leaves?.(Buffer.concat(parts)) === true) call.destroy();
      });
      answer.on("error", over);
      answer.on("close", over);
    });
    call.end(bodyOf(options));
  });
}

/** Text of a streamed or whole chat answer, joined from its deltas as a client reads them: frames that are no JSON say nothing. */
export function textOf({ body }: Pick<CallOutcome, "body">): string {
  const text = body.toString("utf8");
  if (text.startsWith("{")) return wordsOf(text, "message");
  return text
    .split(/\r?\n\r?\n/)
    .map((frame) => wordsOf(dataOfFrame(frame), "delta"))
    .join("");
}

const dataOfFrame = (frame: string): string =>
  frame
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5))
    .join("\n");

function wordsOf(json: string, field: "message" | "delta"): string {
  const choices = choicesOf(json);
  return choices.map((choice) => choice?.[field]?.content ?? "").join("");
}

type Choice = Record<string, { content?: string | null } | undefined> | null;

function choicesOf(json: string): readonly Choice[] {
  try {
    const value = JSON.parse(json) as { choices?: Choice[] | null } | null;
    return value?.choices ?? [];
  } catch {
    return []; // [DONE], a comment, or what was cut
  }
}

/** An answer that a client saw complete, with the usage its upstream counted. */
export interface Finished {
  requestId: string;
  promptTokens: number;
  completionTokens: number;
}

export interface Load {
  readonly finished: readonly Finished[];
  /** Statuses of answers that were refused, with their number. */
  readonly refused: ReadonlyMap<number, number>;
  /** Calls that wait for their answer now. */
  readonly openCount: number;
  /** Lets no new calls begin and waits for those under way. */
  stop(): Promise<void>;
}

export interface LoadOptions {
  /** Where the server is now; undefined while there is none. */
  url: () => string | undefined;
  keys: readonly string[];
  model: string;
  lanes: number;
}

/** A generator of numbers that are the same in each run (mulberry32). Gives 0 up to, not including, `bound`. */
export function seededChance(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * bound);
  };
}

const RETRY_PAUSE_MS = 20;

/** Keeps so many calls under way, streamed and buffered alternately, each with a usage of its own; continues while servers come and go. */
export function startLoad({ url, keys, model, lanes }: LoadOptions): Load {
  const finished: Finished[] = [];
  const refused = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let isStopping = false;
  let openCount = 0;

  const one = async (address: string, key: string, chance: (bound: number) => number): Promise<boolean> => {
    const promptTokens = 1 + chance(5_000);
    const completionTokens = 1 + chance(900);
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
    const isStream = chance(2) === 0;
    const plan = {
      usage,
      chunks: 6,
      ...(isStream ? { chunkDelayMs: 1 + chance(60) } : { headerDelayMs: chance(400) }),
    };
    openCount += 1;
    const outcome = await callChat(address, key, { model, isStream, plan, agent });
    openCount -= 1;
    if (outcome.isComplete) finished.push({ requestId: outcome.requestId, promptTokens, completionTokens });
    else if (outcome.status >= 400) refused.set(outcome.status, (refused.get(outcome.status) ?? 0) + 1);
    return outcome.isComplete;
  };

  const lane = async (index: number): Promise<void> => {
    const chance = seededChance(index + 1);
    while (!isStopping) {
      const address = url();
      const isAnswered = address !== undefined && (await one(address, keys[index % keys.length] ?? "", chance));
      // Only a server that is away is worth a pause.
      if (!isAnswered) await new Promise((resolve) => setTimeout(resolve, RETRY_PAUSE_MS));
    }
  };
  const all = Promise.all(Array.from({ length: lanes }, (_, index) => lane(index)));
  return {
    finished,
    refused,
    get openCount() {
      return openCount;
    },
    stop: async () => {
      isStopping = true;
      await all;
      agent.destroy();
    },
  };
}
