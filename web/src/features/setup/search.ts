/** What the address of the set-up page may carry: the code that the server printed. */
import { searchReader, text } from "../../lib/search.ts";

export const setupSearch = searchReader({ code: text });
