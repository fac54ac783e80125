/** Rows of an earlier pass that the source does not have any more: listed, disabled where they admit calls, and left out of the proof. */
import { sql } from "kysely";
import { TOKEN_STATUS } from "../../../contract/src/features/tokens.ts";
import { USER_STATUS } from "../../../contract/src/features/users.ts";
import { bumpVersion } from "../db/versions.ts";
import type { Report } from "./report.ts";
import { COLUMNS } from "./sums.ts";
import { entryPrefix, type MoneyTable, type Target } from "./target.ts";

export interface Gone {
  /** Numbers here. */
  ids: Readonly<Record<MoneyTable, readonly number[]>>;
  /** What the ledger says of them, by `table.column`. */
  sums: ReadonlyMap<string, bigint>;
  /** What tokens that are gone used, by their owner's number there: it is among what he used. */
  usedByTokens: ReadonlyMap<number, number>;
}

export const NOTHING_GONE: Gone = {
  ids: { users: [], tokens: [], channels: [] },
  sums: new Map(),
  usedByTokens: new Map(),
};

/** Rows of the source that come over, by table. */
export type IdsThere = Readonly<Record<MoneyTable, Pick<ReadonlySet<number>, "has">>>;

interface Entry {
  sourceId: number;
  id: number;
  userId: number;
}

const PAGE = 5_000;
const CHUNK = 500;
const ID_COLUMNS = { users: "user_id", tokens: "token_id", channels: "channel_id" } as const;

/** The first entry of each row that was brought. */
async function* entriesOf({ database, origin }: Target, table: MoneyTable): AsyncGenerator<Entry> {
  const prefix = entryPrefix(origin, table);
  for (let last = 0; ;) {
    const rows = await database.kysely
      .selectFrom("ledger")
      .select(["id", "entry_id", "user_id", `${ID_COLUMNS[table]} as row_id`])
      .where("kind", "=", "opening")
      .where("entry_id", "like", `${prefix}%`)
      .where("id", ">", last)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    for (const { entry_id, user_id, row_id } of rows) {
      const number = entry_id.slice(prefix.length);
      // Differences of later passes have another colon.
      if (/^\d+$/.test(number)) yield { sourceId: Number(number), id: Number(row_id), userId: Number(user_id) };
    }
    if (rows.length < PAGE) return;
    last = Number(rows.at(-1)?.id);
  }
}

/** Adds up what the openings of these rows come to. A token's entries name its owner too, by whom they are found. */
async function addSums(
  { database, origin }: Target,
  table: MoneyTable,
  { entries, sums }: { entries: readonly Entry[]; sums: Map<string, bigint> },
): Promise<void> {
  for (let from = 0; from < entries.length; from += CHUNK) {
    const part = entries.slice(from, from + CHUNK);
    const list = (ids: readonly number[]) => sql.join(ids.map((id) => sql.lit(id)));
    for (const [column, amount] of Object.entries(COLUMNS[table])) {
      const { rows } = await sql<{
        total: number | string;
      }>`SELECT COALESCE(SUM(${sql.ref(amount)}), 0) AS total FROM ledger
        WHERE kind = 'opening' AND entry_id LIKE ${`opening:${origin}:%`}
          AND user_id IN (${list(part.map(({ userId }) => userId))})
          AND ${sql.ref(ID_COLUMNS[table])} IN (${list(part.map(({ id }) => id))})`.execute(database.kysely);
      const name = `${table}.${column}`;
      sums.set(name, (sums.get(name) ?? 0n) + BigInt(rows[0]?.total ?? 0));
    }
  }
}

async function usedOf({ database }: Target, token: Entry): Promise<number> {
  const { rows } = await sql<{ total: number | string }>`SELECT COALESCE(SUM(used_delta), 0) AS total FROM ledger
    WHERE kind = 'opening' AND user_id = ${token.userId} AND token_id = ${token.id}`.execute(database.kysely);
  return Number(rows[0]?.total ?? 0);
}

/** Finds the rows that are gone there. @param there the rows that come over in this pass */
export async function findGone(target: Target, there: IdsThere): Promise<Gone> {
  const sums = new Map<string, bigint>();
  const gone: Record<MoneyTable, Entry[]> = { users: [], tokens: [], channels: [] };
  /** Numbers there of users who have another one here. */
  const movedOwners = new Map<number, number>();
  for (const table of ["users", "tokens", "channels"] as const) {
    for await (const entry of entriesOf(target, table)) {
      if (table === "users" && entry.id !== entry.sourceId) movedOwners.set(entry.id, entry.sourceId);
      if (!there[table].has(entry.sourceId)) gone[table].push(entry);
    }
    await addSums(target, table, { entries: gone[table], sums });
  }
  const usedByTokens = new Map<number, number>();
  for (const token of gone.tokens) {
    const owner = movedOwners.get(token.userId) ?? token.userId;
    usedByTokens.set(owner, (usedByTokens.get(owner) ?? 0) + (await usedOf(target, token)));
  }
  const idsOf = (table: MoneyTable): number[] => gone[table].map(({ id }) => id);
  return { ids: { users: idsOf("users"), tokens: idsOf("tokens"), channels: idsOf("channels") }, sums, usedByTokens };
}

/** Lists what is gone there, and switches users and tokens off here, so that no key outlives its deletion. */
export async function switchOffGone({ database, isDryRun }: Target, { ids }: Gone, report: Report): Promise<void> {
  for (const id of ids.users) report.add("user_gone", `#${id}`);
  for (const id of ids.tokens) report.add("token_gone", `#${id}`);
  for (const id of ids.channels) report.add("channel_gone", `#${id}`);
  if (isDryRun) return;
  const disabled = { users: USER_STATUS.disabled, tokens: TOKEN_STATUS.disabled } as const;
  for (const table of ["users", "tokens"] as const)
    for (let from = 0; from < ids[table].length; from += CHUNK)
      await database.kysely.transaction().execute(async (transaction) => {
        const changed_version = await bumpVersion(transaction, table);
        // Both tables have these columns, which Kysely cannot say of one of two.
        await transaction
          .updateTable(table as "users")
          .set({ status: disabled[table], changed_version })
          .where("id", "in", ids[table].slice(from, from + CHUNK))
          .where("status", "!=", disabled[table])
          .execute();
      });
}
