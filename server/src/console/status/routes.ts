/** HTTP handlers of the site's public status, and of the database check. */
import type { Database } from "../../db/database.ts";
import { defineHandlers } from "../http/handlers.ts";
import { enabledProviders } from "../identity-store.ts";
import { readStatus } from "./service.ts";

/** Asks the database for one row. Throws what the driver throws where it does not answer. */
async function ping(database: Database): Promise<void> {
  await database.kysely.selectFrom("versions").select("name").limit(1).execute();
}

export const statusHandlers = defineHandlers("status", {
  getStatus: async ({ context }) => ({
    data: {
      ...readStatus(context.snapshot.options, context.site, await context.isSetupDone()),
      identity_providers: await enabledProviders(context.database),
    },
  }),
  testStatus: async ({ context }) => {
    await ping(context.database);
    return { message: "Server is running" };
  },
  getNotice: ({ context }) => ({ data: context.snapshot.options.Notice }),
  getAbout: ({ context }) => ({ data: context.snapshot.options.About }),
  getHomePageContent: ({ context }) => ({ data: context.snapshot.options.HomePageContent }),
});
