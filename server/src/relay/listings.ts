/** Free answers: the list of models and one model in each vendor's form, and the billing emulation that older clients call. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { CHANNEL_STATUS } from "../../../contract/src/features/channels.ts";
import type { EndpointType } from "../../../contract/src/family/endpoint-types.ts";
import { divide, fractionOf, toDecimalText } from "../../../contract/src/money.ts";
import type { ListedFacts } from "../../../contract/src/pricing/listed-facts.ts";
import { type Retirement, retirementOf } from "../../../contract/src/pricing/retirement.ts";
import { productOf } from "../../../contract/src/pricing/pricing.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { modelEntry as geminiEntry } from "../dialects/gemini/models.ts";
import type { DialectName } from "../dialects/neutral/neutral.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { supportedParameters } from "../dialects/supported-parameters.ts";
import { endpointTypesByModel } from "../snapshot/endpoint-types.ts";
import type { SnapshotToken } from "../snapshot/snapshot.ts";
import { keyOwner, keyReader } from "./admission/authenticate.ts";
import { checkAddress } from "./admission/caller.ts";
import { groupsOf } from "./admission/groups.ts";
import type { RelayContext } from "./call/context.ts";
import { RelayError } from "./call/relay-error.ts";
import { writeJson, writeRelayError, writeTagged } from "./call/respond.ts";
import { type RelayPath, queryOf } from "./request/paths.ts";

/** What a model costs its caller, in US dollars a token or a call, as OpenRouter's list has it (openrouter.ai/docs/api-reference/list-available-models). */
export interface ListedCost {
  prompt: string;
  completion: string;
  request: string;
  input_cache_read?: string;
}

export interface ListedModel {
  id: string;
  /** Folder name of the provider that offers it by default, else of a channel that offers it; `custom` where there is none. */
  owner: string;
  /** Its endpoint types in this API family. */
  endpointTypes: readonly EndpointType[];
  facts: ListedFacts;
  /** Undefined where it stays. */
  retirement: Retirement | undefined;
  /** Undefined where it has no price. */
  cost: ListedCost | undefined;
}

/** Constant on this kind of gateway; clients only sort by it. */
const CREATED_SECONDS = 1_626_777_600;

const momentText = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(".000", "");

type Entry = (model: ListedModel) => object;

/** Of OpenRouter's fields those that are known of the model; clients of OpenAI pass them over. */
function openRouterFields({ id, facts, cost, retirement }: ListedModel): object {
  const { context_length: context, input_modalities: input, output_modalities: output } = facts;
  const modalities = input !== undefined && output !== undefined;
  const parameters = supportedParameters(id);
  return {
    name: id,
    ...(context === undefined ? {} : { context_length: context, top_provider: { context_length: context } }),
    ...(modalities ? { architecture: { input_modalities: input, output_modalities: output } } : {}),
    ...(cost === undefined ? {} : { pricing: cost }),
    ...(parameters === undefined ? {} : { supported_parameters: parameters }),
    ...(retirement === undefined ? {} : { expiration_date: retirement.day }),
  };
}

