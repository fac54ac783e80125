/** The outbox over HTTP, for who runs the site. */
import { defineHandlers } from "../http/handlers.ts";
import { listMessages, retryMessage } from "./service.ts";

export const notificationsHandlers = defineHandlers("notifications", {
  listMessages: async ({ context, query }) => ({ data: await listMessages(context, query) }),
  async retryMessage({ context, session, request, params }) {
    await retryMessage(context, { session, request }, params.id);
    return {};
  },
});
