/** What the address of the channels page may ask for; its drawers have paths of their own. */
import { CHANNEL_SORTS } from "../../../../contract/src/channel-list.ts";
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH, sortBy } from "../../ui/data-table/list-state.ts";

export const channelSearch = searchReader({
  ...LIST_SEARCH,
  sort: sortBy(...CHANNEL_SORTS),
  keyword: text,
  status: oneOf("1", "2", "3"),
  group: text,
  model: text,
  type: text,
  /** What the last test said. */
  test: oneOf("passed", "failed", "none"),
  /** Grouped by tag. */
  tags: oneOf("1"),
});
