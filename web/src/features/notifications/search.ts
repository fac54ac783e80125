/** What the address of the page of messages may ask for. */
import { MESSAGE_STATUSES } from "../../../../contract/src/features/notifications.ts";
import { oneOf, searchReader } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-state.ts";

export const messageSearch = searchReader({ ...LIST_SEARCH, status: oneOf(...MESSAGE_STATUSES) });
