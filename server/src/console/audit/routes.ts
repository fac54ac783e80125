/** The audit trail over HTTP: thin, from parsed input to the service and back. */
import { defineHandlers } from "../http/handlers.ts";
import { revertAudit } from "./revert.ts";
import { listAudit } from "./service.ts";

export const auditHandlers = defineHandlers("audit", {
  async listAudit({ context, session, query }) {
    const { kind, object, actor, start_timestamp: from, end_timestamp: to, p, page_size } = query;
    return { data: await listAudit(context, session, { kind, object, actor, from, to }, { p, page_size }) };
  },
  async revertAudit({ context, params, ...actor }) {
    await revertAudit(context, actor, params.id);
    return {};
  },
});
