/** What is told of a key: enough to recognise it in a list, never enough to use it. */
import { type SealedKey, sealChannelKey, type Secrets } from "../../../db/secrets.ts";
import type { SealedRow } from "./rows.ts";

/** Of a shorter key the characters shown would be most of it. */
const SHORTEST_SHOWN = 16;
const HASH_CHARACTERS = 6;

/** The id of a service account's key in its JSON, which its vendor shows too. */
const ACCOUNT_KEY_ID = /"private_key_id"\s*:\s*"([^"\\]+)"/;

/** First and last characters; of JSON the end of its key's id; of a short one the beginning of its hash, from which nobody learns it. */
function markOf(key: string, hash: string): string {
  if (key.startsWith("{")) {
    const id = ACCOUNT_KEY_ID.exec(key)?.[1] ?? "";
    return id.length >= SHORTEST_SHOWN
      ? `JSON …${id.slice(-HASH_CHARACTERS)}`
      : `JSON #${hash.slice(0, HASH_CHARACTERS)}`;
  }
  return key.length >= SHORTEST_SHOWN ? `${key.slice(0, 4)}…${key.slice(-4)}` : `#${hash.slice(0, HASH_CHARACTERS)}`;
}

/** A key as rows keep it: that of the channel itself and, with its mark, one of several. */
export function sealOneOfSeveral(secrets: Secrets, key: string): { own: SealedKey; row: SealedRow } {
  const own = sealChannelKey(secrets, key);
  const { key_hash, key_cipher } = own;
  return { own, row: { key_hash, key_cipher, key_mark: markOf(key, key_hash) } };
}
