/** The values of an event of the administrators' log as its sentence names them, in the language shown. */
import type { LogEvent, LogEventValues } from "../../../contract/src/logs/events.ts";
import { definitionOf } from "../../../contract/src/logs/read-event.ts";
import { formatDateTime, formatQuota } from "./format.ts";

/** Times and quota as people read them, lists of numbers in one text. */
export function shownValues({ code, values }: LogEvent): Record<string, string | number> {
  const kinds = definitionOf(code).values;
  const shown = Object.entries(values as LogEventValues).map(([name, value]): [string, string | number] => {
    if (typeof value === "object") return [name, value.map((id) => `#${id}`).join(", ")];
    if (kinds[name] === "time") return [name, formatDateTime(Number(value))];
    return [name, kinds[name] === "quota" ? formatQuota(Number(value)) : value];
  });
  return Object.fromEntries(shown);
}
