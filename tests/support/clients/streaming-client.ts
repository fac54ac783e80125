/** A client of any format over plain HTTP that records how far its answer came, and can disconnect in the middle of it. */
import { Agent, request } from "node:http";
import { awakeMs } from "./awake-clock.ts";
import { type ClientFormat, type SeenEvent, eventsIn, wordsIn } from "./client-formats.ts";

export interface Leaving {
  /** Called at every piece that came, with the text so far; true closes the connection. */
  leaves(words: string): boolean;
}

export interface StreamCall {
  url: string;
  /** With or without `sk-`. */
  key: string;
  format: ClientFormat;
  model: string;
  isStream: boolean;
  text: string;
  leaving?: Leaving;
  /** Closes the connection from outside. */
  signal?: AbortSignal;
}

export interface StreamOutcome {
  /** 0 where no head came. */
  status: number;
  /** Empty where no head came. */
  requestId: string;
  body: string;
  events: readonly SeenEvent[];
  /** Text that came in events. */
  words: string;
  /** performance.now() when this client left; 0 where it stayed. */
  leftAtMs: number;
  /** From the request to the end of what came, in milliseconds while this process could run. */
  tookMs: number;
}

/** Makes the call and waits until its connection is over. Never throws: the outcome says how far it came. */
export function callStream({
  url,
  key,
  format,
  model,
  isStream,
  text,
  leaving,
  signal,
}: StreamCall): Promise<StreamOutcome> {
  const startedMs = awakeMs();
  return new Promise((resolve) => {
    let [status, requestId, body, leftAtMs] = [0, "", "", 0];
    const agent = new Agent({ keepAlive: false });
    const call = request(url + format.path(model, isStream), {
      method: "POST",
      agent,
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    });
    const leave = (): void => {
      leftAtMs = performance.now();
      call.destroy();
    };
    signal?.addEventListener("abort", leave);
    call.on("error", () => undefined); // the outcome has it
    call.on("close", () => {
      const events = eventsIn(body);
      const words = wordsIn(format, events);
      resolve({ status, requestId, body, events, words, leftAtMs, tookMs: awakeMs() - startedMs });
    });
    call.on("response", (answer) => {
      status = answer.statusCode ?? 0;
      requestId = String(answer.headers["x-request-id"] ?? "");
      answer.setEncoding("utf8");
      answer.on("error", () => undefined); // its own leaving, or a connection that broke
      answer.on("data", (piece: string) => {
        body += piece;
        if (leaving?.leaves(wordsIn(format, eventsIn(body))) === true) leave();
      });
    });
    call.end(JSON.stringify(format.body(model, isStream, text)));
    if (leaving?.leaves("") === true) setImmediate(leave);
  });
}
