/** An empty row of the log, which list tests fill in as needed. */
import { LOG_TYPE } from "../../../contract/src/constants.ts";
import { BLANK_ENTRY, logRow } from "../../../server/src/billing/log-row.ts";

const ROW = logRow({ ...BLANK_ENTRY, type: LOG_TYPE.consumption, requestId: "", createdAt: 0 });

/** Without what every test says itself. */
export const BLANK_LOG = withoutOwn(ROW);

function withoutOwn({ type: _type, created_at: _at, user_id: _user, model_name: _model, ...rest }: typeof ROW) {
  return rest;
}
