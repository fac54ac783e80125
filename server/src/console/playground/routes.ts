/** Share links of chats over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import { createShare, listShares, readShare, removeShare } from "./service.ts";

export const playgroundHandlers = defineHandlers("playground", {
  listChatShares: async ({ context, session }) => ({ data: await listShares(context, session.user.id) }),
  createChatShare: async ({ context, session, body }) => ({ data: await createShare(context, session.user.id, body) }),
  deleteChatShare: async ({ context, session, params }) => {
    await removeShare(context, session.user.id, params.id);
    return {};
  },
  readChatShare: async ({ context, params }) => ({ data: await readShare(context, params.id) }),
});
