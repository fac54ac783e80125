/** Keys imported as a hash alone: the first good call brings the key itself, which replaces the hash in the token's row. */
import type { Database } from "../db/database.ts";
import { retryDeadlocks } from "../db/portable.ts";
import { hashedKeyHashOf, sealTokenKey, type Secrets } from "../db/secrets.ts";
import { bumpVersion } from "../db/versions.ts";

interface LearnedKeyOptions {
  database: Database;
  secrets: Secrets;
  logger: { warn(fields: object, text: string): void };
}

/** More wait for their next call. */
const MAX_WAITING = 1_000;
const BATCH = 50;

interface Learned {
  tokenId: number;
  /** Without `sk-`. */
  key: string;
}

/** Writes them in one transaction; a row that has its key already stays as it is. */
function writeKeys({ database, secrets }: LearnedKeyOptions, learned: readonly Learned[]): Promise<void> {
  return retryDeadlocks(() =>
    database.kysely.transaction().execute(async (transaction) => {
      const changed_version = await bumpVersion(transaction, "tokens");
      for (const { tokenId, key } of learned)
        await transaction
          .updateTable("tokens")
          .set({ ...sealTokenKey(secrets, key), key_unknown: 0, changed_version })
          .where("id", "=", tokenId)
          .where("key_unknown", "=", 1)
          // That this is the row's own key does not rest on the caller.
          .where("key_hash", "=", hashedKeyHashOf(secrets, key))
          .execute();
    }),
  );
}

export interface LearnedKeys {
  /** Takes a key (without `sk-`) in at once; it neither waits nor throws. */
  learn(tokenId: number, key: string): void;
  /** Resolves once every key that was taken in is stored, or could not be. Never rejects. */
  close(): Promise<void>;
}

/** Writes keys one batch after the other. One that cannot be written is brought again by the next call with it. */
export function openLearnedKeys(options: LearnedKeyOptions): LearnedKeys {
  const waiting = new Map<number, string>();
  let writing: Promise<void> | undefined;

  const write = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, BATCH).map(([tokenId, key]) => ({ tokenId, key }));
      try {
        await writeKeys(options, batch);
      } catch (error) {
        options.logger.warn({ err: error, tokens: batch.map(({ tokenId }) => tokenId) }, "keys could not be stored");
      }
      for (const { tokenId } of batch) waiting.delete(tokenId);
    }
    writing = undefined;
  };

  return {
    learn(tokenId, key) {
      if (waiting.size >= MAX_WAITING || waiting.has(tokenId)) return;
      waiting.set(tokenId, key);
      writing ??= write();
    },
    async close() {
      await writing;
    },
  };
}
