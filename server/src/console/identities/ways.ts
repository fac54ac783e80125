/** Which other sites people may sign in with at this moment, the built-in ones and the named ones. */
import { AppError } from "../../../../contract/src/errors.ts";
import { BUILT_IN_WAYS, isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import { enabledProviders } from "../accounts/named-providers.ts";
import type { Queries } from "../../db/portable.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { findBySlug, settingsOf } from "./named-store.ts";
import { github } from "./providers/github.ts";
import { linuxdo } from "./providers/linuxdo.ts";
import type { CodeProvider } from "./providers/provider.ts";

type Context = Pick<ConsoleContext, "database" | "snapshot" | "secrets">;

/** Throws AppError identity_off where the option of a built-in way is off. */
export function refuseOff({ snapshot }: Pick<ConsoleContext, "snapshot">, way: keyof typeof BUILT_IN_WAYS): void {
  if (!snapshot.options[BUILT_IN_WAYS[way].option]) throw new AppError("identity_off");
}

/** The library of OpenID comes with the first who signs in by it. */
const oidc = () => import("./providers/oidc.ts");

/**
 * The site of this name that leads back with a code.
 * @throws AppError not_found where there is none, identity_off where it is switched off.
 */
export async function codeProviderOf(context: Context, way: string): Promise<CodeProvider> {
  if (isBuiltInWay(way)) {
    refuseOff(context, way);
    if (way === "github") return github;
    if (way === "linuxdo") return linuxdo;
    if (way === "oidc") {
      const { oidcOfOptions, oidcProvider } = await oidc();
      return oidcProvider(oidcOfOptions(context.snapshot.options));
    }
    throw new AppError("not_found");
  }
  const row = await findBySlug(context.database, way);
  if (row === undefined) throw new AppError("not_found");
  if (row.is_enabled !== 1) throw new AppError("identity_off");
  return (await oidc()).oidcProvider(settingsOf(context.secrets, row));
}

/** Names of all that may be used now. */
export async function enabledWays({
  database,
  snapshot,
}: Pick<Context, "snapshot"> & { database: { kysely: Queries } }): Promise<ReadonlySet<string>> {
  const builtIn = Object.entries(BUILT_IN_WAYS).filter(([, { option }]) => snapshot.options[option]);
  const named = await enabledProviders(database);
  return new Set([...builtIn.map(([way]) => way), ...named.map(({ slug }) => slug)]);
}
