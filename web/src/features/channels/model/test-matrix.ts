/** The matrix of tests in the channel form: which rows it begins with, and where a failure can be repaired. Pure. */
import type { TestFailure, TestKind } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { ChannelForm, FieldName } from "./form.ts";

/** At most so many models are tested at a time. */
export const MATRIX_ROWS_MAX = 20;
/** So many are chosen to begin with. */
const ROWS_AT_FIRST = 3;

/** The column's name in texts, beside its kind. */
export const cellOf = (model: string, kind: TestKind): string => `${kind} ${model}`;

/** The test model first, as calls without a named model take it. */
export function firstRows({ models, test_model }: Pick<ChannelForm, "models" | "test_model">): string[] {
  const named = test_model.trim();
  return [...new Set([...(named === "" ? [] : [named]), ...models])].slice(0, ROWS_AT_FIRST);
}

/** The chosen models that the form still has. */
export const rowsLeft = (chosen: readonly string[], offered: readonly string[]): string[] =>
  chosen.filter((model) => offered.includes(model)).slice(0, MATRIX_ROWS_MAX);

export interface Repair {
  /** The fields that may be wrong, the likeliest first; none where nothing in the form is. */
  fields: readonly FieldName[];
  /** Whether every other test would fail for the same reason, so that none is begun any more. */
  concernsAll: boolean;
}

const NOWHERE: Repair = { fields: [], concernsAll: false };
const REFUSED_KEY = [401, 403];
const NO_SUCH_PATH = 404;
const UNREACHED: readonly TestFailure["code"][] = ["connect", "connect_timeout", "address_refused"];

/** Where a failure is repaired. `has` says whether the form shows the field. */
export function repairOf({ code, values }: TestFailure, provider: ProviderRow | undefined): Repair {
  const has = (name: FieldName): boolean =>
    name === "key" || name === "models" || provider?.fields.some((field) => field.name === name) === true;
  if (UNREACHED.includes(code)) return { fields: (["base_url"] as const).filter(has), concernsAll: true };
  if (code === "not_streamed" || code === "no_tool_call") return NOWHERE;
  if (code === "operation_not_served") return { fields: ["models"], concernsAll: false };
  if (code === "unreadable_answer") return { fields: (["base_url"] as const).filter(has), concernsAll: false };
  const status = code === "upstream_status" ? Number(values["status"]) : 0;
  if (REFUSED_KEY.includes(status)) return { fields: ["key"], concernsAll: status === 401 };
  if (status === NO_SUCH_PATH) return { fields: (["base_url", "models"] as const).filter(has), concernsAll: false };
  return NOWHERE;
}

/** Whether the upstream limits calls: nothing in the form is wrong then. */
export const isLimited = ({ code, values }: TestFailure): boolean =>
  code === "upstream_status" && Number(values["status"]) === 429;

/** One sentence of failures with the tests that failed so. */
export interface FailedTests {
  text: string;
  cells: { model: string; kind: TestKind }[];
}

/** Equal failures of a matrix once, in the order of their first test. */
export function failuresTogether<Failed extends { text: string; model: string; kind: TestKind }>(
  failed: readonly Failed[],
): (FailedTests & { first: Failed })[] {
  const byText = Map.groupBy(failed, ({ text }) => text);
  return [...byText].flatMap(([text, cells]) => {
    const [first] = cells;
    return first === undefined ? [] : [{ text, first, cells: cells.map(({ model, kind }) => ({ model, kind })) }];
  });
}
