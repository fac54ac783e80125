/** The health of channels over HTTP, for administrators. */
import { defineHandlers } from "../http/handlers.ts";
import { channelHealth } from "./service.ts";

export const healthHandlers = defineHandlers("health", {
  getChannelHealth: async ({ context, query }) => ({ data: await channelHealth(context, query) }),
});
