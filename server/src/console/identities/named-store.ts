/** Queries of named OpenID and OAuth 2.0 providers, whose secrets are encrypted. */
import type { Insertable, Selectable, Transaction, Updateable } from "kysely";
import { z } from "zod";
import type { Database } from "../../db/database.ts";
import type { IdentityProviderTable } from "../../db/user-tables.ts";
import { insertReturningId, type Queries } from "../../db/portable.ts";
import type { Schema } from "../../db/schema.ts";
import { type Secrets, identityContext } from "../../db/secrets.ts";
import { workingWayFact } from "../accounts/sign-in.ts";
import { dropMarksOfTargets, refuseLockedTargets } from "../managed-store.ts";
import { type OAuthMapping, oauthMappingSchema } from "../../../../contract/src/features/identities.ts";
import type { OAuthSettings } from "./providers/oauth2.ts";
import type { OidcSettings } from "./providers/oidc.ts";

export type ProviderRow = Selectable<IdentityProviderTable>;

export const endpointsSchema = z.object({
  well_known: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  user_info_endpoint: z.string(),
});
export type Endpoints = z.output<typeof endpointsSchema>;

export const endpointsOf = (row: Pick<ProviderRow, "endpoints">): Endpoints =>
  endpointsSchema.parse(JSON.parse(row.endpoints));

/** Undefined for a provider of OpenID. */
export const mappingOf = ({ oauth }: Pick<ProviderRow, "oauth">): OAuthMapping | undefined =>
  oauth === null ? undefined : oauthMappingSchema.parse(JSON.parse(oauth));

export const sealSecret = (secrets: Secrets, slug: string, secret: string): string =>
  secrets.encrypt(secret, identityContext(slug));

/** With `mapping` where it is a site without OpenID. */
export function settingsOf(
  secrets: Secrets,
  row: Pick<ProviderRow, "slug" | "client_id" | "client_secret_cipher" | "endpoints" | "oauth">,
): OidcSettings | OAuthSettings {
  const { well_known, authorization_endpoint, token_endpoint, user_info_endpoint } = endpointsOf(row);
  const mapping = mappingOf(row);
  return {
    ...(mapping === undefined ? {} : { mapping }),
    clientId: row.client_id,
    clientSecret: secrets.decrypt(row.client_secret_cipher, identityContext(row.slug)),
    wellKnown: well_known,
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    userInfoEndpoint: user_info_endpoint,
  };
}

export const allProviders = (queries: Queries): Promise<ProviderRow[]> =>
  queries.selectFrom("identity_providers").selectAll().orderBy("id").execute();

export const findBySlug = ({ kysely }: Database, slug: string): Promise<ProviderRow | undefined> =>
  kysely.selectFrom("identity_providers").selectAll().where("slug", "=", slug).executeTakeFirst();

export const findById = ({ kysely }: Database, id: number): Promise<ProviderRow | undefined> =>
  kysely.selectFrom("identity_providers").selectAll().where("id", "=", id).executeTakeFirst();

/** Whether an account is bound by it. */
export const hasIdentities = async ({ kysely }: Database, slug: string): Promise<boolean> =>
  (await kysely.selectFrom("identities").select("user_id").where("provider", "=", slug).executeTakeFirst()) !==
  undefined;

/** Throws the driver's unique violation where the slug is taken. */
export const insertProvider = (database: Database, row: Insertable<IdentityProviderTable>): Promise<number> =>
  insertReturningId(database, database.kysely, "identity_providers", row);

/** Changes one that no configuration file locks. Throws AppError managed_locked. */
export async function changeProvider(
  { kysely }: Database,
  id: number,
  change: Updateable<IdentityProviderTable>,
): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await refuseLockedTargets(transaction, "provider", [id]);
    await transaction.updateTable("identity_providers").set(change).where("id", "=", id).execute();
  });
}

/** With its identities: another provider may get the slug, whose subjects are other people. */
export async function removeRow(transaction: Transaction<Schema>, { id, slug }: ProviderRow): Promise<void> {
  await transaction.deleteFrom("identity_providers").where("id", "=", id).execute();
  await transaction.deleteFrom("identities").where("provider", "=", slug).execute();
  await transaction.deleteFrom("facts").where("name", "=", workingWayFact(slug)).execute();
  await dropMarksOfTargets(transaction, "provider", [id]);
}

/** Deletes one that no configuration file locks. Throws AppError managed_locked. */
export async function removeProvider({ kysely }: Database, row: ProviderRow): Promise<void> {
  await kysely.transaction().execute(async (transaction) => {
    await refuseLockedTargets(transaction, "provider", [row.id]);
    await removeRow(transaction, row);
  });
}
