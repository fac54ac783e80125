/** A row of the log in which nothing is said: what tests of lists fill in as far as it matters to them. */
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { BLANK_ENTRY, logRow } from "../../../server/src/billing/log-row.ts";

const ROW = logRow({ ...BLANK_ENTRY, type: LOG_TYPE.consumption, requestId: "", createdAt: 0 });

/** Without what every test says itself. */
export const BLANK_LOG = withoutOwn(ROW);

function withoutOwn({ type: _type, created_at: _at, user_id: _user, model_name: _model, ...rest }: typeof ROW) {
  return rest;
}
