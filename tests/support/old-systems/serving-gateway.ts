/**
 * An old gateway that keeps serving during an import: it answers chats by the keys of its database, and writes their costs in batches, each
 * sum by a statement of its own, as new-api does with BATCH_UPDATE_ENABLED.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../systems/processes.ts";
import type { OldGateway } from "./old-gateway.ts";

/** What new-api calls BATCH_UPDATE_INTERVAL, 5 s there. */
const BATCH_MS = 400;
const ANSWER_MS = 15;

export interface OldKey {
  key: string;
  userId: number;
  tokenId: number;
}

interface Batch {
  users: Map<number, number>;
  tokens: Map<number, number>;
  calls: number;
}

const emptyBatch = (): Batch => ({ users: new Map(), tokens: new Map(), calls: 0 });

const addOne = (calls: Map<number, number>, id: number): void => void calls.set(id, (calls.get(id) ?? 0) + 1);

/** The statements of a batch, in its order; other programs may read between any two of them. */
function statementsOf({ users, tokens, calls }: Batch, price: number): string[] {
  if (calls === 0) return [];
  const each = (table: string, ids: ReadonlyMap<number, number>, set: (count: number) => string) =>
    [...ids].map(([id, count]) => `UPDATE ${table} SET ${set(count)} WHERE id = ${id}`);
  return [
    ...each("users", users, (count) => `quota = quota - ${count * price}`),
    ...each(
      "tokens",
      tokens,
      (count) => `remain_quota = remain_quota - ${count * price}, used_quota = used_quota + ${count * price}`,
    ),
    ...each(
      "users",
      users,
      (count) => `used_quota = used_quota + ${count * price}, request_count = request_count + ${count}`,
    ),
    `UPDATE channels SET used_quota = used_quota + ${calls * price} WHERE id = 1`,
  ];
}

export interface ServingGateway {
  url: string;
  /** A key that is in its database from now on. */
  addKey(key: OldKey): void;
  /** Calls that were answered. */
  answered(): number;
  /** Resolves once no call is open and everything is written. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** @param price quota of one call */
export async function serveOldGateway(
  old: OldGateway,
  keys: readonly OldKey[],
  price: number,
): Promise<ServingGateway> {
  const known = new Map(keys.map((each) => [each.key, each]));
  let batch = emptyBatch();
  let [open, answered] = [0, 0];
  let [isClosed, isWriting] = [false, false];
  let faults: unknown;

  const flush = async (): Promise<void> => {
    const written = batch;
    batch = emptyBatch();
    isWriting = true;
    for (const statement of statementsOf(written, price)) await old.run(statement);
    isWriting = false;
  };
  const writing = (async () => {
    while (!isClosed) {
      await delay(BATCH_MS);
      await flush();
    }
  })().catch((error: unknown) => void (faults = error));

  const answer = async (authorization: string, response: ServerResponse): Promise<void> => {
    const found = known.get(authorization.replace(/^Bearer sk-/, ""));
    open += 1;
    await delay(ANSWER_MS);
    if (found !== undefined) {
      addOne(batch.users, found.userId);
      addOne(batch.tokens, found.tokenId);
      batch.calls += 1;
      answered += 1;
    }
    response.writeHead(found === undefined ? 401 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ message: { role: "assistant", content: "old" } }] }));
    open -= 1;
  };
  const server = createServer((request, response) => {
    request.resume().once("end", () => void answer(request.headers.authorization ?? "", response));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    addKey: (key) => void known.set(key.key, key),
    answered: () => answered,
    drained: () => until(() => open === 0 && batch.calls === 0 && !isWriting, "the old gateway's last batch"),
    async close() {
      isClosed = true;
      await writing;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      if (faults !== undefined) throw faults;
    },
  };
}
