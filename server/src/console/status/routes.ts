/** Handlers of the public facts about this site. */
import { enabledProviders } from "../identity-store.ts";
import { defineHandlers } from "../http/handlers.ts";
import { readStatus } from "./service.ts";
import { ping } from "./store.ts";

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
