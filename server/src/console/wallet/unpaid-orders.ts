/** Expires orders that were not paid within a day; a later payment is still credited. */
import type { Database } from "../../db/database.ts";

const LIFE_SECONDS = 86_400;
const EVERY_SECONDS = 600;

/** @param clock Unix milliseconds */
export function unpaidOrdersJob({ kysely }: Database, clock: () => number) {
  const newest = (): number => Math.floor(clock() / 1000) - LIFE_SECONDS;
  return {
    name: "unpaid_orders",
    everySeconds: EVERY_SECONDS,
    async hasWork() {
      const row = await kysely
        .selectFrom("top_ups")
        .select("id")
        .where("status", "=", "pending")
        .where("created_time", "<=", newest())
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    async run() {
      await kysely
        .updateTable("top_ups")
        .set({ status: "ended" })
        .where("status", "=", "pending")
        .where("created_time", "<=", newest())
        .execute();
    },
  };
}