const openAiEntry: Entry = (model) => ({
  id: model.id,
  object: "model",
  created: CREATED_SECONDS,
  owned_by: model.owner,
  root: model.id,
  parent: null,
  supported_endpoint_types: model.endpointTypes,
  ...openRouterFields(model),
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
  "anthropic-messages": ({ id, retirement }) => ({
    type: "model",
    id,
    display_name: id,
    created_at: momentText(CREATED_SECONDS),
    lifecycle: "active",
    ...NOT_KNOWN,
    ...(retirement === undefined
      ? {}
      : { deprecated_at: momentText(retirement.deprecated), retires_at: momentText(retirement.retires) }),
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

/** Who offers a model by default, from the providers' own lists; else whose channel offers it to these groups, and `custom` where none does. */
function ownerOf({ providers, snapshot }: RelayContext, model: string, groups: readonly string[]): string {
  const byDefault = providers.all.find(({ models }) => models.includes(model));
  if (byDefault !== undefined) return byDefault.manifest.slug;
  const channel = snapshot
    .channels()
    .find(
      ({ status, models, groupNames }) =>
        status === CHANNEL_STATUS.enabled && models.has(model) && groupNames.some((name) => groups.includes(name)),
    );
  return (channel && providers.byType(channel.type)?.manifest.slug) ?? "custom";
}

/** Models the token may name: its own list where it has one, else what its group is offered. */
function modelsOf(context: RelayContext, token: SnapshotToken, groups: readonly string[]): readonly string[] {
  if (token.modelLimits !== undefined) return [...token.modelLimits].toSorted();
  return context.snapshot.modelsFor(groups);
}

interface Listing {
  models: readonly string[];
  /** Groups that the caller may call in, the first one before the others. */
  groups: readonly string[];
  userGroup: string;
}

/** Digits of an amount of US dollars a token. */
const COST_DIGITS = 18;

/** What a model costs in the caller's first group; undefined where it has no price. Steps by length of the prompt are left out. */
function costOf({ snapshot }: RelayContext, model: string, { groups, userGroup }: Listing): ListedCost | undefined {
  const price = snapshot.priceOf(model);
  const ratio = snapshot.groupRatio(userGroup, groups[0] ?? userGroup)?.ratio;
  if (price === undefined || ratio === undefined) return undefined;
  if (price.kind === "per_call")
    return { prompt: "0", completion: "0", request: toDecimalText(productOf([price.price, ratio]), COST_DIGITS) };
  const ofToken = (...factors: string[]): string => {
    const quota = productOf([price.ratio, ratio, ...factors]);
    return toDecimalText(divide(quota, fractionOf(snapshot.options.QuotaPerUnit)), COST_DIGITS);
  };
  return {
    prompt: ofToken(),
    completion: ofToken(price.completionRatio),
    request: "0",
    input_cache_read: ofToken(price.cacheRatio),
  };
}

/** Names with what the dialects' lists say of each. */
function entriesOf(context: RelayContext, names: readonly string[], listing: Listing): ListedModel[] {
  const { snapshot, providers } = context;
  const { groups } = listing;
  const types = endpointTypesByModel(snapshot.channels(), groups, (type) => providers.byType(type));
  return names.map((id) => ({
    id,
    owner: ownerOf(context, id, groups),
    endpointTypes: types.get(id) ?? [],
    facts: snapshot.factsOf(id),
    retirement: retirementOf(snapshot.options.ModelRetirementDates, id),
    cost: costOf(context, id, listing),
  }));
}

function oneModel(context: RelayContext, listing: Listing, id: string, dialect: Dialect): object {
  const [found] = listing.models.includes(id) ? entriesOf(context, [id], listing) : [];
  if (found === undefined)
    throw new RelayError("model_not_found", {
      message: `The model '${id}' does not exist or this API key cannot use it.`,
      param: "model",
    });
  return modelEntry(dialect.name, found);
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

/** What a key says of itself, in the form that programs of this API family read; `expires_at` in Unix seconds, 0 for never. */
async function tokenUsage(context: RelayContext, token: SnapshotToken): Promise<object> {
  const { remaining, used } = await context.tokenTotals(token.id);
  const data = {
    object: "token_usage",
    name: token.name,
    total_granted: remaining + used,
    total_used: used,
    total_available: remaining,
    unlimited_quota: token.isUnlimited,
    model_limits: Object.fromEntries([...(token.modelLimits ?? [])].map((model) => [model, true])),
    model_limits_enabled: token.modelLimits !== undefined,
    expires_at: Math.max(0, token.expiredTime),
  };
  return { code: true, message: "ok", data };
}

/** The same of its newest calls, as the own log has them. */
const tokenLog = async (context: RelayContext, { id, userId }: SnapshotToken): Promise<object> => ({
  success: true,
  message: "",
  data: await context.tokenLog({ userId, tokenId: id }),
});

/** What a key asks about itself. */
async function ofKeyItself(context: RelayContext, request: IncomingMessage, kind: "token_usage" | "token_log") {
  const { token } = keyReader(context, request);
  checkAddress(token, context.clientAddress(request));
  return kind === "token_usage" ? tokenUsage(context, token) : tokenLog(context, token);
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
  if (path.kind === "token_usage" || path.kind === "token_log") return ofKeyItself(context, request, path.kind);
  const { token, user } = keyOwner(context, request);
  checkAddress(token, context.clientAddress(request));
  if (path.kind === "subscription") return subscription(context, token);
  if (path.kind === "usage") return usage(context, token);
  const groups = groupsOf(context.snapshot, { token, user });
  const listing = { models: modelsOf(context, token, groups), groups, userGroup: user.groupName };
  if (path.kind === "model") return oneModel(context, listing, path.model, dialect);
  const list = modelList(dialect.name, entriesOf(context, listing.models, listing));
  return isCodex(request) ? { ...list, models: [] } : list;
}

/**
 * Codex names its version and reads `models`, whose entries carry the instructions of the model (openai/codex, protocol/src/openai_models.rs): those are
 * its own for the models it knows and for the others alike, so there is none to give.
 */
const isCodex = ({ url = "" }: IncomingMessage): boolean => queryOf(url).has("client_version");

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
    const listing = await listingOf(context, request, path, dialect);
    if (path.kind === "models") writeTagged(request, response, requestId, listing);
    else writeJson(response, requestId, listing);
  } catch (error) {
    if (!(error instanceof RelayError)) context.logger.error({ requestId, err: error }, "a listing failed");
    const refusal = error instanceof RelayError ? error : new RelayError("internal_error");
    writeRelayError(response, requestId, refusal, true, dialect);
  }
}
