/** The user agreement and the privacy policy: the version of both texts, who accepted which version, and who still has to. */
import { createHash } from "node:crypto";
import { AppError } from "../../../contract/src/errors.ts";
import type { OptionValues } from "../../../contract/src/options/options.ts";
import { isRoot } from "../../../contract/src/roles.ts";
import type { Database } from "../db/database.ts";
import { type Queries, upsert } from "../db/portable.ts";
import { userIdsOf, usernamesOf } from "./kit/lists.ts";

/** The options with the texts, in the order in which the version is made of them. */
const TEXTS = ["legal.user_agreement", "legal.privacy_policy"] as const;
export type TermsOptions = Pick<OptionValues, (typeof TEXTS)[number]>;

/** 128 bits of a hash over both texts, in hexadecimal; empty where both are. */
function versionOf(texts: readonly string[]): string {
  if (texts.every((text) => text.trim() === "")) return "";
  return createHash("sha256").update(JSON.stringify(texts)).digest("hex").slice(0, 32);
}

/** By the object of options, which another one replaces at every change: long texts are not hashed at each call. */
const versions = new WeakMap<object, string>();

/** The version of the texts in force; empty where there is nothing to accept. */
export function termsVersion(options: TermsOptions): string {
  const known = versions.get(options);
  if (known !== undefined) return known;
  const version = versionOf(TEXTS.map((name) => options[name]));
  versions.set(options, version);
  return version;
}

/** The version of the texts as they are stored at this moment, for what is decided by it in a transaction. */
async function storedVersion(queries: Queries): Promise<string> {
  const rows = await queries.selectFrom("options").select(["name", "value"]).where("name", "in", TEXTS).execute();
  return versionOf(TEXTS.map((name) => rows.find((row) => row.name === name)?.value ?? ""));
}

/**
 * Whether a session has to accept the texts before anything else. The super administrator, who sets them, is not asked; nor is an access
 * token, which belongs to an account that was asked before it could make one, and whose program cannot read.
 */
export async function hasTermsToAccept(
  queries: Queries,
  options: TermsOptions,
  { userId, role, way }: { userId: number; role: number; way: string | undefined },
): Promise<boolean> {
  const version = termsVersion(options);
  if (version === "" || way === undefined || isRoot(role)) return false;
  const accepted = queries.selectFrom("terms_acceptances").select("user_id").where("user_id", "=", userId);
  return (await accepted.where("version", "=", version).executeTakeFirst()) === undefined;
}

/** Refuses a version that is not in force: none was sent, or the texts changed after they were read. Throws AppError terms_needed or terms_changed. */
export function checkTermsVersion(sent: string, current: string): void {
  if (current === "" || sent === current) return;
  throw new AppError(sent === "" ? "terms_needed" : "terms_changed", { field: "terms_version" });
}

/**
 * Writes that an account accepted the texts; a second time changes nothing. For transactions, since the version is compared with what is
 * stored. Does nothing where there is nothing to accept.
 * @param now Unix seconds
 * @throws AppError terms_needed, terms_changed.
 */
export async function acceptTerms(
  database: Pick<Database, "engine">,
  transaction: Queries,
  { userId, version, now }: { userId: number; version: string; now: number },
): Promise<void> {
  const current = await storedVersion(transaction);
  checkTermsVersion(version, current);
  if (current === "") return;
  const row = { user_id: userId, version: current, accepted_time: now };
  await upsert(database, transaction, "terms_acceptances", row, ["user_id", "version"], { version: current });
}

interface AcceptanceFilter {
  /** Of one account, by its user name. */
  username?: string | undefined;
  /** From 1. */
  page: number;
  /** Rows of a page. */
  pageSize: number;
}

/** Who accepted which version, the latest first, and how many rows there are; those of deregistered accounts stay. */
export async function listAcceptances(
  queries: Queries,
  current: string,
  { username, page, pageSize }: AcceptanceFilter,
) {
  const ids = username === undefined ? undefined : await userIdsOf(queries, username);
  const all = queries.selectFrom("terms_acceptances");
  const found = ids === undefined ? all : all.where("user_id", "in", ids.length === 0 ? [0] : ids);
  const { total } = await found
    .select(({ fn }) => fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await found
    .selectAll()
    .orderBy("accepted_time", "desc")
    .orderBy("user_id", "desc")
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute();
  const names = await usernamesOf(queries, [...new Set(rows.map((row) => row.user_id))]);
  const items = rows.map((row) => ({
    ...row,
    username: names.get(row.user_id) ?? "",
    is_current: row.version === current,
  }));
  return { items, total: Number(total), page, page_size: pageSize };
}
