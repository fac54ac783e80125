/** The security log: each event is a line of the server's log at once, and a row of the database within seconds. */
import { sql } from "kysely";
import {
  ABOUT_ACCOUNTS,
  isAddedUp,
  isRefusal,
  type RecordSecurityEvent,
  SECURITY_REASON_MAX,
  SECURITY_ROWS,
  type SecurityEvent,
} from "../../../contract/src/security-events.ts";
import type { Database } from "../db/database.ts";
import type { SecurityEventTable } from "../db/user-tables.ts";
import { clientNetwork } from "../observe/client-address.ts";
import { type Clock, nowSeconds } from "../util/clock.ts";
import { storableCut } from "../util/text.ts";

// Chooses the row of the security log to which a refusal or a script's action is added: bounded for each account and each source, so that a flood cannot hide other attacks.

type Row = Omit<SecurityEventTable, "id">;
type Refusal = Omit<Row, "event_key">;

const HOUR_SECONDS = 3_600;
/** Rows about one account in an hour; more are one row a kind, without networks. */
export const ROWS_OF_ONE = 50;
/** Rows that one caller or one network of anonymous callers causes in an hour; more are one row a kind, without reasons. */
export const REASONS_OF_ONE = 20;
/** Rows of anonymous callers that one process stores separately in an hour; the others are added up by kind alone. */
export const REFUSALS_APART = 500;
/** The same for known accounts as source and as target: a guess at one takes the time of a password check. */
const CAUSED_APART = 5_000;
const ABOUT_APART = 20_000;

/** A bounded number of rows for a bucket of this name. */
type Room = readonly [name: string, most: number];

interface Place {
  key: string;
  row: Refusal;
  rooms: readonly Room[];
}

const MANY = { actor_id: 0, network: "", way: "", reason: "many" } as const;

/** From the most specific on; the last one needs no bound, since there is one row a kind. */
function placesOf(row: Refusal): Place[] {
  const { kind, user_id, actor_id, network, way, reason } = row;
  const causer = actor_id || user_id;
  const key = `${kind} ${user_id} ${actor_id} ${network} ${way} ${reason}`;
  const last = { key: `${kind} many`, row: { ...row, ...MANY, user_id: 0 }, rooms: [] };
  if (user_id !== 0 && ABOUT_ACCOUNTS.has(kind)) {
    const rooms: Room[] = [["about", ABOUT_APART]];
    const ofAccount = { key: `${kind} ${user_id} many`, row: { ...row, ...MANY }, rooms };
    return [{ key, row, rooms: [...rooms, [`about ${user_id}`, ROWS_OF_ONE]] }, ofAccount, last];
  }
  // Of an anonymous caller only the network is known.
  const from = causer === 0 ? network : "";
  const rooms: Room[] = [causer === 0 ? ["strangers", REFUSALS_APART] : ["callers", CAUSED_APART]];
  const ofCauser = {
    key: `${kind} ${causer} ${from} many`,
    row: { ...row, ...MANY, user_id: causer, network: from },
    rooms,
  };
  return [{ key, row, rooms: [...rooms, [`caused ${causer} ${from}`, REASONS_OF_ONE]] }, ofCauser, last];
}

/** The refusals of this hour that have separate rows, each with its count. */
class RefusalRows {
  #hour = 0;
  readonly #counts = new Map<string, number>();
  readonly #taken = new Map<string, number>();

