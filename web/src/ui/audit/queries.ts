/** Queries of the audit trail: pages of it, and the change that is taken back. */
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { listAudit, revertAudit } from "../../../../contract/src/features/audit.ts";
import { call } from "../../lib/api.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { withStepUp } from "../feedback/step-up.ts";

export interface AuditQuery {
  kind?: string | undefined;
  object?: string | undefined;
  actor?: string | undefined;
  page: number;
  size: number;
}

/** Sentences of changes are those of the log. */
export const auditQuery = ({ page, size, ...filters }: AuditQuery) =>
  queryOptions({
    queryKey: ["audit", filters, page, size],
    queryFn: async ({ signal }) => {
      const [answer] = await Promise.all([
        call(listAudit, { query: { ...filters, p: page, page_size: size }, signal }),
        loadTexts("logs", "audit"),
      ]);
      return answer;
    },
    placeholderData: keepPreviousData,
  });

/** The newest change of one thing; null where none is known. */
export const lastChangeQuery = (thing: { kind: string; object: string }) =>
  queryOptions({
    queryKey: ["audit", thing, "last"],
    queryFn: async ({ signal }) =>
      (await call(listAudit, { query: { ...thing, p: 1, page_size: 1 }, signal })).items[0] ?? null,
  });

/** Gives undefined where no confirmation was given. What it changed may be on any page, so everything is asked anew. */
export function useRevert() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: number) => withStepUp(async () => ({ done: await call(revertAudit, { params: { id } }) })),
    onSettled: () => client.invalidateQueries(),
    meta: { showsOwnError: true },
  });
}
