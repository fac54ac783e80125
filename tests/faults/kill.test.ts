/** Fault: a server that is killed with calls in flight loses no charge of an answer that its client received completely, and charges none twice. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { startLoad } from "../support/clients/calls.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { engines } from "../support/databases/databases.ts";
import { IS_LONG, IS_SHORT } from "../support/soak/short-or-long.ts";
import { MODELS, makeSite } from "../support/systems/site.ts";

const KILLS = IS_LONG ? 20 : IS_SHORT ? 1 : 2;
const LANES = 150;
const LEAST_IN_FLIGHT = 100;
/** Answers between two kills, so that each kill meets a server at work. */
const ANSWERS_BETWEEN = 150;

const found = await engines();
let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

test.each(found)(
  `kill -9 with ${LEAST_IN_FLIGHT} calls in flight, ${KILLS} times, on %s`,
  { timeout: IS_LONG ? 900_000 : 120_000 },
  async (engine) => {
    const site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 12, 10 ** 12, 10 ** 12] });
    let server: ServerProcess | undefined = await startServer(site.env);
    const load = startLoad({
      url: () => server?.url,
      keys: site.people.map(({ key }) => key),
      model: MODELS.counted,
      lanes: LANES,
    });
    const cutAt: number[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const goal = load.finished.length + ANSWERS_BETWEEN;
      await until(
        async () => load.finished.length >= goal && (await upstream.facts()).openCount >= LEAST_IN_FLIGHT,
        "calls in flight",
      );
      const killed = server;
      server = undefined;
      cutAt.push(load.openCount);
      await killed?.end("SIGKILL");
      server = await startServer(site.env);
    }
    const goal = load.finished.length + ANSWERS_BETWEEN;
    await until(() => load.finished.length >= goal, "calls after the last kill");
    await load.stop();
    await letDeadProcessesAge(site, server.pid);
    const cut = cutAt.reduce((sum, count) => sum + count, 0);
    const charges = await expectBalancedLedger(site, load.finished, cut);
    console.log(
      `${engine}: ${KILLS} kills, ${cut} calls cut, ${load.finished.length} seen complete, ${charges} charged`,
    );
    expect(Math.min(...cutAt)).toBeGreaterThanOrEqual(LEAST_IN_FLIGHT);
    expect(await server.end()).toEqual({ code: 0, signal: null });
    await site.remove();
  },
);
