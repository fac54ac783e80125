/** Fills a running, empty system with a scenario: wizard, users, channels, tokens through the console API, past usage through the ledger. */
import { randomBytes } from "node:crypto";
import type { RunningApp } from "../../server/src/app.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { callHoursFill } from "../../server/src/jobs/call-hours-fill.ts";
import { addCodes } from "./codes.ts";
import { type Account, type ConsoleClient, logIn, setUp } from "./console-client.ts";
import { type Caller, writeHistory } from "./history.ts";
import { writeIncident } from "./incident.ts";
import { addOrders } from "./orders.ts";
import { addPerson } from "./people.ts";
import { writeTasks } from "./past-tasks.ts";
import { writeKeys } from "./several-keys.ts";
import type { Scenario, SeedChannel, SeedToken } from "./scenario.ts";

export interface Filled {
  admin: Account;
  /** Logged in as the administrator. */
  client: ConsoleClient;
  /** Key of the administrator's first token, with `sk-`; undefined where the scenario makes none. */
  key: string | undefined;
  /** Users' accounts beside the administrator's; all have the same password. */
  people: readonly Account[];
  /** Tokens of those users. */
  callers: readonly Caller[];
  calls: number;
}

const DAY_SECONDS = 86_400;
/** The discard port: nothing answers there. */
const DEAD_ADDRESS = "http://127.0.0.1:9";

/** Channels of a custom address are called at it as it stands. */
const CUSTOM_TYPE = 8;

function addressOf({ upstream, type }: SeedChannel, upstreamUrl: string): string {
  const base = upstream === "fake" ? upstreamUrl : DEAD_ADDRESS;
  return type === CUSTOM_TYPE ? `${base}/v1/chat/completions` : base;
}

const newKey = (): string => `sk-seed-${randomBytes(16).toString("hex")}`;

async function addChannel(client: ConsoleClient, channel: SeedChannel, upstreamUrl: string): Promise<void> {
  const created = await client.call("POST", "/api/channel", {
    type: channel.type,
    name: channel.name,
    key: Array.from({ length: channel.keys?.count ?? 1 }, newKey).join("\n"),
    keys_make: "one_channel",
    base_url: addressOf(channel, upstreamUrl),
    models: channel.models.join(","),
    groups: channel.groups ?? ["default"],
    priority: channel.priority ?? 0,
    weight: channel.weight ?? 0,
    tag: channel.tag ?? "",
    costs: channel.costs ?? "",
    auto_ban: 0,
  });
  if (channel.isDisabled !== true) return;
  const found = (await client.call("GET", `/api/channel/search?keyword=${encodeURIComponent(channel.name)}`)) as {
    items: { id: number; name: string }[];
  };
  const row = found.items.find(({ name }) => name === channel.name);
  if (row === undefined) throw new Error(`channel ${channel.name} was not found again: ${JSON.stringify(created)}`);
  await client.call("PUT", "/api/channel", { id: row.id, status: 2 });
}

/** Balances that upstreams reported some hours ago: no call could report them now. */
async function writeBalances(
  { database }: Foundation,
  channels: readonly SeedChannel[],
  nowSeconds: number,
): Promise<void> {
  for (const { name, balance } of channels) {
    if (balance === undefined) continue;
    const { amount, currency, hoursAgo, failure } = balance;
    const failed = failure && { code: "upstream_status", values: failure, time: nowSeconds - 600 };
    await database.kysely
      .updateTable("channels")
      .set({
        balance_micros: Math.round(amount * 1_000_000),
        balance_currency: currency,
        balance_updated_time: nowSeconds - hoursAgo * 3_600,
        balance_failure: failed === undefined ? null : JSON.stringify(failed),
      })
      .where("name", "=", name)
      .execute();
  }
}

async function addToken(client: ConsoleClient, username: string, token: SeedToken): Promise<Caller & { key: string }> {
  const created = (await client.call("POST", "/api/token", {
    name: token.name,
    unlimited_quota: token.quota === undefined,
    remain_quota: token.quota ?? 0,
    expired_time:
      token.expiresInDays === undefined ? -1 : Math.floor(Date.now() / 1000) + token.expiresInDays * DAY_SECONDS,
    model_limits_enabled: token.models !== undefined,
    model_limits: (token.models ?? []).join(","),
    allow_ips: (token.addresses ?? []).join("\n"),
  })) as { id: number; key: string };
  const isLimited = token.quota !== undefined;
  const caller = { userId: client.userId, username, tokenId: created.id, tokenName: token.name, isLimited };
  return { ...caller, models: token.models ?? [], key: `sk-${created.key}` };
}

