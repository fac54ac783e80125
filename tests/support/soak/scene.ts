/** The setup of a soak run: a server process of its own with a channel of each format, an upstream, one user's key, and the ledger. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import type { Plan } from "../../fake-upstream/plan.ts";
import type { Footprint } from "../systems/measured-server.ts";
import { SERVER_ENVIRONMENT, SERVER_FLAGS } from "../../../tools/setup/runtime.mjs";
import { ROOT_PASSWORD } from "../systems/server.ts";
import { dataOf, loggedIn, makeSite, openTestLedger, type Site } from "../systems/site.ts";
import { UPSTREAM_FORMATS } from "../clients/upstream-formats.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));

/** Idle connections of the server's pools are used again, and are gone soon after the last call: they are no leak. */
const KEEP_ALIVE_MS = 3_000;

export interface SoakScene {
  url: string;
  /** Of a user with more quota than a run can use. */
  key: string;
  upstream: FakeUpstream;
  /** The database's folder and the user, for reading beside the server. */
  site: Site;
  /** Until the server has let go of every connection to the upstream, at most ten seconds. */
  untilQuiet(): Promise<void>;
  /** What the server process holds now, after a collection. */
  measure(): Promise<Footprint>;
  /** Stops everything; the wrong values of the ledger then. */
  close(): Promise<{ wrongValues: number }>;
}

interface MeasuredServer {
  url: string;
  measure(): Promise<Footprint>;
  end(): Promise<void>;
}

type Told = { url: string } | { id: number; seen: Footprint };

async function startMeasuredServer(env: Site["env"]): Promise<MeasuredServer> {
  const child: ChildProcess = spawn(
    process.execPath,
    [...SERVER_FLAGS, "--expose-gc", join("tests", "support", "systems", "measured-server.ts")],
    {
      cwd: ROOT,
      // Nothing of the environment of the tests but what the launcher gives a server.
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", LOG_LEVEL: "silent", ...SERVER_ENVIRONMENT, ...env },
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    },
  );
  const exited = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const waiting = new Map<number, (seen: Footprint) => void>();
  const url = await new Promise<string>((resolve, reject) => {
    child.on("message", (told: Told) => ("url" in told ? resolve(told.url) : waiting.get(told.id)?.(told.seen)));
    void exited.then(() => reject(new Error("the measured server ended")));
  });
  let lastId = 0;
  return {
    url,
    measure: () =>
      new Promise((resolve) => {
        lastId += 1;
        waiting.set(lastId, resolve);
        child.send(lastId);
      }),
    end: () => {
      child.kill("SIGTERM");
      return exited;
    },
  };
}

/** A channel of each format and a price for its model, by the console of the running server. */
async function addChannels(url: string, upstreamUrl: string): Promise<void> {
  const root = await loggedIn(url, "root", ROOT_PASSWORD);
  const ratios = Object.fromEntries(UPSTREAM_FORMATS.map(({ model }) => [model, 2.5]));
  await dataOf(root.put("/api/option", { key: "ModelRatio", value: JSON.stringify(ratios) }));
  for (const { name, type, model } of UPSTREAM_FORMATS) {
    const channel = { type, name, key: "sk-upstream-0123456789", base_url: upstreamUrl, models: model, auto_ban: 0 };
    await dataOf(root.post("/api/channel", { ...channel, groups: ["default"] }));
  }
}

const connectionsOf = ({ server }: FakeUpstream): Promise<number> =>
  new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  );

async function untilQuiet(upstream: FakeUpstream): Promise<void> {
  const end = performance.now() + 10_000;
  while ((await connectionsOf(upstream)) > 0 && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Starts everything; `plan` says how the upstream answers, `env` adds to the server's environment, `quotas` are those of the users. */
export async function startSoakScene(
  plan: () => Plan,
  env: Readonly<Record<string, string>> = {},
  quotas: readonly number[] = [10 ** 14],
): Promise<SoakScene> {
  const upstream = await startFakeUpstream({ records: false, plan, keepAliveMs: KEEP_ALIVE_MS });
  const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas });
  const server = await startMeasuredServer({ ...site.env, ...env });
  await addChannels(server.url, upstream.url);
  const stop = async (): Promise<{ wrongValues: number }> => {
    await server.end();
    const ledger = await openTestLedger(site);
    const { faults } = await ledger.audit();
    await ledger.close();
    await upstream.close();
    await site.remove();
    return { wrongValues: faults.length };
  };
  const { measure, url } = server;
  const key = site.people[0]?.key ?? "";
  let stopping: ReturnType<typeof stop> | undefined;
  const close = (): ReturnType<typeof stop> => (stopping ??= stop());
  return { url, key, upstream, site, measure, close, untilQuiet: () => untilQuiet(upstream) };
}
