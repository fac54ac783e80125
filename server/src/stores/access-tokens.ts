/** Upstream access tokens, which are exchanged for keys: cached in memory, shared by all processes through the database, exchanged once for all waiting calls. */
import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { endLease, takeLease } from "../db/leases.ts";
import { upsert } from "../db/portable.ts";
import type { Secrets } from "../db/secrets.ts";
import type { AccessTokens, IssuedToken } from "../relay/call/ports.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import { withTimeout } from "../util/deadline.ts";

interface AccessTokenOptions {
  database: Database;
  secrets: Secrets;
  /** Unix milliseconds. */
  clock: Clock;
  /** Unique for this process. */
  holder: string;
  logger: { warn(fields: object, text: string): void };
}

interface KeptToken {
  token: string;
  expiresSeconds: number;
}

/** A token is renewed this long before its expiry, or at a tenth of its lifetime if that is less: a call may take minutes. */
const RENEW_BEFORE_SECONDS = 300;
/** Longer than an exchange takes. If a process dies during one, others continue after this. */
const LEASE_SECONDS = 15;
const WAIT_MS = 100;
/** Timeout of the database: without its response the process exchanges a token for itself alone. */
const DATABASE_MS = 2_000;

/** Creates the store; nothing is read before a token is requested. */
export function accessTokens(options: AccessTokenOptions): AccessTokens {
  const { secrets } = options;
  const kept = new Map<string, KeptToken>();
  const waiting = new Map<string, Promise<string>>();

  const renewed = async (hash: string, exchange: () => Promise<IssuedToken>): Promise<string> => {
    const stored = await orUndefined(options, () => sharedToken(options, hash, exchange, kept));
    return stored ?? keep(kept, hash, await exchange(), nowSeconds(options.clock)).token;
  };

  return {
    async get(name, exchange) {
      const hash = secrets.hash("upstream_token", name);
      const known = kept.get(hash);
      if (known !== undefined && known.expiresSeconds > nowSeconds(options.clock)) return known.token;
      const found = waiting.get(hash);
      if (found !== undefined) return found;
      const made = renewed(hash, exchange).finally(() => waiting.delete(hash));
      waiting.set(hash, made);
      return made;
    },
    async forget(name, token) {
      const hash = secrets.hash("upstream_token", name);
      if (kept.get(hash)?.token === token) kept.delete(hash);
      await orUndefined(options, () => forgetStored(options, hash, token));
    },
  };
}

function keep(kept: Map<string, KeptToken>, hash: string, issued: IssuedToken, now: number): KeptToken {
  const { token, lifetimeSeconds } = issued;
  const spare = Math.min(RENEW_BEFORE_SECONDS, Math.ceil(lifetimeSeconds / 10));
  const made = { token, expiresSeconds: now + Math.max(0, lifetimeSeconds - spare) };
  kept.set(hash, made);
  return made;
}

/** Maps a database error to "unknown"; errors of the upstream's exchange are passed on unchanged. */
async function orUndefined<T>({ logger }: AccessTokenOptions, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ExchangeFault) throw error.cause;
    logger.warn({ err: error }, "tokens of upstreams are not shared: the database does not answer");
    return undefined;
  }
}

/** Distinguishes errors of an exchange from errors of the database. */
class ExchangeFault extends Error {
  constructor(cause: unknown) {
    super("the exchange failed", { cause });
  }
}

const inTime = <Result>(work: Promise<Result>): Promise<Result> =>
  withTimeout(work, DATABASE_MS, () => {
    throw new Error("the database took too long");
  });

async function storedToken({ database, secrets, clock }: AccessTokenOptions, hash: string) {
  const row = await database.kysely
    .selectFrom("access_tokens")
    .select(["token_cipher", "expires_time"])
    .where("name_hash", "=", hash)
    .executeTakeFirst();
  if (row === undefined || row.expires_time <= nowSeconds(clock)) return undefined;
  const token = secrets.decrypt(row.token_cipher, contextOf(hash));
  return { token, expiresSeconds: row.expires_time, cipher: row.token_cipher };
}

export const contextOf = (hash: string): string => `access_tokens ${hash}`;

/** The token that another process stored, or one exchanged by the holder of the lease. */
async function sharedToken(
  options: AccessTokenOptions,
  hash: string,
  exchange: () => Promise<IssuedToken>,
  kept: Map<string, KeptToken>,
): Promise<string> {
  const { database, holder, clock } = options;
  const name = `token ${hash.slice(0, 40)}`;
  for (;;) {
    const stored = await found(options, hash, kept);
    if (stored !== undefined) return stored;
    const now = nowSeconds(clock);
    if (await inTime(takeLease(database, { name, holder, seconds: LEASE_SECONDS, now }))) break;
    await delay(WAIT_MS);
  }
  try {
    // The previous holder of the lease may have stored one meanwhile.
    return (await found(options, hash, kept)) ?? (await exchanged(options, hash, exchange, kept));
  } finally {
    await endLease(database, name, holder);
  }
}

async function found(options: AccessTokenOptions, hash: string, kept: Map<string, KeptToken>) {
  const stored = await inTime(storedToken(options, hash));
  if (stored === undefined) return undefined;
  kept.set(hash, stored);
  return stored.token;
}

async function exchanged(
  options: AccessTokenOptions,
  hash: string,
  exchange: () => Promise<IssuedToken>,
  kept: Map<string, KeptToken>,
): Promise<string> {
  const issued = await exchange().catch((error: unknown) => {
    throw new ExchangeFault(error);
  });
  const made = keep(kept, hash, issued, nowSeconds(options.clock));
  await inTime(storeToken(options, hash, made));
  return made.token;
}

async function storeToken(
  { database, secrets, clock }: AccessTokenOptions,
  hash: string,
  { token, expiresSeconds }: KeptToken,
): Promise<void> {
  const change = {
    token_cipher: secrets.encrypt(token, contextOf(hash)),
    expires_time: expiresSeconds,
    updated_time: nowSeconds(clock),
  };
  await upsert(database, database.kysely, "access_tokens", { name_hash: hash, ...change }, ["name_hash"], change);
}

async function forgetStored(options: AccessTokenOptions, hash: string, token: string): Promise<void> {
  const stored = await inTime(storedToken(options, hash));
  if (stored?.token !== token) return;
  const { kysely } = options.database;
  // By its cipher text too: a token that was stored meanwhile stays.
  await kysely
    .deleteFrom("access_tokens")
    .where("name_hash", "=", hash)
    .where("token_cipher", "=", stored.cipher)
    .execute();
}

/** Deletes expired tokens daily. */
export const expiredTokensJob = (database: Database, clock: Clock) => ({
  name: "expired_access_tokens",
  everySeconds: 86_400,
  run: async () => {
    const now = nowSeconds(clock);
    await database.kysely.deleteFrom("access_tokens").where("expires_time", "<=", now).execute();
  },
});
