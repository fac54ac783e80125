/** Values that a database is given once: salt of the wizard's code, the site's mark among gateways, the day of its cookies' prefix. Used by app.ts. */
import { randomBytes } from "node:crypto";
import type { Config } from "../config.ts";
import { PREFIX_FACT } from "../console/http/authenticate.ts";
import { keyValueStore } from "../db/key-value-store.ts";
import { newRequestId } from "../http/request-id.ts";
import type { Foundation } from "./foundation.ts";
import { clock } from "./parts.ts";

/** What the wizard asks for: the operator's own code, else one that is the same on every process of this database and stored nowhere. */
export async function setupCodeOf({ setupCode }: Config, { database, secrets }: Foundation): Promise<string> {
  if (setupCode !== undefined) return setupCode;
  const salt = await keyValueStore(database).writeOnce("setup_salt", newRequestId());
  return secrets.hash("setup_code", salt).slice(0, 20);
}

/** Mark of this database's site among gateways: random, so it reveals nothing. 16 hexadecimal digits. */
export async function siteIdOf({ database }: Foundation): Promise<string> {
  return keyValueStore(database).writeOnce("site_id", randomBytes(8).toString("hex"));
}

/** When this database was first served by a version whose cookies have the prefix over https. Unix seconds. */
export async function cookiePrefixSince({ database }: Foundation): Promise<number> {
  const nowS = Math.floor(clock() / 1000);
  return Number(await keyValueStore(database).writeOnce(PREFIX_FACT, String(nowS)));
}
