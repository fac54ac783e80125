/** What the address of the health page may ask for. */
import { oneOf, searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-state.ts";

export const healthSearch = searchReader({ ...LIST_SEARCH, hours: oneOf("1", "24", "168"), keyword: text });
