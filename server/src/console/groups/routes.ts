/** Groups over HTTP. */
import { defineHandlers } from "../http/handlers.ts";
import { groupEntriesFor, listGroups } from "./service.ts";
import { listGroupUsage } from "./usage.ts";

export const groupsHandlers = defineHandlers("groups", {
  listGroups: ({ context }) => ({ data: listGroups(context) }),
  listGroupUsage: async ({ context }) => ({ data: await listGroupUsage(context) }),
  ownGroups: ({ context, session }) => ({ data: groupEntriesFor(context, session.user.groupName) }),
  publicGroups: ({ context, session }) => ({ data: groupEntriesFor(context, session?.user.groupName) }),
});
