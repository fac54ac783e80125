/** The usage log over HTTP. */
import { auditEntry } from "../audit-entry.ts";
import { defineHandlers } from "../handlers.ts";
import type { LogQuery } from "./filter.ts";
import { clearLogs, countOldLogs, readClearProgress, startClear, stopClear } from "./clear.ts";
import { downloadHeaders, exportLogs, exportOwnLogs } from "./export.ts";
import { listLogs, listOwnLogs, readPerson, readReceipt, statLogs } from "./service.ts";

interface SentFilters {
  type?: number | undefined;
  username?: string | undefined;
  token_name?: string | undefined;
  model_name?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  channel?: number | undefined;
  group?: string | undefined;
}

const queryOf = (sent: SentFilters): LogQuery => ({
  type: sent.type,
  username: sent.username,
  tokenName: sent.token_name,
  modelName: sent.model_name,
  start: sent.start_timestamp,
  end: sent.end_timestamp,
  channelId: sent.channel,
  group: sent.group,
});

/** A moment of Unix seconds as an administrator reads it in the log: "2026-11-21 15:32 UTC". */
const momentText = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;

export const logsHandlers = defineHandlers("logs", {
  listLogs: async ({ context, query }) => ({ data: await listLogs(context, queryOf(query), query) }),
  listOwnLogs: async ({ context, session, query }) => ({
    data: await listOwnLogs(context, session.user.id, queryOf(query), query),
  }),
  statLogs: async ({ context, query }) => ({ data: await statLogs(context, queryOf(query)) }),
  statOwnLogs: async ({ context, session, query }) => ({
    data: await statLogs(context, { ...queryOf(query), userId: session.user.id }),
  }),
  getOwnReceipt: async ({ context, session, params }) => ({
    data: await readReceipt(context, session.user.id, params.request_id),
  }),
  getLogPerson: async ({ context, session, params }) => ({
    data: await readPerson(context, session.user, params.id),
  }),
  async deleteLogs({ context, session, request, query }) {
    const deleted = await clearLogs(context, query.target_timestamp);
    const moment = momentText(Math.min(query.target_timestamp ?? 0, context.clock() / 1000));
    const content = `Cleared ${deleted} log rows older than ${moment}`;
    await context.billing.record(auditEntry({ session, request, now: context.clock(), content }));
    return { data: deleted };
  },
  async startClear({ context, session, request, body }) {
    const { progress, finished } = await startClear(context, body.target_timestamp, session.user.username);
    void finished;
    const moment = momentText(progress.target_timestamp);
    const content = `Began to clear about ${progress.total} log rows older than ${moment}`;
    await context.billing.record(auditEntry({ session, request, now: context.clock(), content }));
    return { data: progress };
  },
  getClearProgress: async ({ context }) => ({ data: await readClearProgress(context) }),
  stopClear: async ({ context }) => ({ data: await stopClear(context) }),
  countOldLogs: async ({ context, query }) => ({ data: await countOldLogs(context, query.target_timestamp) }),
  exportLogs: ({ context, query }) => ({
    stream: exportLogs(context, queryOf(query)),
    headers: downloadHeaders(context.clock()),
  }),
  exportOwnLogs: ({ context, session, query }) => ({
    stream: exportOwnLogs(context, session.user.id, queryOf(query)),
    headers: downloadHeaders(context.clock()),
  }),
});
