/** Tests of the bytes per call in the embedded database, by table and index: calls as the relay records them, of many users and models. */
import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openTestDatabase } from "../../../tests/support/databases/databases.ts";
import { SQLITE_WRITER_MODULES, SqliteLedger } from "./engines/sqlite.ts";
import { chargeEntry, type LedgerEntry } from "./ledger-entry.ts";

const CALLS = 6_000;
const MOST_BYTES = 800;
const BATCH = 3;
const MODELS = ["gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5-20250929", "gemini-2.5-pro", "deepseek-chat", "o3-mini"];
const GROUPS = ["default", "default", "vip"];

/** Text that is as hard to make shorter as a random one, and the same in each run. */
const scattered = (index: number): string => createHash("sha256").update(`${index}`).digest("hex");

function callOf(index: number): LedgerEntry {
  const random = scattered(index);
  const pick = (from: number, bound: number): number => Number.parseInt(random.slice(from, from + 6), 16) % bound;
  const requestId = `20261128112710${random.slice(0, 17)}`;
  const [userId, channelId] = [1 + pick(0, 80), 1 + pick(6, 12)];
  const [model = "", groupName = ""] = [MODELS[pick(12, MODELS.length)], GROUPS[pick(18, GROUPS.length)]];
  const [input, output, cached] = [
    3_000 + pick(24, 8_000),
    1 + pick(30, 1_200),
    pick(36, 3) === 0 ? pick(42, 3_000) : 0,
  ];
  const [charge, createdAt, ms] = [(input + 4 * output) * 2, 1_795_860_000 + Math.floor(index / 4), pick(48, 9_000)];
  const receipt = {
    group_ratio: 1,
    quota_per_unit: 500_000,
    price_version: 4,
    price_since: 1_795_800_000,
    cache_tokens: cached,
    model_ratio: 1.25,
    model_price: -1,
    completion_ratio: 4,
    cache_ratio: 0.5,
    endpoint: "/v1/chat/completions",
    frt: 200,
    admin_info: {
      use_channel: [channelId],
      tried: [
        {
          id: channelId,
          name: `channel number ${channelId}`,
          start_ms: 2,
          ms,
          status: 200,
          reason: "",
          upstream_request_id: `req_${random.slice(0, 32)}`,
        },
      ],
      skipped: [],
    },
    usage: { inputTokens: input, outputTokens: output, ...(cached === 0 ? {} : { cacheReadTokens: cached }) },
    raw_usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      ...(cached === 0 ? {} : { prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 } }),
    },
  };
  const shared = { requestId, createdAt, userId, tokenId: userId, channelId, groupName };
  const counts = { promptTokens: input, completionTokens: output };
  const log = {
    ...shared,
    ...counts,
    type: 2 as const,
    username: `person${userId}`,
    tokenName: `laptop ${userId}`,
    modelName: model,
    quota: charge,
    useTimeMs: ms,
    firstTokenMs: 200,
    isStream: true,
    ip: `203.0.113.${userId}`,
    content: "",
    other: JSON.stringify(receipt),
  };
  const detail = `{"n":[${input - cached},${output},${cached}],"g":"1","q":"500000","v":4,"r":["1.25","4","0.5","1.25","20","1","2"]}`;
  return chargeEntry(
    { ...shared, ...counts, model, charge, cost: charge, isTokenLimited: true, detail, log },
    undefined,
  );
}

test(`a call takes less than ${MOST_BYTES} bytes of the embedded database`, async () => {
  const opened = await openTestDatabase("sqlite", { writerModules: SQLITE_WRITER_MODULES });
  const { database } = opened;
  if (database.sqlite === undefined) throw new Error("this is not the embedded database");
  const { path } = database.sqlite;
  const ledger = new SqliteLedger(database, database.sqlite, true);
  for (let at = 0; at < CALLS; at += BATCH)
    await ledger.post(Array.from({ length: BATCH }, (_, more) => callOf(at + more)));
  const file = new DatabaseSync(path, { readOnly: true });
  const pages = file.prepare(
    "SELECT name, SUM(pgsize) AS bytes FROM dbstat WHERE name LIKE '%logs%' OR name LIKE '%ledger%' GROUP BY name",
  );
  const bytes = pages.all().map(({ name, bytes: of }) => [String(name), Number(of) / CALLS] as const);
  file.close();
  await opened.close();
  const total = bytes.reduce((sum, [, each]) => sum + each, 0);
  expect(bytes.length).toBeGreaterThan(8);
  expect(total).toBeLessThan(MOST_BYTES);
});
