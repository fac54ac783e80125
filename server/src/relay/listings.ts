/** Answers that cost nothing: the list of models and one model as each vendor's clients read them, and the billing emulation that older clients ask for. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dialect } from "../dialects/dialect.ts";
import { modelEntry as geminiEntry } from "../dialects/gemini/models.ts";
import type { DialectName } from "../dialects/neutral/neutral.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { SnapshotToken, SnapshotUser } from "../snapshot/snapshot.ts";
import { keyOwner } from "./admission/authenticate.ts";
import { checkAddress } from "./admission/caller.ts";
import { groupsOf } from "./admission/groups.ts";
import type { RelayContext } from "./call/context.ts";
import { RelayError } from "./call/relay-error.ts";
import { writeJson, writeRelayError } from "./call/respond.ts";
import type { RelayPath } from "./request/paths.ts";

export interface ListedModel {
  id: string;
  /** Folder name of the provider that offers it by default, or `custom`. */
  owner: string;
}

/** Constant on this kind of gateway; clients only sort by it. */
const CREATED_SECONDS = 1_626_777_600;
const CREATED_TEXT = new Date(CREATED_SECONDS * 1000).toISOString().replace(".000", "");

type Entry = (model: ListedModel) => object;

const openAiEntry: Entry = ({ id, owner }) => ({
  id,
  object: "model",
  created: CREATED_SECONDS,
  owned_by: owner,
  root: id,
  parent: null,
});

/** What Anthropic says of its own models, and its clients look for (platform.claude.com/docs/en/api/models/list). */
const NOT_KNOWN = {
  capabilities: null,
  deprecated_at: null,
  line: null,
  max_input_tokens: null,
  max_tokens: null,
  retires_at: null,
} as const;

/** One model in the list as clients of each format read it. */
const ENTRIES: Readonly<Record<DialectName, Entry>> = {
  "openai-chat": openAiEntry,
  "openai-responses": openAiEntry,
  "anthropic-messages": ({ id }) => ({
    type: "model",
    id,
    display_name: id,
    created_at: CREATED_TEXT,
    lifecycle: "active",
    ...NOT_KNOWN,
  }),
  gemini: ({ id }) => geminiEntry(id),
};

/** One model (platform.openai.com, docs.anthropic.com and ai.google.dev, each "models"). */
export const modelEntry = (dialect: DialectName, model: ListedModel): object => ENTRIES[dialect](model);

/** All models, in one page. */
function modelList(dialect: DialectName, models: readonly ListedModel[]): object {
  const data = models.map(ENTRIES[dialect]);
  if (dialect === "gemini") return { models: data };
  if (dialect !== "anthropic-messages") return { object: "list", success: true, data };
  return { data, first_id: models[0]?.id ?? null, has_more: false, last_id: models.at(-1)?.id ?? null };
}

/** Who offers a model by default, from the providers' own lists; `custom` for names that none lists. */
const ownerOf = (context: RelayContext, model: string): string =>
  context.providers.all.find(({ models }) => models.includes(model))?.manifest.slug ?? "custom";

/** Models the token may name: its own list where it has one, else what its group is offered. */
function modelsOf(context: RelayContext, token: SnapshotToken, user: SnapshotUser): readonly string[] {
  if (token.modelLimits !== undefined) return [...token.modelLimits].toSorted();
  return context.snapshot.modelsFor(groupsOf(context.snapshot, { token, user }));
}

/** Names with their owners, as the dialects' lists are made of. */
const entriesOf = (context: RelayContext, names: readonly string[]): ListedModel[] =>
  names.map((id) => ({ id, owner: ownerOf(context, id) }));

function oneModel(context: RelayContext, models: readonly string[], id: string, dialect: Dialect): object {
  if (!models.includes(id))
    throw new RelayError("model_not_found", {
      message: `The model '${id}' does not exist or this API key cannot use it.`,
      param: "model",
    });
  return modelEntry(dialect.name, { id, owner: ownerOf(context, id) });
}

interface Totals {
  remaining: number;
  used: number;
  isUnlimited: boolean;
}

/** Numbers of the token or of its user, as DisplayTokenStatEnabled says. */
async function totalsOf(context: RelayContext, token: SnapshotToken): Promise<Totals> {
  if (context.snapshot.options.DisplayTokenStatEnabled) {
    return { ...(await context.tokenTotals(token.id)), isUnlimited: token.isUnlimited };
  }
  const [remaining, used] = await Promise.all([
    context.billing.available(token.userId),
    context.usedQuota(token.userId),
  ]);
  return { remaining, used, isUnlimited: false };
}

const UNLIMITED_USD = 100_000_000;

async function subscription(context: RelayContext, token: SnapshotToken): Promise<object> {
  const { remaining, used, isUnlimited } = await totalsOf(context, token);
  const limit = isUnlimited ? UNLIMITED_USD : inUnits(context, remaining + used);
  return {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.max(0, token.expiredTime),
  };
}

const inUnits = ({ snapshot: { options } }: RelayContext, quota: number): number =>
  options.DisplayInCurrencyEnabled ? quota / options.QuotaPerUnit : quota;

async function usage(context: RelayContext, token: SnapshotToken): Promise<object> {
  const { used } = await totalsOf(context, token);
  return { object: "list", total_usage: inUnits(context, used) * 100 };
}

/**
 * One address lists models for three vendors' clients, and others are of two: Anthropic's name the version of their API, and Google's newer ones, which ask
 * for v1 too, have a header for the key.
 */
const CLIENT_HEADERS = [
  ["anthropic-version", "anthropic-messages"],
  ["x-goog-api-key", "gemini"],
] as const;

/** The format of a client at an address that several vendors have; `atPath` is what the address says. */
export function clientDialect(request: IncomingMessage, atPath: DialectName): Dialect {
  if (atPath !== "openai-chat") return DIALECTS[atPath];
  const found = CLIENT_HEADERS.find(([header]) => request.headers[header] !== undefined);
  return DIALECTS[found?.[1] ?? atPath];
}

const dialectFor = (request: IncomingMessage, path: RelayPath): Dialect =>
  path.kind === "models" || path.kind === "model" ? clientDialect(request, path.dialect) : DIALECTS["openai-chat"];

async function listingOf(
  context: RelayContext,
  request: IncomingMessage,
  path: RelayPath,
  dialect: Dialect,
): Promise<object> {
  const { token, user } = keyOwner(context, request);
  checkAddress(token, context.clientAddress(request));
  if (path.kind === "subscription") return subscription(context, token);
  if (path.kind === "usage") return usage(context, token);
  const models = modelsOf(context, token, user);
  if (path.kind === "model") return oneModel(context, models, path.model, dialect);
  return modelList(dialect.name, entriesOf(context, models));
}

/** Answers GET paths; errors have the same envelope as calls. */
export async function answerListing(
  context: RelayContext,
  request: IncomingMessage,
  response: ServerResponse,
  path: RelayPath,
): Promise<void> {
  const requestId = context.newRequestId();
  const dialect = dialectFor(request, path);
  try {
    writeJson(response, requestId, await listingOf(context, request, path, dialect));
  } catch (error) {
    if (!(error instanceof RelayError)) context.logger.error({ requestId, err: error }, "a listing failed");
    const refusal = error instanceof RelayError ? error : new RelayError("internal_error");
    writeRelayError(response, requestId, refusal, true, dialect);
  }
}
