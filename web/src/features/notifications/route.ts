/** The route of the page of messages: its address, texts and page. */
import type { MessageStatus } from "../../../../contract/src/features/notifications.ts";
import { loadTexts } from "../../lib/i18n.ts";
import { oneOf, searchReader } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-search.ts";
import { lazyPage } from "../../ui/lazy-page.ts";

/** Not taken from the endpoint's file: addresses are read before the login page is there, and would bring all of it along. */
const STATUSES = ["waiting", "sent", "failed"] as const satisfies readonly MessageStatus[];

const messageSearch = searchReader({ ...LIST_SEARCH, status: oneOf(...STATUSES) });

export const notificationsRoute = {
  path: "/notification",
  validateSearch: messageSearch,
  loader: () => loadTexts("notifications"),
  component: lazyPage(() => import("./page.tsx"), "NotificationsPage"),
} as const;
