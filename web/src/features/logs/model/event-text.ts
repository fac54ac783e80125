/** What a row about no call says, in the language shown: its event, or for rows of earlier versions the text they were written with. */
import type { TFunction } from "i18next";
import { definitionOf, type LogEvent, type LogEventValues } from "../../../../../contract/src/log-events.ts";
import { formatDateTime, formatQuota } from "../../../lib/format.ts";
import type { LogRow } from "./log-row.ts";
import { receiptOf } from "./receipt.ts";

type T = TFunction<"logs">;

function shownValues({ code, values }: LogEvent): Record<string, string | number> {
  const kinds = definitionOf(code).values;
  const shown = Object.entries(values as LogEventValues).map(([name, value]): [string, string | number] => {
    if (typeof value === "object") return [name, value.map((id) => `#${id}`).join(", ")];
    if (kinds[name] === "time") return [name, formatDateTime(Number(value))];
    return [name, kinds[name] === "quota" ? formatQuota(Number(value)) : value];
  });
  return Object.fromEntries(shown);
}

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
