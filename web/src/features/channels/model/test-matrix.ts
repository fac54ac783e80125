/** The matrix of tests in the channel form: which rows it begins with, and equal failures once. Pure. */
import type { TestKind } from "../../../../../contract/src/channels/channel-tests.ts";
import type { ChannelForm } from "./form.ts";

/** At most so many models are tested at a time. */
export const MATRIX_ROWS_MAX = 20;
/** Number chosen at first. */
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
