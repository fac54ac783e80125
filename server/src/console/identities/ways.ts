/** Which other sites people may sign in with at this moment, the built-in ones and the named ones. */
import { AppError } from "../../../../contract/src/errors.ts";
import { type BuiltInWay, WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import { enabledProviders } from "../identity-store.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { findBySlug, settingsOf } from "./named-store.ts";
import type { CodeProvider } from "./providers/provider.ts";
import { CODE_PROVIDERS, oidcOf } from "./providers/registry.ts";

type Context = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

/** Throws AppError identity_off where the option of a built-in way is off. */
export function refuseOff({ snapshot }: Pick<ConsoleContext, "snapshot">, way: BuiltInWay): void {
  if (!snapshot.options[WAYS[way].option]) throw new AppError("identity_off");
}

/**
 * The site of this name that leads back with a code.
 * @throws AppError not_found where there is none, identity_off where it is switched off.
 */
export async function codeProviderOf(context: Context, way: string): Promise<CodeProvider> {
  if (isBuiltInWay(way)) {
    refuseOff(context, way);
    const provider = await CODE_PROVIDERS[way]?.(context.snapshot.options);
    if (provider === undefined) throw new AppError("not_found");
    return provider;
  }
  const row = await findBySlug(context.database, way);
  if (row === undefined) throw new AppError("not_found");
  if (row.is_enabled !== 1) throw new AppError("identity_off");
  return oidcOf(settingsOf(context.secrets, row));
}

/** Names of all that may be used now. */
export async function enabledWays({
  database,
  snapshot,
}: Pick<Context, "snapshot"> & { database: { kysely: Queries } }): Promise<ReadonlySet<string>> {
  const builtIn = Object.entries(WAYS).filter(([, { option }]) => snapshot.options[option]);
  const named = await enabledProviders(database);
  return new Set([...builtIn.map(([way]) => way), ...named.map(({ slug }) => slug)]);
}
