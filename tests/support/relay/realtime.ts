/** For the tests of realtime sessions: a relay with one channel to the fake upstream, and a client that remembers what it heard. */
import { afterEach, beforeEach } from "vitest";
import { WebSocket } from "ws";
import { type FakeUpstream, startFakeUpstream } from "../../fake-upstream/fake-upstream.ts";
import type { SeenSocket } from "../../fake-upstream/openai/realtime.ts";
import { DEFAULT_RATIOS, type ModelPrice } from "../../../contract/src/pricing/pricing.ts";
import type { LogEntry } from "../../../server/src/billing/billing.ts";
import {
  TEST_KEY,
  type TestRelay,
  type TestRelayOptions,
  newChannel,
  newWorld,
  startTestRelay,
  until,
} from "./harness.ts";

export const MODEL = "gpt-realtime";
export const AUTH = { authorization: `Bearer sk-${TEST_KEY}` };
export const UPSTREAM_KEY = "sk-upstream-secret-key";

const PRICE = {
  kind: "per_token",
  ...DEFAULT_RATIOS,
  ratio: "2",
  completionRatio: "4",
  cacheRatio: "0.1",
  audioRatio: "8",
  audioCompletionRatio: "2",
} as const;

/** 10 cached x 0.1 + (25 - 6) heard x 8 + 11 words in + 15 said x 16 + 5 words out x 4, x 2 */
export const SPOKEN_CHARGE = Math.round((10 * 0.1 + 19 * 8 + 11 + 15 * 16 + 5 * 4) * 2);
/** 15 words in + 7 words out x 4, x 2 */
export const WRITTEN_CHARGE = (15 + 7 * 4) * 2;
/** One step of 500 words, all of them spoken, each way: (500 x 8 + 500 x 16) x 2. */
export const STEP = 24_000;

const PRICES: readonly (readonly [string, ModelPrice])[] = [
  [MODEL, PRICE],
  ["whisper-1", { kind: "per_token", ...DEFAULT_RATIOS, ratio: "15" }],
  ["gpt-4o-transcribe", { kind: "per_token", ...DEFAULT_RATIOS, ratio: "3", completionRatio: "4", audioRatio: "2" }],
];

export interface RealtimeEvent {
  type: string;
  error?: { code: string; message: string };
  [name: string]: unknown;
}

/** A client of the relay over a real WebSocket. */
export class RealtimeClient {
  readonly socket: WebSocket;
  readonly events: RealtimeEvent[] = [];
  closed: { code: number; reason: string } | undefined;
  refused: { status: number; headers: Readonly<Record<string, unknown>>; body: string } | undefined;
  /** Headers of an accepted handshake. */
  headers: Readonly<Record<string, unknown>> = {};

  constructor(url: string, protocols: readonly string[], headers: Readonly<Record<string, string>>, query: string) {
    this.socket = new WebSocket(`${url.replace("http", "ws")}/v1/realtime${query}`, [...protocols], { headers });
    this.socket.on("message", (data) => this.events.push(JSON.parse((data as Buffer).toString()) as RealtimeEvent));
    this.socket.on("close", (code, reason) => (this.closed = { code, reason: reason.toString() }));
    this.socket.on("error", () => undefined);
    this.socket.on("upgrade", (answer) => (this.headers = answer.headers));
    this.socket.on("unexpected-response", (_request, answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () => {
        const body = Buffer.concat(parts).toString();
        this.refused = { status: answer.statusCode ?? 0, headers: answer.headers, body };
      });
    });
  }

  send(event: object): void {
    this.socket.send(JSON.stringify(event));
  }

  count(type: string): number {
    return this.events.filter((event) => event.type === type).length;
  }

  async has(type: string, times = 1): Promise<void> {
    await until(() => this.count(type) >= times);
  }

  /** Asks for an answer and waits for its end. */
  async answer(response: object = {}): Promise<void> {
    const before = this.count("response.done");
    this.send({ type: "response.create", response });
    await this.has("response.done", before + 1);
  }

  /** Waits for the end; the error event before it, if there was one. */
  async ended(): Promise<{ code: number | undefined; error: string | undefined }> {
    await until(() => this.closed !== undefined);
    return { code: this.closed?.code, error: this.events.findLast(({ type }) => type === "error")?.error?.code };
  }
}

/** A fresh relay and upstream for each test of the file that makes one. */
export class RealtimeScene {
  upstream!: FakeUpstream;
  relay!: TestRelay;

  constructor() {
    beforeEach(async () => {
      this.upstream = await startFakeUpstream({ key: UPSTREAM_KEY });
      await this.start();
    });
    afterEach(async () => {
      await this.relay.close();
      await this.upstream.close();
    });
  }

  /** Starts the relay. */
  async start(options: TestRelayOptions = {}): Promise<void> {
    this.relay = await startTestRelay({ world: newWorld({ prices: new Map(PRICES) }), ...options });
    this.relay.world.channels.push(
      newChannel({ key: UPSTREAM_KEY, baseUrl: this.upstream.url, models: new Set([MODEL]) }),
    );
  }

  /** The same in place of the one that runs. */
  async restart(options: TestRelayOptions): Promise<void> {
    await this.relay.close();
    await this.start(options);
  }

  connect(
    protocols: readonly string[] = [],
    headers: Readonly<Record<string, string>> = AUTH,
    query = `?model=${MODEL}`,
  ): RealtimeClient {
    return new RealtimeClient(this.relay.url, protocols, headers, query);
  }

  /** A client whose session has begun. */
  async opened(...args: Parameters<RealtimeScene["connect"]>): Promise<RealtimeClient> {
    const client = this.connect(...args);
    await until(() => client.events.length > 0);
    return client;
  }

  async refused(...args: Parameters<RealtimeScene["connect"]>): Promise<NonNullable<RealtimeClient["refused"]>> {
    const client = this.connect(...args);
    await until(() => client.refused !== undefined);
    return client.refused ?? { status: 0, headers: {}, body: "" };
  }

  /** The upstream's side of the last session. */
  get seen(): SeenSocket {
    const last = this.upstream.sockets.at(-1);
    if (last === undefined) throw new Error("no session has reached the upstream");
    return last;
  }

  get charges(): number[] {
    return this.relay.billing.settlements.map(({ charge }) => charge);
  }

  /** Usage log rows of charges, with their receipts read. */
  get rows(): (LogEntry & { receipt: Readonly<Record<string, unknown>> })[] {
    return this.relay.billing.rows
      .filter(({ type }) => type === 2)
      .map((row) => ({ ...row, receipt: JSON.parse(row.other) as Record<string, unknown> }));
  }

  /** Waits until nothing is held any more. */
  async released(): Promise<void> {
    await until(() => this.relay.billing.holds.size === 0);
  }
}