/** Switched off only after the history, since a disabled token takes no holds. */
async function disableTokens(
  client: ConsoleClient,
  made: readonly Caller[],
  tokens: readonly SeedToken[],
): Promise<void> {
  for (const [index, token] of tokens.entries()) {
    const id = made[index]?.tokenId;
    if (token.isDisabled === true) await client.call("PUT", "/api/token?status_only=true", { id, status: 2 });
  }
}

/** Passwords are made up anew each time: no installation starts with a known one. */
export const newPassword = (): string => randomBytes(9).toString("base64url");

/** Users had their balances before the first of the past calls, so that a balance over time is a plausible one. */
async function backdateOpenings({ database }: RunningApp["foundation"], atSeconds: number): Promise<void> {
  await database.kysely.updateTable("ledger").set({ created_at: atSeconds }).where("kind", "=", "opening").execute();
}

/** Counts the calls of the history as those of a log that is older than their counting. */
async function countCalls({ database }: Foundation): Promise<void> {
  const { id } = await database.kysely
    .selectFrom("logs")
    .select(({ fn }) => fn.max("id").as("id"))
    .executeTakeFirstOrThrow();
  await database.kysely.deleteFrom("call_hours").execute();
  await database.kysely.deleteFrom("token_call_hours").execute();
  await database.kysely
    .updateTable("facts")
    .set({ value: String(id ?? 0) })
    .where("name", "=", "call_hours_fill")
    .execute();
  await callHoursFill(database).job.run();
}

/**
 * Fills the system. It must not be set up yet, and must be allowed to call private addresses and many console calls.
 * Throws with the console's own message if it refuses.
 */
export async function fill(app: RunningApp, scenario: Scenario, admin: Account, upstreamUrl: string): Promise<Filled> {
  const wizard = await app.setupUrl();
  if (wizard === undefined)
    throw new Error("This database is set up already; fill an empty one (DATA_DIR or DATABASE_URL).");
  await setUp(wizard, admin, false);
  const client = await logIn(app.url, admin);
  for (const channel of scenario.channels) await addChannel(client, channel, upstreamUrl);
  const nowSeconds = Math.floor(Date.now() / 1000);
  await writeBalances(app.foundation, scenario.channels, nowSeconds);
  const owners = [{ client, username: admin.username, tokens: scenario.adminTokens }];
  const people: Account[] = [];
  for (const person of scenario.people) {
    const account = { username: person.username, password: newPassword() };
    await addPerson(app.foundation, person, account.password, nowSeconds - 40 * DAY_SECONDS);
    await app.foundation.snapshot.refresh();
    owners.push({ client: await logIn(app.url, account), username: person.username, tokens: person.tokens });
    people.push(account);
  }
  const made: (Caller & { key: string })[][] = [];
  for (const owner of owners) {
    const tokens: (Caller & { key: string })[] = [];
    for (const token of owner.tokens) tokens.push(await addToken(owner.client, owner.username, token));
    made.push(tokens);
  }
  await app.foundation.snapshot.refresh();
  await backdateOpenings(app.foundation, nowSeconds - 40 * DAY_SECONDS);
  const calls = await writeHistory(app.foundation, scenario, made.flat(), nowSeconds);
  if (scenario.tasks !== undefined)
    await writeTasks(app.foundation, scenario.tasks, made.flat(), admin.username, upstreamUrl);
  await countCalls(app.foundation);
  for (const { name, keys } of scenario.channels) if (keys !== undefined) await writeKeys(app.foundation, name, keys);
  const clientOf = (username: string) => owners.find((owner) => owner.username === username)?.client ?? client;
  for (const codes of scenario.codes ?? []) await addCodes(app.foundation, client, codes, clientOf, nowSeconds);
  await addOrders(app.foundation, scenario.orders ?? [], nowSeconds);
  for (const incident of scenario.incidents ?? []) await writeIncident(app.foundation, incident, nowSeconds * 1000);
  for (const [index, owner] of owners.entries()) await disableTokens(owner.client, made[index] ?? [], owner.tokens);
  for (const [index, { end }] of scenario.people.entries())
    if (end !== undefined)
      await client.call("POST", "/api/user/manage", { id: owners[index + 1]?.client.userId, action: end });
  await app.foundation.snapshot.refresh();
  return { admin, client, key: made[0]?.[0]?.key, people, callers: made.slice(1).flat(), calls };
}
