/** Every column that holds something encrypted, with what binds each value to its row: what a change of SECRET_KEY has to go through. */
import { OPTION_CATALOGUE } from "../../../contract/src/options/catalogue.ts";
import { secretContext as totpContext } from "../console/factors/service.ts";
import { openProxy, sealProxy, withProxy } from "../db/proxy-login.ts";
import type { Schema } from "../db/schema.ts";
import { HEADER_PURPOSE, type Secrets, identityContext } from "../db/secrets.ts";
import { valuesContext } from "../notify/outbox.ts";
import { sealedContext } from "../notify/user-setting.ts";
import { contextOf as accessTokenContext } from "../stores/access-tokens.ts";
import { eventsContext, responseContext } from "../stores/background-responses.ts";
import { sealContext as keptAnswerContext } from "../stores/idempotency-store.ts";
import { parseObject } from "../util/json-read.ts";

export type Row = Readonly<Record<string, string | number>>;

export interface SealedColumn {
  table: keyof Schema & string;
  column: string;
  /** Columns of the primary key. */
  key: readonly string[];
  /** More columns that `reseal` reads. */
  reads: readonly string[];
  /** False for a row whose text only looks like something encrypted; all apply where absent. */
  applies?: (row: Row) => boolean;
  /** The stored text as it is with the current key. Throws where a value in it opens with no key. */
  reseal(secrets: Secrets, stored: string, row: Row): string;
}

type ContextOf = (row: Row) => string;

const whole =
  (contextOf: ContextOf): SealedColumn["reseal"] =>
  (secrets, stored, row) => {
    const context = contextOf(row);
    return secrets.encrypt(secrets.decrypt(stored, context), context);
  };

const keyCipher = (table: SealedColumn["table"], purpose: string): SealedColumn => ({
  table,
  column: "key_cipher",
  key: ["id"],
  reads: ["key_hash"],
  reseal: whole(({ key_hash }) => `${purpose}:${key_hash}`),
});

const column = (
  table: SealedColumn["table"],
  name: string,
  key: readonly string[],
  contextOf: ContextOf,
  reads: readonly string[] = [],
): SealedColumn => ({ table, column: name, key, reads, reseal: whole(contextOf) });

const options: Readonly<Record<string, { isSecret: boolean }>> = OPTION_CATALOGUE;
const isSecret = (name: string): boolean => Object.hasOwn(options, name) && options[name]?.isSecret === true;

/** Addresses and secrets of a person's notifications are fields of a JSON text. */
function resealSetting(secrets: Secrets, stored: string, { id }: Row): string {
  const fields = parseObject(stored);
  if (fields === undefined) return stored;
  const changed = Object.entries(fields).map(([name, value]) => {
    if (!name.endsWith("_cipher") || typeof value !== "string" || value === "") return [name, value];
    const context = sealedContext(Number(id), name.slice(0, -"_cipher".length));
    return [name, secrets.encrypt(secrets.decrypt(value, context), context)];
  });
  return JSON.stringify(Object.fromEntries(changed));
}

/** In the order in which they are gone through; the facts last, for the check value there says which key a start needs. */
export const SEALED_COLUMNS: readonly SealedColumn[] = [
  keyCipher("tokens", "token"),
  keyCipher("channels", "channel"),
  keyCipher("channel_keys", "channel"),
  keyCipher("redemptions", "redemption"),
  column("channels", "header_override", ["id"], () => HEADER_PURPOSE),
  {
    table: "channels",
    column: "setting",
    key: ["id"],
    reads: [],
    reseal: (secrets, stored) => withProxy(stored, (proxy) => sealProxy(secrets, openProxy(secrets, proxy))),
  },
  {
    ...column("options", "value", ["name"], ({ name }) => `option:${name}`),
    applies: ({ name }) => isSecret(String(name)),
  },
  column("identity_providers", "client_secret_cipher", ["id"], ({ slug }) => identityContext(String(slug)), ["slug"]),
  column("totp_factors", "secret_cipher", ["user_id"], ({ user_id }) => totpContext(Number(user_id))),
  { table: "users", column: "setting", key: ["id"], reads: [], reseal: resealSetting },
  column("outbox", "values_cipher", ["id"], (row) => valuesContext(String(row["event"]), Number(row["user_id"])), [
    "event",
    "user_id",
  ]),
  column(
    "idempotency_keys",
    "answer",
    ["token_id", "key_hash"],
    (row) => keptAnswerContext(String(row["request_id"])),
    ["request_id"],
  ),
  column("background_responses", "response", ["id"], ({ id }) => responseContext(String(id))),
  column("background_events", "events", ["response_id", "last_sequence"], ({ response_id, last_sequence }) =>
    eventsContext(String(response_id), Number(last_sequence)),
  ),
  column("access_tokens", "token_cipher", ["name_hash"], ({ name_hash }) => accessTokenContext(String(name_hash))),
  column("facts", "value", ["name"], ({ name }) => String(name)),
];
