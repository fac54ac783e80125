/** Fault: the power fails under the embedded database while its disk stalls: what the disk had taken is charged, and the ledger balances. */
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { type Finished, startLoad } from "../support/clients/calls.ts";
import { canBreakDisks } from "../support/systems/broken-disk.ts";
import { createKeptDisk } from "../support/systems/kept-disk.ts";
import {
  type ServerProcess,
  type UpstreamProcess,
  startServer,
  startUpstream,
  until,
} from "../support/systems/processes.ts";
import { MODELS, type Site, makeSite, openTestLedger } from "../support/systems/site.ts";

/** Two of them are shorter than the time after which no more calls are let in. */
const STALL_TENTHS = 6;
const LANES = 30;
/** Longer than a sync takes on a machine that does other things too. */
const SYNCED_AFTER_MS = 1_000;

let upstream: UpstreamProcess;

beforeAll(async () => {
  upstream = await startUpstream();
});

afterAll(() => upstream.end());

interface Cut {
  site: Site;
  /** Answered long before the disk stalled, and all. */
  before: readonly Finished[];
  all: readonly Finished[];
  /** Balances are sums, and these are charged; ends everything. */
  expectBooks(finished: readonly Finished[]): Promise<void>;
}

/** Answers calls, lets the disk stall and kills the server while it does; `powerFails` then leaves what was synced alone. */
async function cut(answerWait: string, answersInStall: number, powerFails: boolean): Promise<Cut> {
  const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 12] });
  const disk = createKeptDisk(site.place.config.dataDir);
  let server: ServerProcess | undefined = await startServer({
    ...site.env,
    ...disk.env,
    ANSWER_WAIT_MS: answerWait,
    LOG_LEVEL: "silent",
  });
  const keys = site.people.map(({ key }) => key);
  const load = startLoad({ url: () => server?.url, keys, model: MODELS.counted, lanes: LANES });
  await until(() => load.finished.length >= 50, "answers");
  const before = [...load.finished];
  await delay(SYNCED_AFTER_MS);
  const stalledAt = load.finished.length;
  disk.stall(STALL_TENTHS);
  await until(() => load.finished.length >= stalledAt + answersInStall, "answers while the disk stalls");
  const killed = server;
  server = undefined;
  await killed.end("SIGKILL");
  await load.stop();
  if (powerFails) disk.cutPower();
  const again = await startServer({ ...site.env, LOG_LEVEL: "silent" });
  const all = [...load.finished];
  const expectBooks = async (finished: readonly Finished[]): Promise<void> => {
    // Each lane may have had a call between its charge and its answer when the process died.
    await expectBalancedLedger(site, finished, all.length - finished.length + LANES);
    expect(await again.end()).toEqual({ code: 0, signal: null });
    disk.remove();
    await site.remove();
  };
  return { site, before, all, expectBooks };
}

async function chargedIds(site: Site): Promise<ReadonlySet<string>> {
  const ledger = await openTestLedger(site);
  const rows = await ledger.rows("SELECT entry_id FROM ledger WHERE kind = 'charge'");
  await ledger.close();
  return new Set(rows.map((row) => String(row["entry_id"])));
}

describe.runIf(canBreakDisks())("while the disk stalls", () => {
  test(
    "a power cut loses only what was answered since the last sync, and balances are the sums of what is left",
    { timeout: 120_000 },
    async () => {
      const { site, before, all, expectBooks } = await cut("25", LANES, true);
      const charged = await chargedIds(site);
      const lost = all.filter(({ requestId }) => !charged.has(requestId));
      console.log(`${all.length} answers, ${lost.length} charges lost to the power cut`);
      expect(lost.length, "charges that a stalled disk cannot have").toBeGreaterThan(0);
      await expectBooks(before);
    },
  );

  test("a killed process loses nothing that was answered", { timeout: 120_000 }, async () => {
    const { all, expectBooks } = await cut("0", LANES, false);
    await expectBooks(all);
  });

  test("ANSWER_WAIT_MS=always loses nothing to a power cut", { timeout: 120_000 }, async () => {
    const { all, expectBooks } = await cut("always", LANES, true);
    await expectBooks(all);
  });
});
