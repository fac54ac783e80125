/** Fault: sockets of /v1/responses on the real program: a kill loses no charge, a stop lets answers end, and what an administrator changes is in force on an open socket within a second. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Engine } from "../../server/src/db/database.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { engines } from "../support/databases/databases.ts";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { ROOT_PASSWORD } from "../support/systems/server.ts";
import {
  MODELS,
  type Site,
  countedPrice,
  dataOf,
  loggedIn,
  makeSite,
  openTestLedger,
} from "../support/systems/site.ts";

const USAGE = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
const SOCKETS = 30;
const LIMIT_MS = 120_000;
/** In force means within this time; the machine may be busy beside it. */
const IN_FORCE_MS = 1_000;

interface Heard {
  type: string;
  error?: { code: string };
}

/** A socket that asks again as soon as it was answered, until it is to rest. */
class Asker {
  readonly socket: WebSocket;
  heard: Heard[] = [];
  asked = 0;
  closeCode = 0;
  isResting = false;

  constructor({ url }: ServerProcess, key: string) {
    this.socket = new WebSocket(`${url.replace("http", "ws")}/v1/responses`, {
      headers: { authorization: `Bearer ${key}` },
    });
    this.socket.on("open", () => this.ask());
    this.socket.on("message", (data: Buffer) => {
      const event = JSON.parse(data.toString()) as Heard;
      if (event.type !== "response.completed" && event.type !== "error") return;
      this.heard.push(event);
      if (!this.isResting) this.ask();
    });
    this.socket.on("close", (code) => (this.closeCode = code));
    this.socket.on("error", () => undefined);
  }

  ask(): void {
    this.asked += 1;
    const frame = { type: "response.create", model: MODELS.counted, store: false, input: "hi" };
    this.socket.send(JSON.stringify(frame));
  }

  get completed(): number {
    return this.heard.filter(({ type }) => type === "response.completed").length;
  }
}

const total = (askers: readonly Asker[], read: (asker: Asker) => number): number =>
  askers.reduce((sum, asker) => sum + read(asker), 0);
/** Several processes need a database of their own. */
const workersOf = (engine: Engine): Record<string, string> => (engine === "sqlite" ? {} : { WORKERS: "2" });

describe.each(await engines())("on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let server: ServerProcess;
  beforeAll(async () => {
    upstream = await startFakeUpstream({
      validates: false,
      records: false,
      plan: () => ({ usage: USAGE, chunks: 4, chunkDelayMs: 20 }),
    });
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9, 10 ** 9] });
    server = await startServer(site.env);
  });
  afterAll(async () => {
    await server.end("SIGKILL");
    await site.remove();
    await upstream.close();
  });

  test("a kill loses no charge, and a stop lets answers end and be paid", { timeout: LIMIT_MS }, async () => {
    const key = site.people[0]?.key ?? "";
    const open = () => Array.from({ length: SOCKETS }, () => new Asker(server, key));
    const killed = open();
    await until(() => total(killed, ({ completed }) => completed) >= SOCKETS * 3, "answers before the kill");
    await server.end("SIGKILL");
    await until(() => killed.every(({ closeCode }) => closeCode !== 0), "the end of the sockets");
    server = await startServer({ ...site.env, ...workersOf(engine) });
    await letDeadProcessesAge(site, server.pid);
    const stopped = open();
    await until(() => total(stopped, ({ completed }) => completed) >= SOCKETS, "answers after the kill");
    for (const asker of stopped) asker.isResting = true;
    const ended = server.end("SIGTERM");
    await until(() => stopped.every(({ closeCode }) => closeCode !== 0), "the end of the sockets");
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(new Set(stopped.map(({ closeCode }) => closeCode))).toEqual(new Set([1001]));
    // What was under way when the stop came was answered to its end.
    expect(total(stopped, ({ completed }) => completed)).toBe(total(stopped, ({ asked }) => asked));
    server = await startServer(site.env);
    await letDeadProcessesAge(site, server.pid);
    const all = [...killed, ...stopped];
    const charges = await expectBalancedLedger(site, [], Number.POSITIVE_INFINITY);
    expect(charges).toBeGreaterThanOrEqual(total(all, ({ completed }) => completed));
    expect(charges).toBeLessThanOrEqual(total(all, ({ asked }) => asked));
    const ledger = await openTestLedger(site);
    const paid = await ledger.rows("SELECT DISTINCT used_delta FROM ledger WHERE kind = 'charge'");
    await ledger.close();
    expect(paid.map(({ used_delta: used }) => Number(used))).toContain(
      countedPrice(USAGE.input_tokens, USAGE.output_tokens),
    );
  });

  test("a balance that is gone and a ban are in force on an open socket", { timeout: LIMIT_MS }, async () => {
    const { userId = 0, key = "" } = site.people[1] ?? {};
    const root = await loggedIn(server.url, "root", ROOT_PASSWORD);
    const asker = new Asker(server, key);
    await until(() => asker.completed > 0, "an answer");
    /** Milliseconds from a change to the first refusal of this code. */
    const msUntil = async (code: string, change: () => Promise<unknown>): Promise<number> => {
      await change();
      const changedMs = performance.now();
      await until(() => asker.heard.some(({ error }) => error?.code === code), code);
      return performance.now() - changedMs;
    };
    const act = (fields: object) => dataOf(root.post("/api/user/manage", { id: userId, ...fields }));
    const toNothing = () => act({ action: "add_quota", mode: "override", value: 0 });
    expect(await msUntil("insufficient_user_quota", toNothing)).toBeLessThan(IN_FORCE_MS);
    expect(await msUntil("user_banned", () => act({ action: "disable" }))).toBeLessThan(IN_FORCE_MS);
    asker.isResting = true;
    asker.socket.terminate();
  });
});
