/** Which channel and key have a response that its upstream stores: written in batches before the client's answer is complete, bounded for each user; and the seal of compacted conversations, which clients keep themselves. */
import type { Database } from "../db/database.ts";
import { type Queries, insertOrIgnore } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";
import type { SealedTexts, StoredResponse, StoredResponses } from "../relay/call/ports.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import { LruMap } from "../util/lru.ts";

/** Newest responses kept of one user; the oldest go first. */
const RESPONSES_PER_USER = 10_000;
/** Responses that a process writes of a user before it looks at the bound again. */
const LOOK_EVERY = 500;
/** Users whose writes a process counts. */
const COUNTED_USERS = 10_000;
/** Responses in memory, of 300 bytes or so each. */
const IN_MEMORY = 10_000;
/** Rows of one transaction. */
const ROWS_AT_ONCE = 200;

interface StoredResponseOptions {
  database: Database;
  logger: { error(fields: object, text: string): void };
  /** Unix milliseconds. */
  clock: Clock;
  /** RESPONSES_PER_USER where absent. */
  perUser?: number;
  /** LOOK_EVERY where absent. */
  lookEvery?: number;
}

interface Waiting {
  response: StoredResponse;
  done(): void;
}

class Store implements StoredResponses {
  readonly #options: StoredResponseOptions;
  readonly #known = new LruMap<string, StoredResponse>(IN_MEMORY);
  readonly #written = new LruMap<number, number>(COUNTED_USERS);
  #waiting: Waiting[] = [];
  #isWriting = false;

  constructor(options: StoredResponseOptions) {
    this.#options = options;
  }

  note(response: StoredResponse): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ response, done: resolve });
      if (!this.#isWriting) void this.#writeAll();
    });
  }

  /** Responses that come while one transaction commits share the next. */
  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, ROWS_AT_ONCE);
      try {
        await this.#writeBatch(batch.map(({ response }) => response));
      } catch (error) {
        this.#options.logger.error({ err: error, count: batch.length }, "stored responses could not be noted");
      }
      for (const { done } of batch) done();
    }
    this.#isWriting = false;
  }

  async #writeBatch(responses: readonly StoredResponse[]): Promise<void> {
    const { kysely } = this.#options.database;
    // In the order of their ids, so that two processes never wait for each other.
    const sorted = responses.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const own: StoredResponse[] = [];
    await kysely.transaction().execute(async (transaction) => {
      for (const response of sorted) if (await this.#write(transaction, response)) own.push(response);
    });
    for (const response of own) this.#known.set(response.id, response);
    const ofUsers = Map.groupBy(own, (each) => each.userId);
    for (const [userId, { length }] of ofUsers) await this.#keepBound(userId, length);
  }

  /** False where the id is another user's. */
  async #write(queries: Queries, { id, userId, channelId, channelKeyId, model }: StoredResponse): Promise<boolean> {
    const { database, clock } = this.#options;
    const place = { channel_id: channelId, channel_key_id: channelKeyId, model, created_time: nowSeconds(clock) };
    if (await insertOrIgnore(database, queries, "stored_responses", { id, user_id: userId, ...place })) return true;
    const row = await queries.selectFrom("stored_responses").select("user_id").where("id", "=", id).executeTakeFirst();
    if (row?.user_id !== userId) return false;
    await queries.updateTable("stored_responses").set(place).where("id", "=", id).execute();
    return true;
  }

  /** Deletes a user's oldest beyond the bound; those of one second go together. */
  async #keepBound(userId: number, count: number): Promise<void> {
    const { database, perUser = RESPONSES_PER_USER, lookEvery = LOOK_EVERY } = this.#options;
    const written = (this.#written.get(userId) ?? 0) + count;
    this.#written.set(userId, written < lookEvery ? written : 0);
    if (written < lookEvery) return;
    const first = await database.kysely
      .selectFrom("stored_responses")
      .select("created_time")
      .where("user_id", "=", userId)
      .orderBy("created_time", "desc")
      .offset(perUser)
      .limit(1)
      .executeTakeFirst();
    if (first === undefined) return;
    await database.kysely
      .deleteFrom("stored_responses")
      .where("user_id", "=", userId)
      .where("created_time", "<=", first.created_time)
      .execute();
  }

  async find(id: string): Promise<StoredResponse | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const row = await this.#options.database.kysely
      .selectFrom("stored_responses")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { user_id: userId, channel_id: channelId, channel_key_id: channelKeyId, model } = row;
    return { id, userId, channelId, channelKeyId, model };
  }

  async remove({ id, userId }: StoredResponse): Promise<void> {
    this.#known.delete(id);
    await this.#options.database.kysely
      .deleteFrom("stored_responses")
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .execute();
  }
}

/** The store on a migrated database. */
export const storedResponses = (options: StoredResponseOptions): StoredResponses => new Store(options);

const contextOf = (userId: number): string => `compaction of user ${userId}`;

/** Seals and opens; what an older SECRET_KEY sealed is opened while that is configured. */
export const sealedCompactions = (secrets: Pick<Secrets, "encrypt" | "decrypt">): SealedTexts => ({
  seal: (userId, text) => secrets.encrypt(text, contextOf(userId)),
  open(userId, sealed) {
    try {
      return secrets.decrypt(sealed, contextOf(userId));
    } catch {
      // Another user's, of another site, or changed: to its client it is all the same.
      return undefined;
    }
  },
});
