/** Health and metrics endpoints (/livez, /readyz, /metrics) for supervisors and monitoring, without the envelope and the rate limits. */
import type { Registry } from "prom-client";
import { UNAVAILABLE_SECONDS } from "../../../../contract/src/errors.ts";
import type { ConsoleApp } from "./mount.ts";
import { isSameSecret } from "./same-secret.ts";

export interface HealthInfo {
  /** Each check with its name; all must hold for the process to take calls. */
  checks: Readonly<Record<string, () => boolean | Promise<boolean>>>;
  registry: Registry;
  /** Bearer token that /metrics asks for; undefined: there is none here. */
  metricsToken: string | undefined;
}

/** Names of the checks that do not hold. */
async function failingChecks(checks: HealthInfo["checks"]): Promise<string[]> {
  const results = await Promise.all(
    Object.entries(checks).map(
      async ([name, holds]) => [name, await Promise.resolve(holds()).catch(() => false)] as const,
    ),
  );
  return results.flatMap(([name, holds]) => (holds ? [] : [name]));
}

export function mountHealth(app: ConsoleApp, facts: HealthInfo): void {
  app.get("/livez", (c) => c.text("ok"));
  app.get("/readyz", async (c) => {
    const failing = await failingChecks(facts.checks);
    if (failing.length === 0) return c.text("ok");
    return c.text(`not ready: ${failing.join(", ")}`, 503, { "Retry-After": String(UNAVAILABLE_SECONDS) });
  });
  app.get("/metrics", async (c) => {
    const [, given = ""] = /^bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "") ?? [];
    if (facts.metricsToken === undefined || !isSameSecret(given, facts.metricsToken)) return c.text("not found", 404);
    return c.body(await facts.registry.metrics(), 200, { "Content-Type": facts.registry.contentType });
  });
}
