/** Idempotency keys in the database: claimed by their primary key, so that one of two concurrent calls is made. */
import { isUtf8 } from "node:buffer";
import { setTimeout as delay } from "node:timers/promises";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import type { Database } from "../db/database.ts";
import { type Queries, affectedRows, insertOrIgnore } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";
import type { IdempotencyStore, KeyedCall, KeptAnswer, StoredCall } from "../relay/call/ports.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";

/** How long a key is stored. */
export const KEY_LIFE_SECONDS = 86_400;

const RUNNING = 0;
/** Answered in plain text, by versions before encryption: such rows exist for a day after an upgrade. */
const ANSWERED_PLAIN = 1;
/** Ended with a response that cannot be repeated. */
const ENDED = 2;
const ANSWERED = 3;

const CLAIM_ATTEMPTS = 3;
/** How long a process caches the total of all users. */
const TOTAL_AGE_MS = 2_000;
/** Maximum number of users whose row is known to exist. */
const COUNTED_USERS = 10_000;

/** Bounds of stored responses; beyond them a response is not stored, and a repeat gets the request id. */
export interface KeptAnswerBounds {
  answersPerUser: number;
  bytesPerUser: number;
  bytesInAll: number;
}

const MEBIBYTE = 1_048_576;

/** The bounds that the options set. */
export const keptAnswerBounds = (
  options: Pick<OptionValues, "KeptAnswersPerUser" | "KeptAnswerMebibytesPerUser" | "KeptAnswerMebibytes">,
): KeptAnswerBounds => ({
  answersPerUser: options.KeptAnswersPerUser,
  bytesPerUser: options.KeptAnswerMebibytesPerUser * MEBIBYTE,
  bytesInAll: options.KeptAnswerMebibytes * MEBIBYTE,
});

export interface IdempotencyStoreOptions {
  database: Database;
  secrets: Pick<Secrets, "encrypt" | "decrypt">;
  bounds(): KeptAnswerBounds;
}

const rowOf = ({ tokenId, userId, keyHash, bodyHash, requestId, createdAt }: KeyedCall) => ({
  token_id: tokenId,
  key_hash: keyHash,
  body_hash: bodyHash,
  request_id: requestId,
  state: RUNNING,
  status: 0,
  content_type: "",
  answer: "",
  created_time: createdAt,
  user_id: userId,
  answer_bytes: 0,
});

type Row = ReturnType<typeof rowOf>;

/** Text is stored as text, a third shorter than base64; the first letter marks which. */
const packed = (body: Buffer): string => (isUtf8(body) ? `t${body.toString()}` : `b${body.toString("base64")}`);
const unpacked = (text: string): Buffer => Buffer.from(text.slice(1), text.startsWith("t") ? "utf8" : "base64");

export const sealContext = (requestId: string): string => `idempotency_keys ${requestId}`;

/** Adds a response to its user's total; false beyond the bound. */
async function reserve(queries: Queries, userId: number, bytes: number, bounds: KeptAnswerBounds): Promise<boolean> {
  const result = await queries
    .updateTable("kept_answers")
    .set((row) => ({ answers: row("answers", "+", 1), bytes: row("bytes", "+", bytes) }))
    .where("user_id", "=", userId)
    .where("answers", "<", bounds.answersPerUser)
    .where("bytes", "<=", bounds.bytesPerUser - bytes)
    .executeTakeFirstOrThrow();
  return affectedRows(result) === 1;
}

async function giveBack(queries: Queries, userId: number, answers: number, bytes: number): Promise<void> {
  await queries
    .updateTable("kept_answers")
    .set((row) => ({ answers: row("answers", "-", answers), bytes: row("bytes", "-", bytes) }))
    .where("user_id", "=", userId)
    .execute();
}

class Store implements IdempotencyStore {
  readonly #options: IdempotencyStoreOptions;
  readonly #counted = new Set<number>();
  /** The total bytes of all users, as last read, and when by the clock. */
  #inAll = 0;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #look: Promise<void> | undefined;
  /** Bytes that this process ever added, and those of running transactions. */
  #added = 0;
  #adding = 0;

  constructor(options: IdempotencyStoreOptions) {
    this.#options = options;
  }

