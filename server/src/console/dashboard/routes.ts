/** The dashboard over HTTP. */
import { defineHandlers } from "../handlers.ts";
import type { AskedRange, View } from "./service.ts";
import { findUsers, listOwnUsage, listUsage, readOverview, readOwnOverview } from "./service.ts";

interface SentRange {
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
}

const rangeOf = (sent: SentRange): AskedRange => ({ start: sent.start_timestamp, end: sent.end_timestamp });

const viewOf = (sent: SentRange & { granularity: View["granularity"]; time_zone?: string | undefined }): View => ({
  ...rangeOf(sent),
  granularity: sent.granularity,
  timeZone: sent.time_zone,
});

export const dashboardHandlers = defineHandlers("dashboard", {
  listUsage: async ({ context, query }) => ({ data: await listUsage(context, rangeOf(query), query.username) }),
  listOwnUsage: async ({ context, session, query }) => ({
    data: await listOwnUsage(context, rangeOf(query), session.user),
  }),
  getOverview: async ({ context, query }) => ({ data: await readOverview(context, query.username, viewOf(query)) }),
  getOwnOverview: async ({ context, session, query }) => ({
    data: await readOwnOverview(context, session.user.id, viewOf(query)),
  }),
  findUsageByUser: async ({ context, query }) => ({
    data: await findUsers(context, rangeOf(query), query.keyword),
  }),
});
