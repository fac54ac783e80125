/** Rules of named OpenID and OAuth 2.0 providers: required fields, and that an administrator's last way to sign in cannot be removed. */
import { AppError } from "../../../../contract/src/errors.ts";
import { isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import { type OAuthMapping, oauthMappingSchema } from "../../../../contract/src/features/identities.ts";
import { isUniqueViolation } from "../../db/portable.ts";
import { readConditions } from "./providers/entry-conditions.ts";
import { auditEntry } from "../kit/audit.ts";
import { isOnlyProvenWay } from "../accounts/proven-ways.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import type { Endpoints, ProviderRow } from "./named-store.ts";
import {
  allProviders,
  changeProvider,
  endpointsOf,
  findById,
  hasIdentities,
  insertProvider,
  mappingOf,
  removeProvider,
  sealSecret,
} from "./named-store.ts";

export { allProviders, type ProviderRow } from "./named-store.ts";

/** Words of addresses and of sign-ins that no provider may be called by. */
const RESERVED: ReadonlySet<string> = new Set(["state", "email", "password", "passkey", "totp"]);

export interface SentProvider extends Endpoints, OAuthMapping {
  kind: "oidc" | "oauth2";
  name: string;
  is_enabled: boolean;
  client_id: string;
  client_secret: string;
}

interface Actor {
  session: Session;
  request: RequestFacts;
}

export const providerView = (row: ProviderRow) => ({
  id: row.id,
  slug: row.slug,
  name: row.name,
  is_enabled: row.is_enabled === 1,
  client_id: row.client_id,
  ...endpointsOf(row),
  kind: row.oauth === null ? ("oidc" as const) : ("oauth2" as const),
  ...(mappingOf(row) ?? oauthMappingSchema.parse({})),
});

/** All of them, without their secrets. */
export const listIdentityProviders = async ({ database }: ConsoleContext) =>
  (await allProviders(database.kysely)).map(providerView);

/** How a site without OpenID is used, for the row; null for OpenID. Throws invalid_field or entry_condition_invalid. */
export function checkedMapping({ kind, ...sent }: SentProvider): string | null {
  if (kind === "oidc") return null;
  if (sent.well_known.trim() !== "")
    throw new AppError("invalid_field", { field: "well_known", message: "only OpenID has a description" });
  if (sent.user_id_field === "") throw new AppError("invalid_field", { field: "user_id_field" });
  readConditions(sent.entry_conditions);
  return JSON.stringify(oauthMappingSchema.parse(sent));
}

/** Another kind, or another field with the id, would find other people under the ids that are stored. Throws provider_bound. */
async function refuseOtherIds({ database }: ConsoleContext, row: ProviderRow, sent: SentProvider): Promise<void> {
  const { kind, user_id_field } = providerView(row);
  const field =
    kind !== sent.kind ? "kind" : kind === "oauth2" && user_id_field !== sent.user_id_field && "user_id_field";
  if (field !== false && (await hasIdentities(database, row.slug))) throw new AppError("provider_bound", { field });
}

/** Throws provider_endpoints_missing, web_address_invalid or address_refused, naming the field. */
export async function checkedEndpoints(context: ConsoleContext, sent: SentProvider): Promise<string> {
  const { well_known, authorization_endpoint, token_endpoint, user_info_endpoint } = sent;
  const three = { authorization_endpoint, token_endpoint, user_info_endpoint };
  const missing = Object.entries(three).find(([, address]) => address.trim() === "");
  if (well_known.trim() === "" && missing !== undefined)
    throw new AppError("provider_endpoints_missing", { field: missing[0] });
  const endpoints = Object.entries({ well_known, ...three }).map(([field, text]) => [field, text.trim()] as const);
  for (const [field, address] of endpoints) {
    if (address === "") continue;
    const url = URL.parse(address);
    if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
      throw new AppError("web_address_invalid", { field });
    await context.relay.checkAddress(address).catch((error: unknown) => {
      throw error instanceof AppError
        ? new AppError(error.code, { field, message: error.message, cause: error })
        : error;
    });
  }
  return JSON.stringify(Object.fromEntries(endpoints));
}

/** The row of a new provider. Throws provider_slug_reserved where the word means something else, and what its addresses are refused for. */
export async function checkedProvider(context: ConsoleContext, sent: SentProvider & { slug: string }) {
  const { slug, name, client_id, client_secret } = sent;
  if (isBuiltInWay(slug) || RESERVED.has(slug)) throw new AppError("provider_slug_reserved", { field: "slug" });
  return {
    slug,
    name,
    is_enabled: sent.is_enabled ? (1 as const) : (0 as const),
    client_id,
    client_secret_cipher: sealSecret(context.secrets, slug, client_secret),
    endpoints: await checkedEndpoints(context, sent),
    oauth: checkedMapping(sent),
    created_time: Math.floor(context.clock() / 1000),
  };
}

/** Throws provider_slug_taken, provider_slug_reserved where the word means something else, and what its addresses are refused for. */
export async function createProvider(context: ConsoleContext, actor: Actor, sent: SentProvider & { slug: string }) {
  const row = await checkedProvider(context, sent);
  const id = await insertProvider(context.database, row).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new AppError("provider_slug_taken", { field: "slug" });
    throw error;
  });
  await auditProvider(context, actor, "provider_created", { id, ...row });
  return providerView({ id, ...row });
}

