/** Answers that cost nothing: the list of models, one model, and the billing emulation that older clients ask for. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dialect } from "../../dialects/dialect.ts";
import type { DialectName } from "../../dialects/neutral/neutral.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import type { SnapshotToken, SnapshotUser } from "../../snapshot/snapshot.ts";
import { keyOwner } from "../admission/authenticate.ts";
import { checkAddress } from "../admission/caller.ts";
import type { RelayContext } from "../call/context.ts";
import { groupsOf } from "../admission/groups.ts";
import { type ListedModel, modelEntry, modelList } from "./model-lists.ts";
import type { RelayPath } from "../request/paths.ts";
import { RelayError } from "../call/relay-error.ts";
import { writeJson, writeRelayError } from "../call/respond.ts";

/** Who offers a model by default, from the providers' own lists; `custom` for names nobody lists. */
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