  get #database(): Database {
    return this.#options.database;
  }

  #find({ tokenId, keyHash }: KeyedCall): Promise<Row | undefined> {
    return this.#database.kysely
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("token_id", "=", tokenId)
      .where("key_hash", "=", keyHash)
      .executeTakeFirst();
  }

  /** Deletes only the row of this call, never another's. Its stored bytes are subtracted. */
  #remove({ token_id, key_hash, request_id, user_id, answer_bytes }: Row): Promise<void> {
    return this.#database.kysely.transaction().execute(async (transaction) => {
      const removed = await transaction
        .deleteFrom("idempotency_keys")
        .where("token_id", "=", token_id)
        .where("key_hash", "=", key_hash)
        .where("request_id", "=", request_id)
        .where("answer_bytes", "=", answer_bytes)
        .executeTakeFirstOrThrow();
      if (answer_bytes > 0 && affectedRows(removed) === 1) await giveBack(transaction, user_id, 1, answer_bytes);
    });
  }

  #toStored(row: Row): StoredCall {
    const { status, content_type: contentType, state, request_id: requestId, body_hash: bodyHash } = row;
    const stored = { requestId, bodyHash, isRunning: state === RUNNING };
    if (state === ANSWERED_PLAIN)
      return { ...stored, answer: { status, contentType, body: Buffer.from(row.answer, "base64") } };
    if (state !== ANSWERED) return { ...stored, answer: undefined };
    const body = unpacked(this.#options.secrets.decrypt(row.answer, sealContext(requestId)));
    return { ...stored, answer: { status, contentType, body } };
  }

  async claim(call: KeyedCall): Promise<StoredCall | undefined> {
    const { kysely } = this.#database;
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
      if (await insertOrIgnore(this.#database, kysely, "idempotency_keys", rowOf(call))) return undefined;
      const row = await this.#find(call);
      if (row === undefined) continue; // Deleted between the two reads.
      if (row.created_time > call.createdAt - KEY_LIFE_SECONDS) return this.#toStored(row);
      await this.#remove(row);
    }
    throw new Error("the key is claimed and freed all the time");
  }

  /** The total of all users: a value that may be some seconds old, plus what this process has added since or is adding. */
  async #total(): Promise<void> {
    const [carried, addedBefore] = [this.#adding, this.#added];
    const sum = this.#database.kysely
      .selectFrom("kept_answers")
      .select((row) => row.fn.sum<number | null>("bytes").as("bytes"));
    const kept = Number((await sum.executeTakeFirstOrThrow()).bytes ?? 0);
    this.#inAll = kept + carried + this.#added - addedBefore;
    this.#lookedMs = performance.now();
  }

  /** Reserves the bytes if the bound allows. */
  async #hasRoomInAll(bytes: number, { bytesInAll }: KeptAnswerBounds): Promise<boolean> {
    if (performance.now() - this.#lookedMs > TOTAL_AGE_MS) {
      this.#look ??= this.#total().finally(() => (this.#look = undefined));
      await this.#look;
    }
    // No await between the check and the reservation.
    if (this.#inAll + bytes > bytesInAll) return false;
    this.#inAll += bytes;
    this.#added += bytes;
    this.#adding += bytes;
    return true;
  }

  /** Outside of the transaction: concurrent inserts of the same row would wait for each other's transaction. */
  async #beCounted(userId: number): Promise<void> {
    if (this.#counted.has(userId)) return;
    const row = { user_id: userId, answers: 0, bytes: 0 };
    await insertOrIgnore(this.#database, this.#database.kysely, "kept_answers", row);
    if (this.#counted.size >= COUNTED_USERS) this.#counted.clear();
    this.#counted.add(userId);
  }

  async #end(queries: Queries, { tokenId, keyHash, requestId }: KeyedCall, change: Partial<Row>): Promise<boolean> {
    const result = await queries
      .updateTable("idempotency_keys")
      .set(change)
      .where("token_id", "=", tokenId)
      .where("key_hash", "=", keyHash)
      .where("request_id", "=", requestId)
      .where("state", "=", RUNNING)
      .executeTakeFirstOrThrow();
    return affectedRows(result) === 1;
  }

  async finish(call: KeyedCall, kept: KeptAnswer | undefined): Promise<void> {
    const { kysely } = this.#database;
    const bounds = this.#options.bounds();
    const answer =
      kept === undefined ? "" : this.#options.secrets.encrypt(packed(kept.body), sealContext(call.requestId));
    const bytes = answer.length;
    const mayKeep = kept !== undefined && bytes <= bounds.bytesPerUser && (await this.#hasRoomInAll(bytes, bounds));
    if (!mayKeep) return void (await this.#end(kysely, call, { state: ENDED }));
    try {
      if (!(await this.#keep(call, kept, answer, bounds))) this.#inAll -= bytes;
    } finally {
      this.#adding -= bytes;
    }
  }

  /** Ends the call with its encrypted response; without it beyond the user's bound, and then returns false. */
  async #keep(call: KeyedCall, kept: KeptAnswer, answer: string, bounds: KeptAnswerBounds): Promise<boolean> {
    await this.#beCounted(call.userId);
    const { status, contentType } = kept;
    const bytes = answer.length;
    const answered = { state: ANSWERED, status, content_type: contentType.slice(0, 255), answer, answer_bytes: bytes };
    return this.#database.kysely.transaction().execute(async (transaction) => {
      const hasRoom = await reserve(transaction, call.userId, bytes, bounds);
      const isEnded = await this.#end(transaction, call, hasRoom ? answered : { state: ENDED });
      if (hasRoom && !isEnded) await giveBack(transaction, call.userId, 1, bytes);
      return hasRoom && isEnded;
    });
  }

  release({ tokenId, userId, keyHash, ...call }: KeyedCall): Promise<void> {
    return this.#remove(rowOf({ tokenId, userId, keyHash, ...call }));
  }
}

/** The store on a migrated database. */
export const idempotencyStore = (options: IdempotencyStoreOptions): IdempotencyStore => new Store(options);

/** Maximum rows and bytes that one transaction deletes, so that locks are short. */
const DELETED_AT_ONCE = 500;
const DELETED_BYTES = 8_388_608;
const PAUSE_MS = 10;

/** The time up to which the next rows are deleted; undefined if none is left. Rows of one second are deleted together. */
async function nextCut({ kysely }: Database, until: number): Promise<number | undefined> {
  const expired = await kysely
    .selectFrom("idempotency_keys")
    .select(["created_time", "answer_bytes"])
    .where("created_time", "<=", until)
    .orderBy("created_time")
    .limit(DELETED_AT_ONCE)
    .execute();
  let bytes = 0;
  const last = expired.find(({ answer_bytes }) => (bytes += answer_bytes) > DELETED_BYTES) ?? expired.at(-1);
  return last?.created_time;
}

/** Deletes keys that are a day old at `now`, Unix seconds, and subtracts their stored bytes. */
export async function deleteExpiredKeys(database: Database, now: number): Promise<void> {
  const { kysely } = database;
  const until = now - KEY_LIFE_SECONDS;
  for (let cut = await nextCut(database, until); cut !== undefined; cut = await nextCut(database, until)) {
    const last = cut;
    await kysely.transaction().execute(async (transaction) => {
      const kept = await transaction
        .selectFrom("idempotency_keys")
        .select((row) => [
          "user_id",
          row.fn.countAll<number>().as("answers"),
          row.fn.sum<number>("answer_bytes").as("bytes"),
        ])
        .where("created_time", "<=", last)
        .where("answer_bytes", ">", 0)
        .groupBy("user_id")
        .orderBy("user_id")
        .execute();
      for (const { user_id, answers, bytes } of kept)
        await giveBack(transaction, user_id, Number(answers), Number(bytes));
      await transaction.deleteFrom("idempotency_keys").where("created_time", "<=", last).execute();
    });
    await delay(PAUSE_MS);
  }
}

/** Deletes expired keys hourly; `clock` returns Unix milliseconds. */
export const expiredKeysJob = (database: Database, clock: Clock) => ({
  name: "expired_idempotency_keys",
  everySeconds: 3_600,
  run: () => deleteExpiredKeys(database, nowSeconds(clock)),
});
