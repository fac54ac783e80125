/** One-time secrets with a short expiry: e-mail codes, links, OAuth states and challenges. Each can be used once. */
import { randomBytes, randomInt } from "node:crypto";
import { MAIL_RESEND_SECONDS } from "../../../../contract/src/constants.ts";
import { AppError } from "../../../../contract/src/errors.ts";
import type { Database } from "../../db/database.ts";
import { affectedRows, insertOrIgnore, upsert } from "../../db/portable.ts";
import type { Queries } from "../../db/portable.ts";
import type { Secrets } from "../../db/secrets.ts";
import { isSameSecret } from "../http/same-secret.ts";

/** The purpose of a code, which is not valid for another. */
export type CodePurpose = "email" | "reset" | "oauth" | "second_step" | "passkey" | "telegram" | "telegram_bot";

/** How long every code counts. */
export const CODE_SECONDS = 600;
/** Wrong ones until a code ends. */
export const CODE_TRIES = 5;

export interface CodeStore {
  database: Pick<Database, "engine" | "kysely">;
  secrets: Pick<Secrets, "hash">;
}

/** Six digits, as people type them. */
export const newDigits = (): string => String(randomInt(1_000_000)).padStart(6, "0");
/** 128 bits for links, 256 for what only machines read. */
export const newLinkToken = (): string => randomBytes(16).toString("hex");
export const newTicket = (): string => randomBytes(32).toString("base64url");

const hashOf = (secrets: Pick<Secrets, "hash">, purpose: CodePurpose, secret: string): string =>
  secrets.hash("one_time_code", `${purpose}\0${secret}`);

export interface NewCode {
  purpose: CodePurpose;
  /** Whose it is; a new code of the same purpose replaces the one before. */
  subject: string;
  secret: string;
  payload?: object;
  /** Unix seconds. */
  now: number;
}

const columnsOf = ({ secrets }: CodeStore, { purpose, secret, payload = {}, now }: NewCode) => ({
  secret_hash: hashOf(secrets, purpose, secret),
  payload: JSON.stringify(payload),
  tries: 0,
  created_time: now,
  expires_time: now + CODE_SECONDS,
});

/** Keeps a code for `CODE_SECONDS`. The secret itself is not stored. */
export async function giveCode(store: CodeStore, queries: Queries, code: NewCode): Promise<void> {
  const { purpose, subject } = code;
  const change = columnsOf(store, code);
  const row = { purpose, subject, ...change };
  await upsert(store.database, queries, "one_time_codes", row, ["purpose", "subject"], change);
}

/** As `giveCode`, unless the subject was given one less than `MAIL_RESEND_SECONDS` ago. @returns the seconds to wait; 0 where it is kept. */
export async function giveCodeUnlessRecent(store: CodeStore, queries: Queries, code: NewCode): Promise<number> {
  const { purpose, subject, now } = code;
  const change = columnsOf(store, code);
  const row = { purpose, subject, ...change };
  const replaced = await queries
    .updateTable("one_time_codes")
    .set(change)
    .where("purpose", "=", purpose)
    .where("subject", "=", subject)
    .where("created_time", "<=", now - MAIL_RESEND_SECONDS)
    .executeTakeFirstOrThrow();
  if (affectedRows(replaced) === 1 || (await insertOrIgnore(store.database, queries, "one_time_codes", row))) return 0;
  return Math.max(1, await secondsUntilNext(queries, { purpose, subject, now }));
}

type Asked = Pick<NewCode, "purpose" | "subject" | "now">;

async function secondsUntilNext(queries: Queries, { purpose, subject, now }: Asked): Promise<number> {
  const row = await queries
    .selectFrom("one_time_codes")
    .select("created_time")
    .where("purpose", "=", purpose)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return row === undefined ? 0 : Math.max(0, row.created_time + MAIL_RESEND_SECONDS - now);
}

/** Seconds until another code may be asked for; 0 now. */
export const resendSeconds = ({ database }: CodeStore, asked: Asked): Promise<number> =>
  secondsUntilNext(database.kysely, asked);

/**
 * Takes a code that is right: it is gone afterwards, and of two that take it at once one gets it.
 * @returns its payload as it was given.
 * @throws AppError code_invalid where it is wrong, used, over, or was guessed at five times.
 */
