/** Fault: a full or failing disk under the embedded database loses no charge and hangs no call, and no call is admitted meanwhile. */
import { describe, expect, test } from "vitest";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { IS_LONG, IS_SHORT } from "../support/soak/short-or-long.ts";
import { canBreakDisks, createBrokenDisk } from "../support/systems/broken-disk.ts";
import { callChat, startLoad } from "../support/clients/calls.ts";
import { startServer, startUpstream, until } from "../support/systems/processes.ts";
import { MODELS, loggedIn, makeSite } from "../support/systems/site.ts";

/** So often it is looked whether the server lets people in, 100 ms apart. */
const LOOKS = IS_SHORT ? 10 : 40;
const readiness = async (url: string): Promise<string> => (await fetch(`${url}/readyz`)).text();

/** A full disk is what happens; one that fails goes the same way, in the long form. */
const FAULTS = IS_LONG ? (["ENOSPC", "EIO"] as const) : (["ENOSPC"] as const);

describe.each(canBreakDisks() ? FAULTS : [])("a disk with %s", (fault) => {
  test(
    "admits no call until a write has succeeded, answers waiting calls, and every answer is charged once in the end",
    { timeout: 180_000 },
    async () => {
      const upstream = await startUpstream();
      const site = await makeSite("sqlite", { upstreamUrl: upstream.url, quotas: [10 ** 12] });
      const disk = createBrokenDisk(site.place.config.dataDir);
      const server = await startServer({ ...site.env, ...disk.env, LOG_LEVEL: "silent" });
      const key = site.people[0]?.key ?? "";
      const startUnder = () => startLoad({ url: () => server.url, keys: [key], model: MODELS.counted, lanes: 40 });
      const load = startUnder();
      await until(() => load.finished.length > 100, "answers");

      disk.fail(fault);
      await until(async () => (await readiness(server.url)).includes("books"), "a red /readyz");
      await load.stop(); // Each call that was under way has its answer, with neither database nor journal.
      const before = (await upstream.facts()).count;
      const refused = await Promise.all(
        Array.from({ length: 20 }, () => callChat(server.url, key, { model: MODELS.counted, isStream: false })),
      );
      expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([503]));
      expect((await upstream.facts()).count).toBe(before);
      const seen = new Set<string>();
      for (let looks = 0; looks < LOOKS; looks += 1) {
        seen.add(await readiness(server.url));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect([...seen].filter((text) => !text.includes("books"))).toEqual([]);
      expect((await fetch(`${server.url}/livez`)).status).toBe(200);

      disk.mend();
      await until(async () => (await readiness(server.url)) === "ok", "a green /readyz", 60_000);
      const after = startUnder();
      await until(() => after.finished.length > 50, "answers after it");
      await after.stop();
      await expectBalancedLedger(site, [...load.finished, ...after.finished], 0);
      expect(await server.end()).toEqual({ code: 0, signal: null });
      disk.remove();
      await site.remove();
      await upstream.end();
    },
  );

  test("is a 503 at the console, and the server stays up", { timeout: 120_000 }, async () => {
    const site = await makeSite("sqlite", { upstreamUrl: "http://127.0.0.1:9", quotas: [10 ** 6] });
    const disk = createBrokenDisk(site.place.config.dataDir);
    const server = await startServer({ ...site.env, ...disk.env, LOG_LEVEL: "silent" });
    const person = await loggedIn(server.url, "person0");
    disk.fail(fault);
    const answers = await Promise.all(
      ["a", "b", "c"].map((name) => person.post("/api/token", { name, unlimited_quota: true, expired_time: -1 })),
    );
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, "database_unavailable"]),
    );
    disk.mend();
    const again = await person.post("/api/token", { name: "d", unlimited_quota: true, expired_time: -1 });
    expect(again.body.success).toBe(true);
    expect(await server.end()).toEqual({ code: 0, signal: null });
    disk.remove();
    await site.remove();
  });
});
