/** What the addresses of the drawing log and of the task log may ask for. */
import { searchReader, text } from "../../lib/search.ts";
import { LIST_SEARCH } from "../../ui/data-table/list-state.ts";

const FIELDS = {
  ...LIST_SEARCH,
  /** The task of one call, by the id of its answer: of whatever time. */
  request_id: text,
  action: text,
  status: text,
  username: text,
  channel_id: text,
  range: text,
  start_timestamp: text,
  end_timestamp: text,
};

export const drawingSearch = searchReader({ ...FIELDS, mj_id: text });
export const taskSearch = searchReader({ ...FIELDS, task_id: text, platform: text });