export async function takeCode(
  store: CodeStore,
  { purpose, subject, secret, now }: Omit<NewCode, "payload">,
): Promise<unknown> {
  const { kysely } = store.database;
  const row = await kysely
    .selectFrom("one_time_codes")
    .select(["secret_hash", "payload", "created_time"])
    .where("purpose", "=", purpose)
    .where("subject", "=", subject)
    .where("expires_time", ">", now)
    .where("tries", "<", CODE_TRIES)
    .executeTakeFirst();
  if (row === undefined) throw new AppError("code_invalid");
  const isRight = isSameSecret(hashOf(store.secrets, purpose, secret), row.secret_hash);
  // A guess is counted before it is answered: of many at once no more than five are tried.
  const counted = await kysely
    .updateTable("one_time_codes")
    .set((each) => ({ tries: each("tries", "+", 1) }))
    .where("purpose", "=", purpose)
    .where("subject", "=", subject)
    .where("secret_hash", "=", row.secret_hash)
    .where("tries", "<", CODE_TRIES)
    .executeTakeFirstOrThrow();
  if (!isRight || affectedRows(counted) !== 1) throw new AppError("code_invalid");
  const taken = await kysely
    .deleteFrom("one_time_codes")
    .where("purpose", "=", purpose)
    .where("subject", "=", subject)
    .where("secret_hash", "=", row.secret_hash)
    .executeTakeFirstOrThrow();
  if (Number(taken.numDeletedRows) !== 1) throw new AppError("code_invalid");
  return JSON.parse(row.payload);
}

/** Notes that a secret made elsewhere was shown; false where it was shown before, within `CODE_SECONDS`. */
export function claimOnce(
  { database, secrets }: CodeStore & { database: Pick<Database, "engine" | "kysely"> },
  { purpose, secret, now }: { purpose: CodePurpose; secret: string; now: number },
): Promise<boolean> {
  const subject = hashOf(secrets, purpose, secret);
  const row = { purpose, subject, secret_hash: subject, payload: "{}", tries: CODE_TRIES };
  const times = { created_time: now, expires_time: now + CODE_SECONDS };
  return insertOrIgnore(database, database.kysely, "one_time_codes", { ...row, ...times });
}

/** Takes a code that is found by itself: its subject is its own look-up hash (states, tickets, challenges). Throws as `takeCode`. */
export const takeTicket = (store: CodeStore, { purpose, ticket, now }: HeldTicket): Promise<unknown> =>
  takeCode(store, { purpose, subject: hashOf(store.secrets, purpose, ticket), secret: ticket, now });

export interface HeldTicket {
  purpose: CodePurpose;
  ticket: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Reads a ticket on which something else is to be guessed; the ticket stays.
 * @returns its payload as it was given.
 * @throws AppError code_invalid where there is no such ticket, it is over, or five guesses were made on it.
 */
export async function readTicket(store: CodeStore, { purpose, ticket, now }: HeldTicket): Promise<unknown> {
  const row = await store.database.kysely
    .selectFrom("one_time_codes")
    .select("payload")
    .where("purpose", "=", purpose)
    .where("subject", "=", hashOf(store.secrets, purpose, ticket))
    .where("expires_time", ">", now)
    .where("tries", "<", CODE_TRIES)
    .executeTakeFirst();
  if (row === undefined) throw new AppError("code_invalid");
  return JSON.parse(row.payload);
}

/** Counts a guess on a ticket before it is heard: of many at once five are. @throws AppError code_invalid for every other. */
export async function countGuess(store: CodeStore, { purpose, ticket }: Omit<HeldTicket, "now">): Promise<void> {
  const counted = await store.database.kysely
    .updateTable("one_time_codes")
    .set((each) => ({ tries: each("tries", "+", 1) }))
    .where("purpose", "=", purpose)
    .where("subject", "=", hashOf(store.secrets, purpose, ticket))
    .where("tries", "<", CODE_TRIES)
    .executeTakeFirstOrThrow();
  if (affectedRows(counted) !== 1) throw new AppError("code_invalid");
}

/** Ends a ticket after the right guess. @returns false where another call ended it first. */
export async function endTicket(store: CodeStore, { purpose, ticket }: Omit<HeldTicket, "now">): Promise<boolean> {
  const ended = await store.database.kysely
    .deleteFrom("one_time_codes")
    .where("purpose", "=", purpose)
    .where("subject", "=", hashOf(store.secrets, purpose, ticket))
    .executeTakeFirstOrThrow();
  return affectedRows(ended) === 1;
}

/** Keeps a ticket of 256 random bits that is found by itself. @returns the ticket. */
export async function giveTicket(
  store: CodeStore,
  { purpose, payload, now }: { purpose: CodePurpose; payload: object; now: number },
): Promise<string> {
  const ticket = newTicket();
  const subject = hashOf(store.secrets, purpose, ticket);
  await giveCode(store, store.database.kysely, { purpose, subject, secret: ticket, payload, now });
  return ticket;
}
