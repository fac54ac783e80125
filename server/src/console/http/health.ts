/** /livez, /readyz and /metrics: for supervisors and monitoring, outside the envelope and the limits. */
import type { Registry } from "prom-client";
import { plainAddress } from "../observe/client-address.ts";
import type { ConsoleApp } from "./mount.ts";

export interface HealthFacts {
  /** Each check with its name; all must hold for the process to take calls. */
  checks: Readonly<Record<string, () => boolean | Promise<boolean>>>;
  registry: Registry;
  /** False where /metrics has a port of its own. */
  servesMetrics: boolean;
}

const isLoopback = (address: string): boolean => /^(127\.|::1$)/.test(plainAddress(address));

/** Names of the checks that do not hold. */
async function failingChecks(checks: HealthFacts["checks"]): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, holds]) => [name, await Promise.resolve(holds()).catch(() => false)] as const,
    ),
  );
  return results.flatMap(([name, holds]) => (holds ? [] : [name]));
}

export function mountHealth(app: ConsoleApp, facts: HealthFacts): void {
  app.get("/livez", (c) => c.text("ok"));
  app.get("/readyz", async (c) => {
    const failing = await failingChecks(facts.checks);
    return failing.length === 0 ? c.text("ok") : c.text(`not ready: ${failing.join(", ")}`, 503);
  });
  app.get("/metrics", async (c) => {
    const peer = c.env.incoming.socket.remoteAddress ?? "";
    // A proxy on this machine forwards for the whole world, so what was forwarded is not local.
    const isForwarded = c.req.header("x-forwarded-for") !== undefined || c.req.header("forwarded") !== undefined;
    if (!facts.servesMetrics || !isLoopback(peer) || isForwarded) return c.text("not found", 404);
    return c.body(await facts.registry.metrics(), 200, { "Content-Type": facts.registry.contentType });
  });
}
