/** Used and remaining quota of a token or a user, read from the database for the relay's billing endpoints. */
import type { Database } from "../db/database.ts";

export interface QuotaTotals {
  tokenTotals(tokenId: number): Promise<{ remaining: number; used: number }>;
  usedQuota(userId: number): Promise<number>;
}

/** All numbers are quota; 0 for an unknown row. */
export function quotaTotals({ kysely }: Database): QuotaTotals {
  return {
    async tokenTotals(tokenId) {
      const columns = ["remain_quota", "used_quota"] as const;
      const row = await kysely.selectFrom("tokens").select(columns).where("id", "=", tokenId).executeTakeFirst();
      return { remaining: row?.remain_quota ?? 0, used: row?.used_quota ?? 0 };
    },
    async usedQuota(userId) {
      const row = await kysely.selectFrom("users").select("used_quota").where("id", "=", userId).executeTakeFirst();
      return row?.used_quota ?? 0;
    },
  };
}
