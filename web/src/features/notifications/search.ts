/** What the address of the page of messages may ask for. */
import type { MessageStatus } from "../../../../contract/src/features/notifications.ts";
import { oneOf, searchReader } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-state.ts";

/** Not taken from the endpoint's file: addresses are read before the login page is there, and would bring all of it along. */
const STATUSES = ["waiting", "sent", "failed"] as const satisfies readonly MessageStatus[];

export const messageSearch = searchReader({ ...LIST_SEARCH, status: oneOf(...STATUSES) });
