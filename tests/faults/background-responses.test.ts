/** Fault: responses in the background on the real program: a kill loses no money and leaves none in progress, a stop lets them end, and two processes act as one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Engine } from "../../server/src/db/database.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import { engines } from "../support/databases/databases.ts";
import { letDeadProcessesAge } from "../support/soak/ageing.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { MODELS, type Site, makeSite } from "../support/systems/site.ts";

const USAGE = { input_tokens: 10, output_tokens: 20, total_tokens: 30 };
const TEXT = "One two three four five six seven eight.";
const LIMIT_MS = 120_000;
const PROCESSES: Readonly<Record<Engine, number>> = { sqlite: 1, postgres: 2, mysql: 2 };

interface Shown {
  id: string;
  status: string;
  error: { code: string; message: string } | null;
  output: readonly { content: readonly { text: string }[] }[];
}

describe.each(await engines())("on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let servers: readonly ServerProcess[] = [];
  /** Frames behind the words wait for it. */
  let gate = Promise.withResolvers<void>();

  const startAll = async (): Promise<void> => {
    servers = await Promise.all(Array.from({ length: PROCESSES[engine] }, () => startServer(site.env)));
  };
  const at = (index: number): ServerProcess => {
    const server = servers[index % servers.length];
    if (server === undefined) throw new Error("no server runs");
    return server;
  };
  const ask = (index: number, path: string, method = "GET", body?: object): Promise<Response> =>
    fetch(`${at(index).url}/v1/responses${path}`, {
      method,
      headers: { authorization: `Bearer ${site.people[0]?.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const begin = async (index: number): Promise<string> => {
    const asked = await ask(index, "", "POST", { model: MODELS.counted, input: "hi", background: true });
    const { id, status } = (await asked.json()) as Shown;
    expect([asked.status, status]).toEqual([200, "queued"]);
    return id;
  };
  const read = async (index: number, id: string): Promise<Shown> =>
    (await (await ask(index, `/${id}`)).json()) as Shown;
  const becomes = (index: number, id: string, status: string): Promise<void> =>
    until(async () => (await read(index, id)).status === status, status, 60_000);

  beforeAll(async () => {
    upstream = await startFakeUpstream({
      validates: false,
      records: false,
      plan: () => {
        const held = gate.promise;
        const beforeFrame = (frame: string) =>
          frame.startsWith("event: response.output_text.done") ? held : Promise.resolve();
        return { usage: USAGE, text: TEXT, chunks: 4, beforeFrame };
      },
    });
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9] });
    await startAll();
  });
  afterAll(async () => {
    for (const server of servers) await server.end("SIGKILL");
    await site.remove();
    await upstream.close();
  });

  test("one is polled, followed and cancelled at another process", { timeout: LIMIT_MS }, async () => {
    const first = await begin(0);
    await becomes(1, first, "in_progress");
    const cancelled = (await (await ask(1, `/${first}/cancel`, "POST")).json()) as Shown;
    expect(cancelled).toMatchObject({ id: first, status: "cancelled" });
    expect(cancelled.output[0]?.content[0]?.text).toBe(TEXT);
    const streamed = { model: MODELS.counted, input: "hi", background: true, stream: true };
    const leaving = new AbortController();
    const events = await fetch(`${at(0).url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.people[0]?.key}`, "content-type": "application/json" },
      body: JSON.stringify(streamed),
      signal: leaving.signal,
    });
    const { value } = (await events.body?.getReader().read()) ?? {};
    const id = /resp_bg_[\w-]+/.exec(Buffer.from(value ?? []).toString())?.[0] ?? "";
    leaving.abort();
    const followed = await ask(1, `/${id}?stream=true&starting_after=0`);
    await becomes(1, id, "in_progress");
    gate.resolve();
    const text = await followed.text();
    const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
    expect(numbers).toEqual(numbers.map((_each, index) => index + 1));
    expect(text.trimEnd().split("\n").at(-1)).toContain('"type":"response.completed"');
    expect(await read(1, id)).toMatchObject({ status: "completed" });
    expect(await expectBalancedLedger(site, [], 2)).toBe(2);
  });

  test("a kill voids what was held, and the response has failed", { timeout: LIMIT_MS }, async () => {
    gate = Promise.withResolvers<void>();
    const ids = await Promise.all(Array.from({ length: 5 }, (_, index) => begin(index)));
    for (const id of ids) await becomes(0, id, "in_progress");
    await Promise.all(servers.map((server) => server.end("SIGKILL")));
    servers = [await startServer(site.env)];
    await letDeadProcessesAge(site, at(0).pid);
    for (const id of ids) {
      await becomes(0, id, "failed");
      expect((await read(0, id)).error).toMatchObject({ code: "server_error" });
    }
    expect(await expectBalancedLedger(site, [], 2)).toBe(2);
  });

  test("a stop lets one end within its grace, and it is paid", { timeout: LIMIT_MS }, async () => {
    gate = Promise.withResolvers<void>();
    const id = await begin(0);
    await becomes(0, id, "in_progress");
    const ended = at(0).end("SIGTERM");
    await until(
      () =>
        fetch(at(0).url).then(
          () => false,
          () => true,
        ),
      "no new connections",
    );
    gate.resolve();
    expect(await ended).toEqual({ code: 0, signal: null });
    servers = [await startServer(site.env)];
    expect(await read(0, id)).toMatchObject({ status: "completed" });
    await letDeadProcessesAge(site, at(0).pid);
    expect(await expectBalancedLedger(site, [], 3)).toBe(3);
  });
});
