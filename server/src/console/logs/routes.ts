/** The usage log over HTTP. */
import type { LogEvent } from "../../../../contract/src/logs/events.ts";
import { nowSeconds } from "../../util/clock.ts";
import { audit } from "../kit/audit.ts";
import { defineHandlers } from "../http/handlers.ts";
import { askOwn, forQuestions, UserQueue } from "../http/user-queue.ts";
import type { LogQuery } from "./filter.ts";
import { clearLogs, countOldLogs, readClearProgress, startClear, stopClear } from "./clear.ts";
import { downloadHeaders, exportLogs, exportOwnLogs } from "./export.ts";
import { listFacets } from "./facets.ts";
import { groupLogs } from "./groups.ts";
import { drawHistogram } from "./histogram.ts";
import { listViews, removeView, saveViews } from "./saved-views.ts";
import { listLogs, listOwnLogs, readPerson, readReceipt, statLogs } from "./service.ts";

interface SentFilters {
  type?: number | undefined;
  types?: readonly number[] | undefined;
  username?: string | undefined;
  token_name?: string | undefined;
  model_name?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  channel?: number | undefined;
  group?: string | undefined;
  request_id?: string | undefined;
  min_time_ms?: number | undefined;
  min_quota?: number | undefined;
  error_code?: string | undefined;
  client?: string | undefined;
  has_error?: boolean | undefined;
  upstream_request_id?: string | undefined;
}

const queryOf = (sent: SentFilters): LogQuery => ({
  type: sent.type,
  types: sent.types,
  username: sent.username,
  tokenName: sent.token_name,
  modelName: sent.model_name,
  start: sent.start_timestamp,
  end: sent.end_timestamp,
  channelId: sent.channel,
  group: sent.group,
  requestId: sent.request_id,
  minTimeMs: sent.min_time_ms,
  minQuota: sent.min_quota,
  errorCode: sent.error_code,
  client: sent.client,
  hasError: sent.has_error,
  upstreamRequestId: sent.upstream_request_id,
});

const exports = new UserQueue({ concurrent: 2, waiting: 0, total: 16 });

export const logsHandlers = defineHandlers("logs", {
  listLogs: async ({ context, query }) => ({ data: await listLogs(context, queryOf(query), query) }),
  listOwnLogs: async ({ context, session: { user }, query }) => ({
    data: await askOwn(context, user.id, (asked) => listOwnLogs(asked, user.id, queryOf(query), query)),
  }),
  statLogs: async ({ context, query }) => ({ data: await statLogs(context, queryOf(query)) }),
  statOwnLogs: async ({ context, session: { user }, query }) => ({
    data: await askOwn(context, user.id, (asked) => statLogs(asked, { ...queryOf(query), userId: user.id })),
  }),
  listLogFacets: async ({ context, query }) => ({ data: await listFacets(context, queryOf(query), query.field) }),
  listOwnLogFacets: async ({ context, session: { user }, query }) => ({
    data: await askOwn(context, user.id, (asked) =>
      listFacets(asked, { ...queryOf(query), userId: user.id }, query.field),
    ),
  }),
  drawLogHistogram: async ({ context, query }) => ({ data: await drawHistogram(context, queryOf(query)) }),
  drawOwnLogHistogram: async ({ context, session: { user }, query }) => ({
    data: await askOwn(context, user.id, (asked) => drawHistogram(asked, { ...queryOf(query), userId: user.id })),
  }),
  groupLogs: async ({ context, query }) => ({ data: await groupLogs(context, queryOf(query), query) }),
  groupOwnLogs: async ({ context, session: { user }, query }) => ({
    data: await askOwn(context, user.id, (asked) => groupLogs(asked, { ...queryOf(query), userId: user.id }, query)),
  }),
  getOwnReceipt: async ({ context, session, params }) => ({
    data: await readReceipt(context, session.user.id, params.request_id),
  }),
  getLogPerson: async ({ context, session, params }) => ({
    data: await readPerson(context, session.user, params.id),
  }),
  async deleteLogs({ context, session, request, query }) {
    const deleted = await clearLogs(context, query.target_timestamp);
    const before = Math.min(query.target_timestamp ?? 0, nowSeconds(context.clock));
    const event: LogEvent = { code: "logs_cleared", values: { count: deleted, before } };
    await audit(context, { session, request }, event);
    return { data: deleted };
  },
  async startClear({ context, session, request, body }) {
    const { progress, finished } = await startClear(context, body.target_timestamp, session.user.username);
    void finished;
    const { total: count, target_timestamp: before } = progress;
    const event: LogEvent = { code: "log_clearing_started", values: { count, before } };
    await audit(context, { session, request }, event);
    return { data: progress };
  },
  getClearProgress: async ({ context }) => ({ data: await readClearProgress(context) }),
  stopClear: async ({ context }) => ({ data: await stopClear(context) }),
  countOldLogs: async ({ context, query }) => ({ data: await countOldLogs(context, query.target_timestamp) }),
  exportLogs: ({ context, query }) => ({
    stream: exportLogs(context, queryOf(query)),
    headers: downloadHeaders(context.clock()),
  }),
  exportOwnLogs: async ({ context, session: { user }, query }) => ({
    stream: await exports.stream(user.id, exportOwnLogs(forQuestions(context), user.id, queryOf(query))),
    headers: downloadHeaders(context.clock()),
  }),
  listLogViews: async ({ context, session }) => ({ data: await listViews(context.database, session.user.id) }),
  saveLogViews: async ({ context, session, body }) => ({
    data: await saveViews(context.database, session.user.id, body.views),
  }),
  deleteLogView: async ({ context, session, params }) => ({
    data: await removeView(context.database, session.user.id, params.id),
  }),
});
