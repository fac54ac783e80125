/** Idempotency keys in the database: claimed by their primary key, so that of two calls side by side one is made. */
import type { Database } from "../db/database.ts";
import { insertOrIgnore } from "../db/portable.ts";
import type { IdempotencyStore, KeyedCall, KeptAnswer, StoredCall } from "../relay/call/idempotency-store.ts";

/** How long a key is remembered. */
export const KEY_LIFE_SECONDS = 86_400;

const RUNNING = 0;
const ANSWERED = 1;
/** Answered by what cannot be sent again. */
const ENDED = 2;

const CLAIM_ATTEMPTS = 3;

const rowOf = ({ tokenId, keyHash, bodyHash, requestId, createdAt }: KeyedCall) => ({
  token_id: tokenId,
  key_hash: keyHash,
  body_hash: bodyHash,
  request_id: requestId,
  state: RUNNING,
  status: 0,
  content_type: "",
  answer: "",
  created_time: createdAt,
});

type Row = ReturnType<typeof rowOf>;

const toStored = (row: Row): StoredCall => ({
  requestId: row.request_id,
  bodyHash: row.body_hash,
  isRunning: row.state === RUNNING,
  answer:
    row.state === ANSWERED
      ? { status: row.status, contentType: row.content_type, body: Buffer.from(row.answer, "base64") }
      : undefined,
});

const changeOf = (answer: KeptAnswer | undefined) =>
  answer === undefined
    ? { state: ENDED }
    : {
        state: ANSWERED,
        status: answer.status,
        content_type: answer.contentType.slice(0, 255),
        answer: answer.body.toString("base64"),
      };

/** The store on a migrated database. */
export function idempotencyStore(database: Database): IdempotencyStore {
  const { kysely } = database;
  const find = ({ tokenId, keyHash }: KeyedCall): Promise<Row | undefined> =>
    kysely
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("token_id", "=", tokenId)
      .where("key_hash", "=", keyHash)
      .executeTakeFirst();
  /** Only the call that holds the key: a row of another is never touched. */
  const remove = async ({ tokenId, keyHash }: KeyedCall, requestId: string) => {
    await kysely
      .deleteFrom("idempotency_keys")
      .where("token_id", "=", tokenId)
      .where("key_hash", "=", keyHash)
      .where("request_id", "=", requestId)
      .execute();
  };
  return {
    async claim(call) {
      for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
        if (await insertOrIgnore(database, kysely, "idempotency_keys", rowOf(call))) return undefined;
        const row = await find(call);
        if (row === undefined) continue; // Freed between the two looks.
        if (row.created_time > call.createdAt - KEY_LIFE_SECONDS) return toStored(row);
        await remove(call, row.request_id);
      }
      throw new Error("the key is claimed and freed all the time");
    },
    async finish({ tokenId, keyHash, requestId }, answer) {
      await kysely
        .updateTable("idempotency_keys")
        .set(changeOf(answer))
        .where("token_id", "=", tokenId)
        .where("key_hash", "=", keyHash)
        .where("request_id", "=", requestId)
        .execute();
    },
    release: (call) => remove(call, call.requestId),
  };
}

/** Rows that one statement takes away, so that none holds its locks for long. */
const DELETED_AT_ONCE = 1_000;

/** Takes away the keys whose day is over at `now`, Unix seconds. */
export async function deleteExpiredKeys({ kysely }: Database, now: number): Promise<void> {
  for (;;) {
    const expired = await kysely
      .selectFrom("idempotency_keys")
      .select("created_time")
      .where("created_time", "<=", now - KEY_LIFE_SECONDS)
      .orderBy("created_time")
      .limit(DELETED_AT_ONCE)
      .execute();
    const last = expired.at(-1);
    if (last === undefined) return;
    await kysely.deleteFrom("idempotency_keys").where("created_time", "<=", last.created_time).execute();
    if (expired.length < DELETED_AT_ONCE) return;
  }
}

/** Takes them away each hour; `clock` gives Unix milliseconds. */
export const expiredKeysJob = (database: Database, clock: () => number) => ({
  name: "expired_idempotency_keys",
  everySeconds: 3_600,
  run: () => deleteExpiredKeys(database, Math.floor(clock() / 1000)),
});
