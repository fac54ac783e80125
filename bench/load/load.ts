/** Messages to and from the load client: the load to generate and its result. */
import { once } from "node:events";
import { startModule, stopProcess } from "../machine/children.ts";
import type { Gateway } from "../gateways/gateway.ts";

/** Calls started one every `intervalMs`, streamed or not. */
export interface Load {
  readonly port: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly calls: number;
  readonly intervalMs: number;
  readonly stream: boolean;
}

/** Milliseconds; NaN when nothing was measured. */
export interface Spread {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** `first` and `last` count from the start of a call to its first content chunk and its end; `chunkDelay` from sending to receiving. */
export interface LoadResult {
  readonly failures: number;
  readonly chunks: number;
  readonly first: Spread;
  readonly last: Spread;
  readonly chunkDelay: Spread;
}

/** Runs the load from a fresh client process and returns what it saw. */
export async function clientLoad(
  gateway: Gateway,
  load: Pick<Load, "calls" | "intervalMs" | "stream">,
): Promise<LoadResult> {
  const client = startModule(new URL("load-client.ts", import.meta.url), [], { serialization: "advanced" });
  const answer = once(client, "message");
  const gone = once(client, "exit").then(() => {
    throw new Error("the load client ended without a result");
  });
  client.send({ ...load, port: gateway.port, headers: gateway.headers } satisfies Load);
  const [result] = (await Promise.race([answer, gone])) as [LoadResult];
  gone.catch(() => undefined); // it ends after its result, as it should
  await stopProcess(client);
  return result;
}
