/** Opening entries of the ledger: balances and counters imported from another system, posted in batches with the rows they are about. */
import type { Insertable, Transaction } from "kysely";
import { assertQuota } from "../../../contract/src/money.ts";
import { addAmounts, insertMany } from "../db/bulk.ts";
import type { Engine } from "../db/database.ts";
import type { LedgerTable, Schema } from "../db/schema.ts";

/** What a user, a token or a channel has in the other system. All amounts are in quota. */
export interface Opening {
  /** Of the first entry; a later one of the same thing has `:<number>` behind it. At most 56 characters. */
  entryId: string;
  userId: number;
  tokenId: number;
  channelId: number;
  /** What is left of the balance, of the token, and of rewards that were not moved to the balance. */
  quota: number;
  tokenQuota: number;
  affQuota: number;
  /** What was used: of the user, the token and the channel that the opening names. */
  used: number;
  requests: number;
  /** JSON. */
  detail: string;
}

const AMOUNTS = ["quota", "tokenQuota", "affQuota", "used", "requests"] as const;

interface On {
  engine: Engine;
  transaction: Transaction<Schema>;
}

interface Posted extends Record<(typeof AMOUNTS)[number], number> {
  entries: number;
}

const COLUMN_OF = {
  quota: "quota_delta",
  tokenQuota: "token_quota_delta",
  affQuota: "aff_quota_delta",
  used: "used_delta",
  requests: "request_delta",
} as const satisfies Record<(typeof AMOUNTS)[number], keyof LedgerTable>;

const NOTHING: Posted = { quota: 0, tokenQuota: 0, affQuota: 0, used: 0, requests: 0, entries: 0 };

/**
 * What the entries of each thing come to so far, by the id of its first; those without any are missing. One statement for each entry that the
 * thing with the most has, each by the unique key of the ledger.
 */
async function postedOf(transaction: Transaction<Schema>, ids: readonly string[]): Promise<Map<string, Posted>> {
  const posted = new Map<string, Posted>();
  let left = ids;
  for (let entries = 0; left.length > 0; entries += 1) {
    const firstOf = new Map(left.map((id) => [entries === 0 ? id : `${id}:${entries}`, id]));
    const rows = await transaction
      .selectFrom("ledger")
      .select(["entry_id", ...AMOUNTS.map((name) => COLUMN_OF[name])])
      .where("entry_id", "in", [...firstOf.keys()])
      .execute();
    left = rows.flatMap(({ entry_id }) => firstOf.get(entry_id) ?? []);
    for (const row of rows) {
      const first = firstOf.get(row.entry_id) ?? "";
      const before = posted.get(first) ?? NOTHING;
      const sums = AMOUNTS.map((name) => [name, before[name] + Number(row[COLUMN_OF[name]])]);
      posted.set(first, { ...Object.fromEntries(sums), entries: entries + 1 } as Posted); // every name is among AMOUNTS
    }
  }
  return posted;
}

/** The entry that brings what was posted to what the other system has now; undefined where it says the same. */
function difference(wanted: Opening, posted: Posted): Opening | undefined {
  const deltas = AMOUNTS.map((name) => [name, wanted[name] - posted[name]] as const);
  if (deltas.every(([, delta]) => delta === 0)) return undefined;
  return { ...wanted, ...Object.fromEntries(deltas), entryId: `${wanted.entryId}:${posted.entries}` };
}

const ledgerRow = (opening: Opening, createdAt: number): Insertable<LedgerTable> => ({
  entry_id: opening.entryId,
  kind: "opening",
  created_at: createdAt,
  user_id: opening.userId,
  token_id: opening.tokenId,
  channel_id: opening.channelId,
  model: "",
  group_name: "",
  quota_delta: assertQuota(opening.quota),
  token_quota_delta: assertQuota(opening.tokenQuota),
  aff_quota_delta: assertQuota(opening.affQuota),
  used_delta: assertQuota(opening.used),
  request_delta: assertQuota(opening.requests),
  prompt_tokens: 0,
  completion_tokens: 0,
  detail: opening.detail,
});

