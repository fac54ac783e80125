/** The named OpenID providers that are on, as anybody may know them. */
import type { Queries } from "../../db/portable.ts";

/** In the order in which they were made. */
export const enabledProviders = ({ kysely }: { kysely: Queries }): Promise<{ slug: string; name: string }[]> =>
  kysely.selectFrom("identity_providers").select(["slug", "name"]).where("is_enabled", "=", 1).orderBy("id").execute();
