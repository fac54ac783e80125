/** The text of a row about no call, in the language shown: its event, or for rows of earlier versions the text they were written with. */
import { type TFunction } from "../../../lib/i18n.ts";
import { definitionOf } from "../../../../../contract/src/logs/read-event.ts";
import { shownValues } from "../../../lib/event-values.ts";
import type { LogRow } from "./log-row.ts";
import { receiptOf } from "./receipt.ts";

type T = TFunction;

/** The sentence of the row. */
export function eventText(t: T, row: LogRow): string {
  const { event } = receiptOf(row);
  return event === undefined ? row.content : t(`event.${event.code}`, shownValues(event));
}

export type EventTone = "failure" | "quiet" | undefined;

/** Failures are red; what went as it should is not to draw the eye. */
export function eventTone(row: LogRow): EventTone {
  const { event, is_test } = receiptOf(row);
  if (event === undefined) return undefined;
  if (definitionOf(event.code).isFailure === true) return "failure";
  return is_test === true && !(event.code === "channels_tested" && event.values.failed > 0) ? "quiet" : undefined;
}
