/** Starts the benchmark's provider process and sets the pace of its streams; called directly it is the subject 'direct'. */
import { once } from "node:events";
import { processIdOf, startModule, stopProcess } from "../machine/children.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { StreamPace } from "./upstream.ts";

/** The provider, reachable without any gateway, and the switch for its streams. */
export interface Provider {
  readonly direct: Gateway;
  /** In force for every stream that begins after it resolves. */
  setPace(pace: StreamPace): Promise<void>;
}

/** Starts the provider on a free port. */
export async function startProvider(): Promise<Provider> {
  const child = startModule(new URL("upstream.ts", import.meta.url), []);
  const [port] = (await once(child, "message")) as [number];
  const direct: Gateway = {
    name: "direct",
    version: "no gateway",
    port,
    headers: {},
    processId: processIdOf(child),
    stop: () => stopProcess(child),
  };
  const setPace = async (pace: StreamPace): Promise<void> => {
    const confirmed = once(child, "message");
    child.send(pace);
    await confirmed;
  };
  return { direct, setPace };
}
