/** The route of the audit trail: its address, texts and page. */
import type { AuditKind } from "../../../../contract/src/features/audit.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Not taken from the endpoint's file: addresses are read before the page is there, and would bring all of it along. */
const KINDS = ["option", "price", "channel", "user", "code", "site"] as const satisfies readonly AuditKind[];

const auditSearch = searchReader({ ...LIST_SEARCH, kind: oneOf(...KINDS), object: text, actor: text });

export const auditRoute = {
  path: "/audit",
  validateSearch: auditSearch,
  loader: () => loadTexts("audit", "logs"),
  component: lazyPage(() => import("./page.tsx"), "AuditPage"),
} as const;