/** Column of a table to the amount that is added to it. */
const COLUMNS = {
  users: { quota: "quota", used_quota: "used", request_count: "requests", aff_quota: "affQuota" },
  tokens: { remain_quota: "tokenQuota", used_quota: "used" },
  channels: { used_quota: "used" },
} as const satisfies Record<string, Readonly<Record<string, (typeof AMOUNTS)[number]>>>;

const TABLES = ["users", "tokens", "channels"] as const satisfies readonly (keyof typeof COLUMNS)[];
const ID_OF = { users: "userId", tokens: "tokenId", channels: "channelId" } as const;

/**
 * Columns of a new row that the transaction inserts with its first entry (`postFirstOpenings`): what the entry says of them.
 * @throws RangeError for an amount beyond ±(2^53 - 1)
 */
export function openedColumns(table: keyof typeof COLUMNS, opening: Opening): Readonly<Record<string, number>> {
  const columns: Record<string, number> = {};
  for (const [column, amount] of Object.entries(COLUMNS[table])) columns[column] = assertQuota(opening[amount]);
  return columns;
}

/** Adds to the rows of one table what the entries say, with one statement. */
async function addTo(
  { engine, transaction }: On,
  table: keyof typeof COLUMNS,
  openings: readonly Opening[],
): Promise<void> {
  // Of a page of tokens most owners have nothing but what was used.
  const columns = Object.entries(COLUMNS[table]).filter(([, amount]) => openings.some((each) => each[amount] !== 0));
  const byId = new Map<number, Record<string, number> & { id: number }>();
  for (const opening of openings) {
    const id = opening[ID_OF[table]];
    if (id === 0) continue;
    const sums = byId.getOrInsertComputed(id, () => ({ id }));
    for (const [column, amount] of columns) sums[column] = assertQuota((sums[column] ?? 0) + opening[amount]);
  }
  const amounts = [...byId.values()].toSorted((one, other) => one.id - other.id);
  const moved = columns.map(([column]) => column);
  if (moved.length > 0 && amounts.length > 0) await addAmounts(engine, transaction, { table, columns: moved, amounts });
}

/**
 * Posts what the other system has, less what was posted before under the same ids: called again with the same amounts it posts nothing.
 * The rows have to be there. At most 5,000 at once, so that a transaction stays short.
 * @param createdAt Unix seconds
 * @returns how many entries were posted
 * @throws RangeError for an amount beyond ±(2^53 - 1)
 */
export async function postOpenings(
  { engine, transaction }: On,
  openings: readonly Opening[],
  createdAt: number,
): Promise<number> {
  if (openings.length === 0) return 0;
  const posted = await postedOf(
    transaction,
    openings.map(({ entryId }) => entryId),
  );
  const entries = openings.flatMap((opening) => {
    const before = posted.get(opening.entryId);
    return (before === undefined ? opening : difference(opening, before)) ?? [];
  });
  if (entries.length === 0) return 0;
  const ledger = entries.map((entry) => ledgerRow(entry, createdAt));
  await insertMany(engine, transaction, { table: "ledger", rows: ledger });
  for (const table of TABLES) await addTo({ engine, transaction }, table, entries);
  return entries.length;
}

interface FirstOpenings {
  /** Of the rows. */
  table: keyof typeof COLUMNS;
  openings: readonly Opening[];
  /** Unix seconds. */
  createdAt: number;
}

/**
 * Posts the first entries of rows that this transaction inserted with their `openedColumns`: nothing was posted under their ids before. What they
 * say of rows of other tables is added there. At most 5,000 at once.
 * @throws RangeError for an amount beyond ±(2^53 - 1), and the unique violation where an id was posted
 */
export async function postFirstOpenings(
  { engine, transaction }: On,
  { table, openings, createdAt }: FirstOpenings,
): Promise<void> {
  if (openings.length === 0) return;
  const rows = openings.map((opening) => ledgerRow(opening, createdAt));
  await insertMany(engine, transaction, { table: "ledger", rows });
  for (const other of TABLES.filter((each) => each !== table)) await addTo({ engine, transaction }, other, openings);
}
