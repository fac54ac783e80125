/** Reads the events of log rows, and prints them in English. */
import {
  type EventDefinition,
  type Kind,
  LOG_EVENTS,
  type LogEvent,
  type LogEventCode,
  type LogEventValues,
} from "./events.ts";

const IS_KIND: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string",
  number: (value) => typeof value === "number" && Number.isFinite(value),
  time: (value) => typeof value === "number" && Number.isFinite(value),
  quota: (value) => Number.isSafeInteger(value),
  ids: (value) => Array.isArray(value) && value.every((id) => typeof id === "number"),
};

export const definitionOf = (code: LogEventCode): EventDefinition => LOG_EVENTS[code];

const isCode = (code: unknown): code is LogEventCode => typeof code === "string" && Object.hasOwn(LOG_EVENTS, code);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** Reads the event in a row's `other`. Undefined where there is none or another version wrote it; then the row's own text is shown. */
export function readLogEvent(sent: unknown): LogEvent | undefined {
  if (!isObject(sent) || !isCode(sent["code"]) || !isObject(sent["values"])) return undefined;
  const { code, values } = sent as { code: LogEventCode; values: Record<string, unknown> };
  const kinds = Object.entries(definitionOf(code).values);
  return kinds.every(([name, kind]) => IS_KIND[kind](values[name])) ? ({ code, values } as LogEvent) : undefined;
}

/** The event as one English sentence. @param momentText formats Unix seconds */
export function englishOf({ code, values }: LogEvent, momentText: (seconds: number) => string): string {
  const { english, values: kinds } = definitionOf(code);
  const given = values as LogEventValues;
  const template = typeof english === "string" ? english : given["count"] === 1 ? english.one : english.other;
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = given[name] ?? "";
    if (typeof value === "object") return value.map((id) => `#${id}`).join(", ");
    return kinds[name] === "time" ? momentText(Number(value)) : String(value);
  });
}
