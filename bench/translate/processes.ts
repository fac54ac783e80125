/** The processes around the gateways in `npm run bench -- translate`: providers and load clients that take orders. */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { startModule, stopProcess } from "../machine/children.ts";
import type { ClientFormat } from "./wire.ts";

/** How the streams of a provider run: time between two writes of one stream, and events in each write. */
export interface StreamShape {
  readonly paceMs: number;
  readonly eventsPerWrite: number;
}

/** `finish` ends every open stream in its format's own way. The first order must be a shape, and so must every one after a finish. */
export type UpstreamOrder = StreamShape | "go" | "pause" | "count" | "finish";

/** Streams to open, one every `intervalMs`. */
export interface Opening {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly format: ClientFormat;
  readonly model: string;
  readonly streams: number;
  readonly intervalMs: number;
}

/** `delays` asks for the delays of all tokens since the last order; `close` for the same once every stream has ended. */
export type ClientOrder = Opening | "delays" | "close";

/** `milliseconds` are times to the first token of an opening, else delays of tokens; the counts are of all since the start. */
export interface ClientAnswer {
  readonly milliseconds: number[];
  readonly words: number;
  readonly failures: number;
}

/** A process that answers each order with one message. */
export interface Obedient<Order, Answer> {
  /** Throws when the process has ended. */
  ask(order: Order): Promise<Answer>;
  stop(): Promise<void>;
}

function obedient<Order, Answer>(child: ChildProcess): Obedient<Order, Answer> {
  const gone = once(child, "exit").then(() => {
    throw new Error(`${child.spawnargs.join(" ")} ended before it answered`);
  });
  gone.catch(() => undefined); // in the end it is ended on purpose
  const ask = async (order: Order): Promise<Answer> => {
    const answer = once(child, "message");
    child.send(order as object);
    const [value] = (await Promise.race([answer, gone])) as [Answer];
    return value;
  };
  return { ask, stop: () => stopProcess(child) };
}

/** Answers with the number of tokens sent so far. */
export type Upstream = Obedient<UpstreamOrder, number>;
export type Client = Obedient<ClientOrder, ClientAnswer>;

/** Starts a provider on a free port. */
export async function startUpstream(): Promise<{ port: number; upstream: Upstream }> {
  const child = startModule(new URL("upstream.ts", import.meta.url), []);
  const [port] = (await once(child, "message")) as [number];
  return { port, upstream: obedient(child) };
}

/** Starts a load client. */
export const startClient = (): Client =>
  obedient(startModule(new URL("client.ts", import.meta.url), [], { serialization: "advanced" }));
