/** A test fixture: the ledger on a fresh database with a user, tokens and a channel, and helpers for calls that hold and settle. */
import { randomUUID } from "node:crypto";
import { NEW_USER } from "../db/new-user.ts";
import type { Database } from "../db/database.ts";
import { insertReturningId } from "../db/portable.ts";
import { type Billing, type Hold, isHoldFault, type Settlement } from "./billing.ts";
import type { LedgerLogger } from "./engines/backend.ts";
import { type BillingOptions, openBilling } from "./open-billing.ts";

const SILENT: LedgerLogger = {
  info: () => {},
  warn: () => {},
  error: () => {},
};

/** Longer than usual: on a busy machine a responding database must not count as unavailable. */
const PATIENCE_MS = 60_000;

const testedModel = "test-model";

export async function addUser(database: Database, name: string): Promise<number> {
  return insertReturningId(database, database.kysely, "users", {
    ...NEW_USER,
    username: name,
    display_name: name,
    aff_code: name,
    changed_version: 0,
  });
}

export async function addToken(database: Database, userId: number, isUnlimited: boolean): Promise<number> {
  return insertReturningId(database, database.kysely, "tokens", {
    user_id: userId,
    name: "test",
    key_hash: randomUUID(),
    key_cipher: "",
    key_first: "",
    key_last: "",
    status: 1,
    created_time: 0,
    accessed_time: 0,
    expired_time: -1,
    remain_quota: 0,
    held: 0,
    used_quota: 0,
    unlimited_quota: isUnlimited ? 1 : 0,
    model_limits_enabled: 0,
    model_limits: "",
    allow_ips: "",
    group_name: "",
    deleted_at: null,
    changed_version: 0,
  });
}

async function addChannel(database: Database): Promise<number> {
  return insertReturningId(database, database.kysely, "channels", {
    type: 1,
    name: "test",
    key_hash: randomUUID(),
    key_cipher: "",
    key_first: "",
    key_last: "",
    key_set_time: 0,
    status: 1,
    base_url: "",
    other: "",
    models: testedModel,
    group_names: "default",
    model_mapping: "",
    status_code_mapping: "",
    param_override: "",
    setting: "",
    openai_organization: "",
    test_model: "",
    tag: "",
    priority: 0,
    weight: 0,
    auto_ban: 1,
    max_input_tokens: null,
    response_time_ms: 0,
    test_time: 0,
    test_result: 0,
    test_failure: "",
    balance_micros: 0,
    balance_updated_time: 0,
    used_quota: 0,
    other_info: "",
    created_time: 0,
    changed_version: 0,
  });
}

export interface Scene {
  userId: number;
  /** With a quota of its own. */
  tokenId: number;
  channelId: number;
}

/** A user with `quota`, a limited token with `tokenQuota`, and a channel. */
export async function setScene(
  database: Database,
  billing: Billing,
  quota: number,
  tokenQuota: number,
): Promise<Scene> {
  const userId = await addUser(database, `user${randomUUID().slice(0, 8)}`);
  const tokenId = await addToken(database, userId, false);
  const channelId = await addChannel(database);
  await billing.move({ entryId: `opening:${userId}`, kind: "opening", userId, quotaDelta: quota, detail: "{}" });
  await billing.move({
    entryId: `token:${tokenId}`,
    kind: "token_quota",
    userId,
    tokenId,
    tokenQuotaDelta: tokenQuota,
    detail: "{}",
  });
  return { userId, tokenId, channelId };
}

/** Milliseconds fields and texts as a relay would send them. */
export function settlementOf(scene: Scene, requestId: string, charge: number, createdAt = 1_700_000_000): Settlement {
  const { userId, tokenId, channelId } = scene;
  const shared = { requestId, userId, tokenId, channelId, createdAt, promptTokens: 10, completionTokens: 5 };
  return {
    ...shared,
    model: testedModel,
    groupName: "default",
    charge,
    isTokenLimited: true,
    detail: "{}",
    log: {
      ...shared,
      type: 2,
      username: "test",
      tokenName: "test",
      modelName: testedModel,
      groupName: "default",
      quota: charge,
      useTimeMs: 5,
      firstTokenMs: 1,
      isStream: true,
      ip: "127.0.0.1",
      content: "",
      other: "{}",
    },
  };
}

/** The hold, or why there is none. */
export async function tryHold(
  billing: Billing,
  scene: Scene,
  amount: number,
  requestId: string = randomUUID(),
  least: number = amount,
): Promise<Hold | string> {
  try {
    const { userId, tokenId } = scene;
    return await billing.hold({ requestId, userId, tokenId, isTokenLimited: tokenId > 0, amount, least });
  } catch (error) {
    if (isHoldFault(error)) return error.kind;
    throw error;
  }
}

export const openTestBilling = (
  database: Database,
  dataDir: string,
  options: Partial<BillingOptions> = {},
): Promise<Billing> =>
  openBilling({
    database,
    dataDir,
    log: SILENT,
    processId: randomUUID(),
    journalAfterMs: PATIENCE_MS,
    answerAfterMs: PATIENCE_MS,
    holdTimeoutMs: PATIENCE_MS,
    ...options,
  });
