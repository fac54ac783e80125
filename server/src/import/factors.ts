/** Second factors of new-api's users: the secrets of authenticator apps come over; recovery codes and passkeys cannot, and are listed. */
import type { Transaction } from "kysely";
import type { Schema } from "../db/schema.ts";
import { flagIn, momentIn, numberIn, textIn } from "./cells.ts";
import type { Report } from "./report.ts";
import type { SourceRow } from "./source.ts";
import type { Survey } from "./survey.ts";
import type { KnownSource } from "./systems.ts";
import { readTable } from "./tables.ts";
import type { Target } from "./target.ts";

/** Secrets of authenticator apps that are in force, in base32, by the user's number there. */
export type Apps = ReadonlyMap<number, string>;

const BASE32 = /^[A-Z2-7]{16,128}$/;

const secretOf = (row: SourceRow): string => textIn(row, "secret").replaceAll(/[\s=]/g, "").toUpperCase();

const isInForce = (row: SourceRow): boolean =>
  momentIn(row, "deleted_at") === undefined && flagIn(row, "is_enabled") === true;

/** Reads the apps of all users; what does not come over is listed. */
export async function readApps({
  source,
  survey,
  report,
}: {
  source: KnownSource;
  survey: Survey;
  report: Report;
}): Promise<Apps> {
  const apps = new Map<number, string>();
  for await (const rows of readTable(source, "two_fas", report)) {
    for (const row of rows) {
      const owner = numberIn(row, "user_id");
      const secret = secretOf(row);
      if (!survey.userIds.has(owner)) report.add("owner_missing", `two_fas of user ${owner}`);
      else if (isInForce(row) && !BASE32.test(secret)) report.add("factor_unreadable", `user ${owner}`);
      else if (isInForce(row) && !apps.has(owner)) apps.set(owner, secret);
      if (apps.get(owner) !== secret) report.count("two_fas", "refused");
    }
  }
  for (const [table, finding] of [
    ["two_fa_backup_codes", "recovery_codes"],
    ["passkey_credentials", "passkeys_bound"],
  ] as const) {
    const rows = source.tables.has(table) ? await source.count(table) : 0;
    if (rows > 0) report.add(finding, `${rows} rows of ${table}`);
  }
  return apps;
}

/** Writes a new user's app, in the transaction that writes his row. */
export async function writeApp(
  { secrets, now }: Target,
  transaction: Transaction<Schema>,
  { secret, userId }: { secret: string; userId: number },
): Promise<void> {
  const row = {
    user_id: userId,
    secret_cipher: secrets.encrypt(secret, `totp:${userId}`),
    confirmed_time: now,
    last_step: 0,
    created_time: now,
  };
  await transaction.insertInto("totp_factors").values(row).execute();
}
