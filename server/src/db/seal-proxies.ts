/** At the start: logins of channels' proxies that an earlier version stored in clear are sealed. */
import type { Kysely, Transaction } from "kysely";
import type { Database } from "./database.ts";
import { hasPlainLogin, sealProxy, withProxy } from "./proxy-login.ts";
import type { Schema } from "./schema.ts";
import type { Secrets } from "./secrets.ts";
import { bumpVersion } from "./versions.ts";

/** Channels that are read, and at most written, in one piece. */
const CHANNELS_AT_ONCE = 200;

const settings = (queries: Kysely<Schema> | Transaction<Schema>) =>
  queries.selectFrom("channels").select(["id", "setting"]).where("setting", "!=", "").orderBy("id");

/** Seals those that are still in clear once every other writer of channels has committed; gives how many. */
function sealThese({ kysely }: Database, secrets: Secrets, ids: readonly number[]): Promise<number> {
  return kysely.transaction().execute(async (transaction) => {
    // For its lock alone: the channels stay what they are, so no process reads them again and no open form is out of date.
    await bumpVersion(transaction, "channels");
    const rows = await settings(transaction)
      .where("id", "in", [...ids])
      .execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting));
    for (const { id, setting } of plain) {
      const sealed = withProxy(setting, (proxy) => sealProxy(secrets, proxy));
      await transaction.updateTable("channels").set({ setting: sealed }).where("id", "=", id).execute();
    }
    return plain.length;
  });
}

/** Seals every login of a proxy that stands in clear; gives how many there were. Where there is none nothing is written. */
export async function sealStoredProxies(database: Database, secrets: Secrets): Promise<number> {
  let sealed = 0;
  for (let afterId = 0; ;) {
    const rows = await settings(database.kysely).where("id", ">", afterId).limit(CHANNELS_AT_ONCE).execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting)).map(({ id }) => id);
    if (plain.length > 0) sealed += await sealThese(database, secrets, plain);
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_AT_ONCE) return sealed;
    afterId = last.id;
  }
}
