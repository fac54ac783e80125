/** The drawing log over HTTP. */
import { defineHandlers } from "../../console/http/handlers.ts";
import { askOwn } from "../../console/own-questions.ts";
import { totalHeader } from "../../console/http/total-header.ts";
import type { SentTaskQuery } from "./views.ts";
import { filterOf, pagingOf } from "./views.ts";
import { listDrawings, listOwnDrawings } from "./image-service.ts";

const drawingFilter = (sent: SentTaskQuery & { mj_id?: string | undefined }) => ({
  ...filterOf(sent),
  taskId: sent.mj_id,
});

export const drawingHandlers = defineHandlers("drawing", {
  async listDrawings({ context, query }) {
    const { rows, total } = await listDrawings(context, drawingFilter(query), pagingOf(query));
    return { data: rows, headers: totalHeader(total) };
  },
  async listOwnDrawings({ context, session: { user }, query }) {
    const { rows, total } = await askOwn(context, user.id, (asked) =>
      listOwnDrawings(asked, user.id, drawingFilter(query), pagingOf(query)),
    );
    return { data: rows, headers: totalHeader(total) };
  },
});
