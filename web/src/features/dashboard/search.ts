/** What the address of the dashboard may ask for; `model/view.ts` says what it means. */
import { searchReader, text } from "../../lib/search.ts";

export const dashboardSearch = searchReader({
  range: text,
  from: text,
  to: text,
  by: text,
  show: text,
  scope: text,
  username: text,
  as: text,
});
