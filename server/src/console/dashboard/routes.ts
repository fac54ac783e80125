/** HTTP handlers of the dashboard. */
import { defineHandlers } from "../http/handlers.ts";
import { askOwn } from "../http/user-queue.ts";
import { listTokenCalls, readCalls, readFirstSteps, readOwnCalls } from "./calls.ts";
import { ownFacts } from "./call-store.ts";
import { listFlow, listOwnFlow } from "./flow.ts";
import type { RequestedRange, View } from "./ranges.ts";
import { findUsers, listOwnUsage, listUsage, readOverview, readOwnOverview } from "./service.ts";

interface SentRange {
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}

const rangeOf = (sent: SentRange): RequestedRange => ({ start: sent.start_timestamp, end: sent.end_timestamp });

const viewOf = (sent: SentRange & { granularity: View["granularity"]; time_zone?: string | undefined }): View => ({
  ...rangeOf(sent),
  granularity: sent.granularity,
  timeZone: sent.time_zone,
});

export const dashboardHandlers = defineHandlers("dashboard", {
  listUsage: async ({ context, query }) => ({ data: await listUsage(context, rangeOf(query), query.username) }),
  listOwnUsage: async ({ context, session, query }) => ({
    data: await askOwn(context, session.user.id, (asked) => listOwnUsage(asked, rangeOf(query), session.user)),
  }),
  listFlow: async ({ context, query }) => ({ data: await listFlow(context, rangeOf(query), query.username) }),
  listOwnFlow: async ({ context, session, query }) => ({
    data: await askOwn(context, session.user.id, (asked) => listOwnFlow(asked, rangeOf(query), session.user.id)),
  }),
  getOverview: async ({ context, query }) => ({ data: await readOverview(context, query.username, viewOf(query)) }),
  getOwnOverview: async ({ context, session, query }) => ({
    data: await askOwn(context, session.user.id, (asked) => readOwnOverview(asked, session.user.id, viewOf(query))),
  }),
  getCallReport: async ({ context, query }) => ({ data: await readCalls(context, query.username, viewOf(query)) }),
  getOwnCallReport: async ({ context, session, query }) => ({
    data: await askOwn(context, session.user.id, (asked) => readOwnCalls(asked, session.user.id, viewOf(query))),
  }),
  listTokenCalls: async ({ context, query }) => ({ data: await listTokenCalls(context, rangeOf(query)) }),
  getFirstSteps: async ({ context }) => ({ data: await readFirstSteps(context) }),
  getOwnFirstSteps: async ({ context, session }) => ({ data: await ownFacts(context.database, session.user.id) }),
  findUsageByUser: async ({ context, query }) => ({
    data: await findUsers(context, rangeOf(query), query.keyword),
  }),
});
