/** Redemption codes and top-up orders of another gateway: codes that can still be used, and orders as history. */
import type { Insertable } from "kysely";
import { REDEMPTION_STATUS } from "../../../contract/src/features/redemptions.ts";
import { FAMILY_METHOD_WORDS } from "../../../contract/src/payments/methods.ts";
import type { OrderStatus } from "../../../contract/src/payments/orders.ts";
import type { Schema } from "../db/schema.ts";
import { sealCode } from "../db/secrets.ts";
import { flagIn, momentIn, nameIn, numberIn, quotaIn, textIn } from "./cells.ts";
import { TextSet } from "./large-sets.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import type { KnownSource } from "./systems.ts";
import { readTable } from "./tables.ts";
import { type Target, takenIds } from "./target.ts";

export interface SalesContext {
  source: KnownSource;
  target: Target;
  report: Report;
  userIds: Pick<ReadonlySet<number>, "has">;
  /** Numbers here of users whose own number was taken, by their numbers there. */
  moved: ReadonlyMap<number, number>;
  quotaPerUnit: number;
}

/** One row and what makes it the same as one that is here. */
interface Planned<Row> {
  row: Row;
  mark: string;
}

type Code = Omit<Insertable<Schema["redemptions"]>, "id"> & { id: number };
type Order = Omit<Insertable<Schema["top_ups"]>, "id"> & { id: number };

const here = ({ moved, userIds }: SalesContext, id: number): number => (userIds.has(id) ? (moved.get(id) ?? id) : 0);

const STATUSES: ReadonlySet<number> = new Set(Object.values(REDEMPTION_STATUS));

/** Veloera's codes for several people, given as presents, or for a later time: none of these can be said of a code here. */
const isHeldBack = (row: SourceRow, now: number): boolean =>
  flagIn(row, "is_gift") === true || ![0, 1].includes(numberIn(row, "max_uses")) || numberIn(row, "valid_from") > now;

function statusOfCode(row: SourceRow, { target, report }: SalesContext): number {
  const status = numberIn(row, "status");
  if (status !== REDEMPTION_STATUS.unused) return STATUSES.has(status) ? status : REDEMPTION_STATUS.disabled;
  if (!isHeldBack(row, target.now)) return status;
  report.add("code_held_back", `#${numberIn(row, "id")}`);
  return REDEMPTION_STATUS.disabled;
}

function planCode(row: SourceRow, context: SalesContext): Planned<Code> | undefined {
  const { target, report } = context;
  // Codes are compared in small letters here.
  const code = textIn(row, "key").trim().toLowerCase();
  const [id, quota, status] = [numberIn(row, "id"), quotaIn(row, "quota"), numberIn(row, "status")];
  if (code === "" || (quota <= 0 && status === REDEMPTION_STATUS.unused)) {
    report.add("code_empty", `#${id}`);
    return undefined;
  }
  const sealed = sealCode(target.secrets, code);
  return {
    mark: sealed.key_hash,
    row: {
      id,
      user_id: here(context, numberIn(row, "user_id")),
      name: nameIn(row, "name", 128) || `code ${id}`,
      ...sealed,
      status: statusOfCode(row, context),
      quota,
      created_time: Math.max(0, numberIn(row, "created_time")),
      redeemed_time: Math.max(0, numberIn(row, "redeemed_time")),
      expired_time: Math.max(0, numberIn(row, "expired_time") || numberIn(row, "valid_until")),
      used_user_id: here(context, numberIn(row, "used_user_id")),
      deleted_at: momentIn(row, "deleted_at") ?? null,
    },
  };
}

const ORDER_STATUSES: Readonly<Record<string, OrderStatus>> = { success: "paid", failed: "failed", expired: "ended" };

/** What an order was credited with is stored by one-hub alone; elsewhere it was the money by Stripe, the amount by epay, in units. */
function quotaOfOrder(row: SourceRow, unit: number): number {
  if ("quota" in row) return Math.max(0, quotaIn(row, "quota"));
  const units = textIn(row, "payment_method") === "stripe" ? Number(textIn(row, "money")) : numberIn(row, "amount");
  const quota = Math.round(units * unit);
  return Number.isSafeInteger(quota) && quota > 0 ? quota : 0;
}

function currencyOf(row: SourceRow, method: string): string {
  const stored = textIn(row, "order_currency").trim().toUpperCase();
  return /^[A-Z]{3}$/.test(stored) ? stored : method === "stripe" ? "USD" : "CNY";
}

