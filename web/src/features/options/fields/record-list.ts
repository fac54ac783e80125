/** Announcements, questions and API addresses of the settings as lists of records: their fields, and to and from the option's text. Pure. */
import { findJsonError } from "../../../../../contract/src/options/json-places.ts";
import {
  ANNOUNCEMENT_KINDS,
  API_ADDRESS_COLORS,
  SITE_CONTENT_BOUNDS,
} from "../../../../../contract/src/options/site-content.ts";

/** One field of a record. Its label is `records.<list>.<name>` of the texts. */
export interface RecordField {
  name: string;
  /** `line` one line, `text` several, `choice` one of `choices`, `moment` a date with its time. */
  kind: "line" | "text" | "choice" | "moment";
  /** In characters. */
  maximumLength?: number;
  choices?: readonly string[];
  /** The values of a new record. */
  initial: string;
}

export interface RecordList {
  /** Its part of the texts. */
  name: "announcements" | "faq" | "api_info";
  maximum: number;
  fields: readonly RecordField[];
  /** Where a new record goes: the newest announcement stands first. */
  newPlace: "first" | "last";
}

const BOUNDS = SITE_CONTENT_BOUNDS;

/** The list of each option that is edited as records. */
export const RECORD_LISTS: Readonly<Record<string, RecordList>> = {
  "console_setting.announcements": {
    name: "announcements",
    maximum: BOUNDS.announcements,
    newPlace: "first",
    fields: [
      { name: "publishDate", kind: "moment", initial: "" },
      { name: "type", kind: "choice", choices: ANNOUNCEMENT_KINDS, initial: "default" },
      { name: "content", kind: "text", maximumLength: BOUNDS.contentLength, initial: "" },
      { name: "extra", kind: "line", maximumLength: BOUNDS.extraLength, initial: "" },
    ],
  },
  "console_setting.faq": {
    name: "faq",
    maximum: BOUNDS.questions,
    newPlace: "last",
    fields: [
      { name: "question", kind: "line", maximumLength: BOUNDS.questionLength, initial: "" },
      { name: "answer", kind: "text", maximumLength: BOUNDS.answerLength, initial: "" },
    ],
  },
  "console_setting.api_info": {
    name: "api_info",
    maximum: BOUNDS.addresses,
    newPlace: "last",
    fields: [
      { name: "route", kind: "line", maximumLength: BOUNDS.routeLength, initial: "" },
      { name: "color", kind: "choice", choices: API_ADDRESS_COLORS, initial: "blue" },
      { name: "url", kind: "line", maximumLength: BOUNDS.urlLength, initial: "https://" },
      { name: "description", kind: "line", maximumLength: BOUNDS.descriptionLength, initial: "" },
    ],
  },
};

export type SiteRecord = Readonly<Record<string, string>>;

/** A record by its fields, which are texts; undefined where it has another field or another type. */
function recordOf(value: unknown, fields: readonly RecordField[]): SiteRecord | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  // The number that editors of this API family give is not needed.
  const { id: _id, ...sent } = value as Record<string, unknown>;
  const isKnown = Object.entries(sent).every(
    ([name, text]) => typeof text === "string" && fields.some((field) => field.name === name),
  );
  if (!isKnown) return undefined;
  return Object.fromEntries(fields.map(({ name, initial }) => [name, (sent[name] as string | undefined) ?? initial]));
}

/** The records in a text; undefined where it is no list of them, which only the JSON editor can show. */
export function readRecords(text: string, { fields }: RecordList): SiteRecord[] | undefined {
  if (text.trim() === "" || findJsonError(text) !== undefined) return undefined;
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) return undefined;
  const records = value.map((entry) => recordOf(entry, fields));
  return records.every((record) => record !== undefined) ? records : undefined;
}

export const writeRecords = (records: readonly SiteRecord[]): string => JSON.stringify(records, null, 2);

/** @param nowMs becomes the date of an announcement, to the minute */
export function newRecord({ fields }: RecordList, nowMs = Date.now()): SiteRecord {
  const moment = new Date(nowMs - (nowMs % 60_000)).toISOString();
  return Object.fromEntries(fields.map(({ name, kind, initial }) => [name, kind === "moment" ? moment : initial]));
}

/** A moment as a field of date and time has it, in this browser's time zone; empty where the text is no moment. */
export function localOf(moment: string): string {
  const atMs = Date.parse(moment);
  if (Number.isNaN(atMs)) return "";
  const localMs = atMs - new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(localMs).toISOString().slice(0, 16);
}

/** The value of such a field as a moment in UTC; empty where it is empty. */
export function momentOf(local: string): string {
  const atMs = Date.parse(local);
  return Number.isNaN(atMs) ? "" : new Date(atMs).toISOString();
}
