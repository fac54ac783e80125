/** HTTP handlers of the site's public status, and of the database check. */
import type { Database } from "../../db/database.ts";
import { defineHandlers } from "../http/handlers.ts";
import { enabledProviders } from "../identity-store.ts";
import { acceptTerms, listAcceptances, termsVersion } from "../terms.ts";
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
  getUserAgreement: ({ context }) => ({ data: context.snapshot.options["legal.user_agreement"] }),
  getPrivacyPolicy: ({ context }) => ({ data: context.snapshot.options["legal.privacy_policy"] }),
  async acceptTerms({ context, session, body }) {
    const { database, clock } = context;
    const accepted = { userId: session.user.id, version: body.terms_version, now: Math.floor(clock() / 1000) };
    await database.kysely.transaction().execute((transaction) => acceptTerms(database, transaction, accepted));
    return {};
  },
  listAcceptances: async ({ context, query }) => ({
    data: await listAcceptances(context.database.kysely, termsVersion(context.snapshot.options), {
      username: query.username,
      page: query.p,
      pageSize: query.page_size,
    }),
  }),
  getHomePageContent: ({ context }) => ({ data: context.snapshot.options.HomePageContent }),
});