function planOrder(row: SourceRow, context: SalesContext): Planned<Order> | undefined {
  const { report, userIds, quotaPerUnit } = context;
  const [id, buyer] = [numberIn(row, "id"), numberIn(row, "user_id")];
  const status = ORDER_STATUSES[textIn(row, "status")];
  if (!userIds.has(buyer)) report.add("order_without_buyer", `#${id} of user ${buyer}`);
  else if (status === undefined)
    report.add("order_open", `#${id} of user ${buyer}: ${textIn(row, "status") || "no status"}`);
  if (!userIds.has(buyer) || status === undefined) return undefined;
  const word = nameIn(row, "payment_method", 64) || "epay";
  const method = FAMILY_METHOD_WORDS[word] ?? word;
  const created = Math.max(0, numberIn(row, "create_time"));
  const money = Math.round(Number(textIn(row, "money")) * 100);
  const tradeNo = textIn(row, "trade_no").trim().slice(0, 100) || `imported-${id}`;
  return {
    mark: tradeNo,
    row: {
      id,
      user_id: here(context, buyer),
      trade_no: tradeNo,
      quota: quotaOfOrder(row, quotaPerUnit),
      money_minor: Number.isSafeInteger(money) && money > 0 ? money : 0,
      currency: currencyOf(row, method),
      amount: Math.max(0, numberIn(row, "amount")),
      method,
      status,
      created_time: created,
      completed_time: status === "paid" ? numberIn(row, "complete_time") || created : 0,
    },
  };
}

interface Sale<Row extends { id: number }> {
  table: "redemptions" | "top_ups";
  markColumn: "key_hash" | "trade_no";
  plan: (row: SourceRow, context: SalesContext) => Planned<Row> | undefined;
  /** What is done with a row whose mark an older one has: another mark, or undefined to refuse it. */
  again: (planned: Planned<Row>, report: Report) => Planned<Row> | undefined;
}

/** Rows here that have one of these marks, by mark. */
async function markedHere(
  { target }: SalesContext,
  { table, markColumn }: Pick<Sale<never>, "table" | "markColumn">,
  marks: readonly string[],
): Promise<Map<string, number>> {
  if (marks.length === 0) return new Map();
  // Both tables have an id; Kysely cannot say so of one of two.
  const rows = await target.database.kysely
    .selectFrom(table as "redemptions")
    .select(["id", `${markColumn as "key_hash"} as mark`])
    .where(markColumn as "key_hash", "in", [...marks])
    .execute();
  return new Map(rows.map(({ id, mark }) => [mark, Number(id)]));
}

/** Those of a page that are not here, each with a mark that no other row has. */
async function newOfPage<Row extends { id: number }>(
  context: SalesContext,
  sale: Sale<Row>,
  { rows, seen }: { rows: readonly SourceRow[]; seen: TextSet },
): Promise<Planned<Row>[]> {
  const { report } = context;
  const planned = rows.flatMap((row) => sale.plan(row, context) ?? []);
  report.count(sale.table, "refused", rows.length - planned.length);
  const unique = planned.flatMap((each) => {
    const kept = seen.has(each.mark) ? sale.again(each, report) : each;
    if (kept === undefined) report.count(sale.table, "refused");
    else seen.add(kept.mark);
    return kept ?? [];
  });
  const marked = await markedHere(
    context,
    sale,
    unique.map(({ mark }) => mark),
  );
  report.count(sale.table, "known", marked.size);
  return unique.filter(({ mark }) => !marked.has(mark));
}

async function importSale<Row extends { id: number }>(context: SalesContext, sale: Sale<Row>): Promise<void> {
  const { source, target, report } = context;
  const { kysely } = target.database;
  const seen = new TextSet();
  for await (const rows of readTable(source, sale.table, report)) {
    const fresh = await newOfPage(context, sale, { rows, seen });
    report.count(sale.table, "brought", fresh.length);
    if (target.isDryRun || fresh.length === 0) continue;
    await kysely.transaction().execute(async (transaction) => {
      const taken = await takenIds(
        transaction,
        sale.table,
        fresh.map(({ row }) => row.id),
      );
      const values = fresh.map(({ row }) => row).filter(({ id }) => !taken.has(id));
      const moved = fresh.map(({ row }) => row).filter(({ id }) => taken.has(id));
      // Checked by Sale's own types; Kysely cannot express one table of two.
      const insert = transaction.insertInto(sale.table as "redemptions");
      if (values.length > 0) await insert.values(values as unknown as Insertable<Schema["redemptions"]>[]).execute();
      for (const { id: _id, ...row } of moved)
        await insert.values(row as unknown as Insertable<Schema["redemptions"]>).execute();
    });
  }
}

/** Brings codes and orders that are not here yet. Money is not moved: what they were worth is in the balances. */
export async function importSales(context: SalesContext): Promise<void> {
  await importSale<Code>(context, {
    table: "redemptions",
    markColumn: "key_hash",
    plan: planCode,
    again({ row }, report) {
      report.add("code_twice", `#${row.id}`);
      return undefined;
    },
  });
  await importSale<Order>(context, {
    table: "top_ups",
    markColumn: "trade_no",
    plan: planOrder,
    again({ row }, report) {
      report.add("order_twice", `#${row.id}`);
      const mark = `${row.trade_no}-${row.id}`;
      return { mark, row: { ...row, trade_no: mark } };
    },
  });
}
