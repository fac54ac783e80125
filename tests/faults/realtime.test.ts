/** Fault: realtime sessions on the real program, one process and several: every answer is charged once, and a stop lets answers finish. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import type { Engine } from "../../server/src/db/database.ts";
import { type FakeUpstream, startFakeUpstream } from "../fake-upstream/fake-upstream.ts";
import { WRITTEN_USAGE } from "../fake-upstream/openai/realtime-session.ts";
import { expectBalancedLedger } from "../support/checks/balance-sheet.ts";
import type { Finished } from "../support/clients/calls.ts";
import { type ServerProcess, startServer, until } from "../support/systems/processes.ts";
import { engines } from "../support/databases/databases.ts";
import { MODELS, type Site, makeSite } from "../support/systems/site.ts";

const UPSTREAM_KEY = "sk-upstream-0123456789abcdef";

/** A session that remembers what it heard. */
class Session {
  readonly socket: WebSocket;
  readonly types: string[] = [];
  requestId = "";
  closeCode = 0;

  constructor(server: ServerProcess, key: string) {
    const url = `${server.url.replace("http", "ws")}/v1/realtime?model=${MODELS.counted}`;
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${key}` } });
    this.socket.on("upgrade", ({ headers }) => (this.requestId = String(headers["x-request-id"])));
    this.socket.on("message", (data) => {
      this.types.push((JSON.parse((data as Buffer).toString()) as { type: string }).type);
    });
    this.socket.on("close", (code) => (this.closeCode = code));
    this.socket.on("error", () => undefined);
  }

  has = (type: string, times = 1): Promise<void> =>
    until(() => this.types.filter((each) => each === type).length >= times, type);

  ask(): void {
    this.socket.send(JSON.stringify({ type: "response.create", response: { output_modalities: ["text"] } }));
  }

  /** The answer of this number as the ledger has to have it. */
  finished(number: number): Finished {
    const { input_tokens: promptTokens, output_tokens: completionTokens } = WRITTEN_USAGE;
    return { requestId: `${this.requestId}-${number}`, promptTokens, completionTokens };
  }
}

/** Several processes need a database of their own. */
const workersOf = (engine: Engine): Record<string, string> => (engine === "sqlite" ? {} : { WORKERS: "2" });

describe.each(await engines())("on %s", (engine) => {
  let upstream: FakeUpstream;
  let site: Site;
  let server: ServerProcess;
  beforeAll(async () => {
    upstream = await startFakeUpstream({ key: UPSTREAM_KEY });
    site = await makeSite(engine, { upstreamUrl: upstream.url, quotas: [10 ** 9], channelKey: UPSTREAM_KEY });
    server = await startServer({ ...site.env, ...workersOf(engine) });
  });
  afterAll(async () => {
    await server.end("SIGKILL");
    await site.remove();
    await upstream.close();
  });

  test("sessions balance, and a stop lets an answer end and be paid", async () => {
    const key = site.people[0]?.key ?? "";
    const [talks, leaves, isCut, isIdle] = [1, 2, 3, 4].map(() => new Session(server, key)) as [
      Session,
      Session,
      Session,
      Session,
    ];
    for (const session of [talks, leaves, isCut, isIdle]) await session.has("session.created");
    talks.ask();
    await talks.has("response.done");
    talks.ask();
    await talks.has("response.done", 2);
    talks.socket.close(1000);
    upstream.plan({ finishReason: null });
    leaves.ask();
    await leaves.has("response.output_text.delta");
    leaves.socket.terminate();
    isCut.ask();
    await isCut.has("response.output_text.delta");
    const ended = server.end("SIGTERM");
    await until(() => isIdle.closeCode === 1001, "the idle session's end");
    expect(isCut.closeCode).toBe(0);
    for (const { socket } of upstream.sockets)
      if (socket.readyState === WebSocket.OPEN)
        socket.send(JSON.stringify({ type: "response.done", response: { usage: WRITTEN_USAGE } }));
    await isCut.has("response.done");
    // Behind its answer, not at the end of the grace time.
    await until(() => isCut.closeCode === 1001, "the end behind the answer", 5_000);
    expect(await ended).toEqual({ code: 0, signal: null });
    const finished = [talks.finished(1), talks.finished(2), isCut.finished(1)];
    expect(await expectBalancedLedger(site, finished, 1)).toBe(4);
  });
});
