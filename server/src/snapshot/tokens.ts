/** Token look-up by key without a hash for each call: a bounded cache of keys that exist. */
import { hashedKeyHashOf, type Secrets } from "../db/secrets.ts";
import { LruMap } from "../util/lru.ts";
import { TOKEN_LISTS, toToken } from "./rows.ts";
import type { TokenLists, TokenRow } from "./rows.ts";
import type { SnapshotToken } from "./snapshot.ts";

export interface TokenIndex {
  byKey(key: string): SnapshotToken | undefined;
  byId(id: number): SnapshotToken | undefined;
  /** Applies changed rows; deleted ones are removed. */
  apply(rows: readonly TokenRow[]): void;
}

const KEYS_REMEMBERED = 20_000;
/** Longer than any key: longer ones are not looked up. */
const KEY_LENGTH_LIMIT = 256;

/** Shares one list between all tokens with the same text, and drops lists without tokens. */
function sharedLists({ models, addresses }: TokenLists): TokenLists {
  const shared = <T extends object>(make: (text: string) => T | undefined) => {
    const made = new Map<string, WeakRef<T>>();
    const gone = new FinalizationRegistry<string>((text) => {
      if (made.get(text)?.deref() === undefined) made.delete(text);
    });
    return (text: string): T | undefined => {
      const known = made.get(text)?.deref();
      if (known !== undefined) return known;
      const list = make(text);
      if (list === undefined) return undefined;
      made.set(text, new WeakRef(list));
      gone.register(list, text);
      return list;
    };
  };
  return { models: shared(models), addresses: shared(addresses) };
}

export function createTokenIndex(secrets: Secrets): TokenIndex {
  const byId = new Map<number, { hash: string; token: SnapshotToken }>();
  const byHash = new Map<string, SnapshotToken>();
  const hashes = new LruMap<string, string>(KEYS_REMEMBERED);
  const lists = sharedLists(TOKEN_LISTS);
  /** Tokens whose keys are not known: where there is none, no key is hashed a second time. */
  let unknownKeys = 0;

  const hashOf = (key: string): string | undefined => {
    const hash = secrets.hash("token", key);
    if (byHash.has(hash)) return hash;
    if (unknownKeys === 0) return undefined;
    const second = hashedKeyHashOf(secrets, key);
    return byHash.has(second) ? second : undefined;
  };
  const byKey = (key: string): SnapshotToken | undefined => {
    const remembered = hashes.get(key);
    const known = remembered === undefined ? undefined : byHash.get(remembered);
    if (known !== undefined) return known;
    if (key === "" || key.length > KEY_LENGTH_LIMIT) return undefined;
    const hash = hashOf(key);
    if (hash === undefined) return undefined;
    hashes.set(key, hash);
    return byHash.get(hash);
  };
  const forget = ({ hash, token }: { hash: string; token: SnapshotToken }): void => {
    byHash.delete(hash);
    if (token.isKeyUnknown) unknownKeys -= 1;
  };
  const applyRow = (row: TokenRow) => {
    const former = byId.get(row.id);
    if (former !== undefined) forget(former);
    if (row.deleted_at !== null) return void byId.delete(row.id);
    const token = toToken(row, lists);
    byId.set(row.id, { hash: row.key_hash, token });
    byHash.set(row.key_hash, token);
    if (token.isKeyUnknown) unknownKeys += 1;
  };
  return { byKey, byId: (id) => byId.get(id)?.token, apply: (rows) => rows.forEach(applyRow) };
}