export async function existing({ database }: ConsoleContext, id: number): Promise<ProviderRow> {
  const row = await findById(database, id);
  if (row === undefined) throw new AppError("not_found");
  return row;
}

/** The stored provider with a change applied. Throws provider_bound, what is wrong in it, or provider_needed. */
export async function checkedChange(context: ConsoleContext, row: ProviderRow, sent: SentProvider) {
  const { name, client_id, client_secret } = sent;
  if (!sent.is_enabled) await refuseNeeded(context, row);
  const oauth = checkedMapping(sent);
  await refuseOtherIds(context, row, sent);
  return {
    name,
    is_enabled: sent.is_enabled ? (1 as const) : (0 as const),
    client_id,
    endpoints: await checkedEndpoints(context, sent),
    oauth,
    ...(client_secret === "" ? {} : { client_secret_cipher: sealSecret(context.secrets, row.slug, client_secret) }),
  };
}

/** Throws not_found, provider_bound, what is wrong in it, or provider_needed where no administrator could sign in without it. */
export async function updateProvider(context: ConsoleContext, actor: Actor, id: number, sent: SentProvider) {
  const row = await existing(context, id);
  const change = await checkedChange(context, row, sent);
  await changeProvider(context.database, id, change);
  await auditProvider(context, actor, "provider_changed", { ...row, ...change });
  return providerView({ ...row, ...change });
}

/** Throws not_found, or provider_needed where no administrator could sign in without it. */
export async function deleteProvider(context: ConsoleContext, actor: Actor, id: number): Promise<void> {
  const row = await existing(context, id);
  await refuseNeeded(context, row);
  await removeProvider(context.database, row);
  await auditProvider(context, actor, "provider_deleted", row);
}

/** Throws provider_needed where no administrator could sign in without it. */
export async function refuseNeeded(context: ConsoleContext, { slug, is_enabled }: ProviderRow): Promise<void> {
  if (is_enabled === 1 && (await isOnlyProvenWay(context, slug))) throw new AppError("provider_needed");
}

/** Enters an act into the administrators' log; no secret is in it. */
export async function auditProvider(
  context: ConsoleContext,
  { session, request }: Actor,
  code: "provider_created" | "provider_changed" | "provider_deleted",
  { id, name, slug, endpoints, oauth }: ProviderRow,
): Promise<void> {
  const event = { code, values: { name, id } };
  const detail = {
    slug,
    endpoints: JSON.parse(endpoints) as unknown,
    ...(oauth === null ? {} : { oauth: JSON.parse(oauth) as unknown }),
  };
  await context.billing.record(auditEntry({ session, request, now: context.clock(), event, detail }));
}
