/** A seeded system on a temporary folder that is removed afterwards, with the fake upstream behind it: used by demo, gallery and soak. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunningApp, startApp } from "../server/src/app.ts";
import { readConfig } from "../server/src/config.ts";
import { type FakeUpstream, startFakeUpstream } from "../tests/fake-upstream/fake-upstream.ts";
import { plausiblePlan } from "../tests/fake-upstream/main.ts";
import { type Filled, fill, newPassword } from "./seed/fill.ts";
import { SCENARIOS, type ScenarioName } from "./seed/scenarios.ts";

export interface ThrowAway {
  app: RunningApp;
  upstream: FakeUpstream;
  filled: Filled;
  /** Stops both and removes the folder. */
  close(): Promise<void>;
}

/** Starts the server on a new folder; `env` adds to the configuration. */
export async function startEmpty(
  env: Readonly<Record<string, string>> = {},
): Promise<{ app: RunningApp; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "turnpike-"));
  const config = readConfig({
    PORT: "0",
    DATA_DIR: folder,
    ALLOW_PRIVATE_UPSTREAMS: "1",
    GLOBAL_API_RATE_LIMIT_ENABLE: "false",
    LOG_LEVEL: "warn",
    SHUTDOWN_GRACE_SECONDS: "3",
    ...env,
  });
  const app = await startApp(config);
  const close = async (): Promise<void> => {
    await app.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { app, close };
}

/** Starts the server and the fake upstream, and fills the system. */
export async function startThrowAway(
  scenario: ScenarioName,
  env: Readonly<Record<string, string>> = {},
): Promise<ThrowAway> {
  const upstream = await startFakeUpstream({ records: false, plan: plausiblePlan });
  const { app, close: closeApp } = await startEmpty(env);
  const close = async (): Promise<void> => {
    await closeApp();
    await upstream.close();
  };
  try {
    const admin = { username: "root", password: newPassword() };
    return { app, upstream, close, filled: await fill(app, SCENARIOS[scenario], admin, upstream.url) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits until the program is asked to end, then closes. */
export async function untilSignal(place: ThrowAway): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  await place.close();
}