  /** Counts it; returns the key and row to which it is added. */
  add(refusal: Refusal): { row: Row; count: number } {
    const hour = refusal.created_time - (refusal.created_time % HOUR_SECONDS);
    if (hour !== this.#hour) {
      this.#counts.clear();
      this.#taken.clear();
    }
    this.#hour = hour;
    const places = placesOf(refusal);
    const place = places.find((asked) => this.#hasRoom(asked)) ?? { key: refusal.kind, row: refusal, rooms: [] };
    if (!this.#counts.has(place.key))
      for (const [name] of place.rooms) this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
    const count = (this.#counts.get(place.key) ?? 0) + 1;
    this.#counts.set(place.key, count);
    return { row: { ...place.row, event_key: `${hour} ${place.key}`.slice(0, 255) }, count };
  }

  #hasRoom({ key, rooms }: Place): boolean {
    return this.#counts.has(key) || rooms.every(([name, most]) => (this.#taken.get(name) ?? 0) < most);
  }
}

export interface SecurityLog {
  /** Never throws and never waits. */
  record: RecordSecurityEvent;
  /** Writes pending rows; what the database refuses is kept for the next time. Never rejects. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

interface Logger {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
}

type Waiting = Map<string, Row>;

/** The rows that a killed process loses; their log lines are already written. */
const FLUSH_EVERY_MS = 2_000;
const ROWS_AT_ONCE = 100;
/** Maximum pending rows of each sort while the database is away: refusals never displace actions. */
const MOST_WAITING = 5_000;

/** PostgreSQL refuses the zero character and halves of surrogate pairs. */
const rowOf = (event: SecurityEvent, now: number): Omit<Row, "event_key"> => ({
  kind: event.kind,
  is_refusal: isRefusal(event.kind) ? 1 : 0,
  user_id: event.userId,
  actor_id: event.actorId ?? 0,
  network: clientNetwork(event.ip),
  way: storableCut(event.way ?? "", 64),
  reason: storableCut(event.reason ?? "", SECURITY_REASON_MAX),
  count: 1,
  created_time: now,
  last_time: now,
});

async function writeRows({ kysely, engine }: Database, rows: readonly Row[]): Promise<void> {
  const insert = kysely.insertInto("security_events").values([...rows]);
  const there = (column: string) => sql.ref(`security_events.${column}`);
  const sent = (column: string) =>
    engine === "mysql" ? sql`values(${sql.ref(column)})` : sql.ref(`excluded.${column}`);
  // Another process may already have written a later refusal.
  const later = sql<number>`case when ${sent("last_time")} > ${there("last_time")} then ${sent("last_time")} else ${there("last_time")} end`;
  const sums = { count: sql<number>`${there("count")} + ${sent("count")}`, last_time: later };
  if (engine === "mysql") await insert.onDuplicateKeyUpdate(sums).execute();
  else await insert.onConflict((conflict) => conflict.column("event_key").doUpdateSet(sums)).execute();
}

/** 1, 10, 100, ...: a flood of refusals produces a few lines. */
const isWorthALine = (count: number): boolean => Number.isInteger(Math.log10(count));

export interface SecurityLogParts {
  database: Database;
  logger: Logger;
  /** Unix milliseconds. */
  clock: Clock;
  /** Unique among all processes that ever ran on this database. */
  processId: string;
  flushEveryMs?: number;
}

export function openSecurityLog({ database, logger, clock, processId, flushEveryMs }: SecurityLogParts): SecurityLog {
  let waiting: readonly [done: Waiting, refused: Waiting] = [new Map(), new Map()];
  let acts = 0;
  let lost = 0;
  let flushing: Promise<void> | undefined;
  const refusals = new RefusalRows();
  const keep = (row: Row): void => {
    const kept = waiting[row.is_refusal];
    const known = kept.get(row.event_key);
    if (known !== undefined) {
      known.count += row.count;
      known.last_time = Math.max(known.last_time, row.last_time);
    } else if (kept.size < MOST_WAITING) kept.set(row.event_key, row);
    else lost += 1;
  };
  const store = async (): Promise<void> => {
    // In the order of their keys, so that two processes cannot deadlock.
    const taken = waiting
      .flatMap((kept) => [...kept.values()])
      .toSorted((a, b) => (a.event_key < b.event_key ? -1 : 1));
    waiting = [new Map(), new Map()];
    for (let from = 0; from < taken.length; from += ROWS_AT_ONCE)
      try {
        await writeRows(database, taken.slice(from, from + ROWS_AT_ONCE));
      } catch (error) {
        for (const row of taken.slice(from)) keep(row);
        logger.warn({ err: error, count: lost }, "the security log could not be stored yet");
        return;
      }
  };
  const flush = (): Promise<void> => (flushing ??= store().finally(() => (flushing = undefined)));
  const timer = setInterval(() => void flush(), flushEveryMs ?? FLUSH_EVERY_MS);
  timer.unref();
  return {
    record(event) {
      const row = rowOf(event, nowSeconds(clock));
      const { kind, userId, actorId, ip, way, reason, requestId } = event;
      const fields = {
        event: kind,
        userId,
        actorId,
        ip,
        way,
        reason: row.reason === "" ? undefined : reason,
        requestId,
      };
      if (!isAddedUp(kind)) {
        keep({ ...row, event_key: `${processId} ${(acts += 1)}` });
        logger.info(fields, "security event");
        return;
      }
      const { row: kept, count } = refusals.add(row);
      keep(kept);
      if (isWorthALine(count)) logger[isRefusal(kind) ? "warn" : "info"]({ ...fields, count }, "security event");
    },
    flush,
    async close() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

/** Deletes rows older than `days` and rows above the bounds. */
export function oldSecurityEventsJob(database: Database, clock: Clock, days: () => number) {
  const run = async (): Promise<void> => {
    const oldest = nowSeconds(clock) - days() * 86_400;
    await database.kysely.deleteFrom("security_events").where("last_time", "<", oldest).execute();
    for (const is_refusal of [0, 1] as const) {
      const of = is_refusal === 0 ? "done" : "refused";
      for (const userId of await usersOver(database, is_refusal, SECURITY_ROWS.ofUser[of]))
        await trim(database, { is_refusal, userId }, SECURITY_ROWS.ofUser[of]);
      await trim(database, { is_refusal }, SECURITY_ROWS.ofAll[of]);
    }
  };
  return { name: "old_security_events", everySeconds: HOUR_SECONDS, run };
}

/** Accounts with more rows than their limit; anonymous callers count as none, they have the limit of all. */
async function usersOver({ kysely }: Database, is_refusal: 0 | 1, most: number): Promise<number[]> {
  const rows = await kysely
    .selectFrom("security_events")
    .select("user_id")
    .where("is_refusal", "=", is_refusal)
    .where("user_id", "!=", 0)
    .groupBy("user_id")
    .having((having) => having.fn.countAll(), ">", most)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/** Keeps the newest `most` rows. */
async function trim(
  { kysely }: Database,
  { is_refusal, userId }: { is_refusal: 0 | 1; userId?: number },
  most: number,
): Promise<void> {
  const last = await kysely
    .selectFrom("security_events")
    .select("id")
    .where("is_refusal", "=", is_refusal)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? 0))
    .orderBy("id", "desc")
    .offset(most)
    .limit(1)
    .executeTakeFirst();
  if (last === undefined) return;
  await kysely
    .deleteFrom("security_events")
    .where("is_refusal", "=", is_refusal)
    .where("id", "<=", last.id)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? 0))
    .execute();
}
