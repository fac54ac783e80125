/** One person for administrators: read only about people below the reader's role, and without anything that signs in or calls. */
import {
  type LedgerEntry,
  type Person,
  PERSON_LEDGER_PAGE,
  type PersonSession,
  type PersonToken,
} from "../../../../contract/src/people.ts";
import type { SecurityEventRow } from "../../../../contract/src/features/personal.ts";
import { nowSeconds } from "../../util/clock.ts";
import { objectOf, parseJson, textOf } from "../../util/json-read.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { usernamesOf } from "../kit/lists.ts";
import { securityEvents } from "../security-log.ts";
import { idleSince } from "../session-store.ts";
import { statusOf } from "../tokens/rules.ts";
import { checkReadable } from "./authority.ts";
import { countTokensOf, ledgerOf, sessionsOf, signInFacts, tokensOf } from "./person-store.ts";
import { userMissing, viewsOf } from "./service.ts";
import { findUser } from "./store.ts";

type PersonContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

interface Caller {
  id: number;
  role: number;
}

/** The row of a person below the caller's role. Throws not_found or user_role_not_lower. */
async function readable({ database }: PersonContext, caller: Caller, id: number) {
  const row = await findUser(database.kysely, id);
  if (row === undefined) throw userMissing();
  checkReadable(caller, row);
  return row;
}

/** The id in a ledger row's detail; 0 where it has none. */
const idOf = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0);

const livingAt = ({ clock, snapshot }: PersonContext) => {
  const now = nowSeconds(clock);
  return { now, since: idleSince(snapshot.options, now) };
};

/** One person, deregistered ones too. Throws not_found or user_role_not_lower. */
export async function readPerson(context: PersonContext, caller: Caller, id: number): Promise<Person> {
  const row = await readable(context, caller, id);
  const [views, facts, tokens] = await Promise.all([
    viewsOf(context, caller, [row]),
    signInFacts(context.database, id, livingAt(context)),
    countTokensOf(context.database, id),
  ]);
  const [view] = views;
  if (view === undefined) throw userMissing();
  return { ...view, ...facts, tokens };
}

/** One page of a person's tokens, without their keys. Throws as `readPerson`. */
export async function readTokens(
  context: PersonContext,
  caller: Caller,
  id: number,
  { p, page_size }: { p: number; page_size: number },
) {
  await readable(context, caller, id);
  const now = nowSeconds(context.clock);
  const [rows, total] = await Promise.all([
    tokensOf(context.database, id, { offset: (p - 1) * page_size, limit: page_size }),
    countTokensOf(context.database, id),
  ]);
  const items = rows.map(({ group_name, ...row }): PersonToken => ({
    ...row,
    group: group_name,
    status: statusOf(row, now),
    unlimited_quota: row.unlimited_quota === 1,
  }));
  return { items, total, page: p, page_size };
}

/** The newest entries of a person's ledger that are no calls, older than the one with the id `before`. Throws as `readPerson`. */
export async function readLedger(
  context: PersonContext,
  caller: Caller,
  id: number,
  before: number | undefined,
): Promise<LedgerEntry[]> {
  await readable(context, caller, id);
  const { kysely } = context.database;
  const rows = await ledgerOf(kysely, id, before, PERSON_LEDGER_PAGE);
  const read = rows.map(({ detail, ...row }) => ({ row, detail: objectOf(parseJson(detail)) }));
  const actors = read.map(({ detail }) => idOf(detail["actor"]));
  const names = await usernamesOf(kysely, actors);
  return read.map(({ row, detail }) => ({
    ...row,
    reason: textOf(detail["note"]),
    actor: names.get(idOf(detail["actor"])) ?? "",
  }));
}

/** A person's open sessions. Throws as `readPerson`. */
export async function readSessions(context: PersonContext, caller: Caller, id: number): Promise<PersonSession[]> {
  await readable(context, caller, id);
  return sessionsOf(context.database.kysely, id, livingAt(context));
}

/** The security log of a person's account. Throws as `readPerson`. */
export async function readSecurityEvents(
  context: PersonContext,
  caller: Caller,
  id: number,
  before: number | undefined,
): Promise<SecurityEventRow[]> {
  await readable(context, caller, id);
  return securityEvents(context, before, id);
}
