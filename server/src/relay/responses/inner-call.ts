/** An inner call: one of Responses that the gateway makes itself for a client, admitted, held, metered, charged and logged like one over HTTP. */
import type { ServerResponse } from "node:http";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import { Call } from "../call/call.ts";
import { baseHeaders } from "../call/respond.ts";
import type { Endpoint } from "../request/paths.ts";
import { type FrameSink, exchangeOf } from "../responses-socket/exchange.ts";

/** The pipeline. Never rejects. */
export type RunCall = (call: Call, endpoint: Endpoint) => Promise<void>;

export interface InnerCall {
  inner: Call;
  /** Destroyed, its client has left. */
  response: ServerResponse;
  /** Resolves once nothing more comes. */
  written: Promise<void>;
}

/** Makes it; `body` is the request, and `sink` takes what it is answered. */
export function innerCallOf(call: Call, body: Buffer, sink: FrameSink): InnerCall {
  const { context } = call;
  const made = exchangeOf(call.request, body, sink, context.limits.sseLineBytes, "/v1/responses");
  const kind = { operation: "chat", dialect: DIALECTS["openai-responses"] } as const;
  const inner = new Call(context, made.request, made.response, kind);
  const written = new Promise<void>((resolve) => made.response.once("close", resolve));
  return { inner, response: made.response, written };
}

/** What such a call was refused with. */
export interface Refused {
  status: number;
  error: JsonObject;
  headers: JsonObject;
}

/** Hands on what the inner call was refused with. */
export function writeRefusal(call: Call, { status, error, headers }: Refused): void {
  const body = Buffer.from(JSON.stringify({ error }));
  const shown = Object.entries(headers).filter(([name]) => name !== "x-request-id");
  const own = [...baseHeaders(call.requestId), "Content-Type", "application/json", "Content-Length"];
  call.status = status;
  call.response.writeHead(status, [
    ...own,
    String(body.length),
    ...shown.flatMap(([name, value]) => [name, String(value)]),
  ]);
  call.response.end(body);
}
