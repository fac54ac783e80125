/** What a way of notifying is: the request that a message becomes, and how an answer of success says that it failed. Pure; `send.ts` sends it. */
import type { NOTIFICATION_WAYS, PushWay, WayFieldName } from "../../../../contract/src/notification-ways.ts";
import { parseJson } from "../../util/json-read.ts";
import type { WebhookBody } from "../render.ts";

export interface PushRequest {
  /** POST where it is not said. */
  method?: "GET" | "POST";
  /** https. */
  url: string;
  headers: Readonly<Record<string, string>>;
  /** JSON; "" with GET. */
  body: string;
}

export interface PushAnswer {
  status: number;
  /** The beginning of the response body. */
  text: string;
}

/** Sends and reads the beginning of the response within 10 s; follows no redirect. Rejects with DeliveryFault. */
export type PostToPublic = (request: PushRequest) => Promise<PushAnswer>;

/** A notification in the forms that receivers take: plain text, and the JSON of a webhook. */
export interface PushMessage {
  title: string;
  text: string;
  webhook: WebhookBody;
}

type Table = typeof NOTIFICATION_WAYS;
type FieldValue<Field> = Field extends { kind: "integer" } ? number : string;
/** What the account entered, decrypted; "" for what it did not. */
export type WayValues<Way extends PushWay> = {
  readonly [Name in keyof Table[Way]]: FieldValue<Table[Way][Name]>;
};

/** A value that its vendor does not take. */
export interface WrongValue {
  field: WayFieldName;
  message: string;
}

export interface WayDefinition<Way extends PushWay> {
  /** The vendor's own rule for what was entered; undefined where it is right. */
  check?(values: WayValues<Way>): WrongValue | undefined;
  /** @param nowMs Unix milliseconds, for signatures. */
  request(message: PushMessage, values: WayValues<Way>, nowMs: number): PushRequest;
  /** The error in an answer of 2xx; undefined where it says that the message was taken. */
  refusal(answer: PushAnswer): string | undefined;
}

/** A POST of JSON. */
export const postJson = (url: string, body: object, headers: Readonly<Record<string, string>> = {}): PushRequest => ({
  url,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});

/** Title and text in one, for receivers without a title. */
export const wholeText = ({ title, text }: PushMessage): string => `${title}\n\n${text}`;

/** The longest beginning of whole letters that takes at most `bytes` in UTF-8. */
export function cutToBytes(text: string, bytes: number): string {
  const whole = Buffer.from(text);
  if (whole.length <= bytes) return text;
  let end = bytes - Buffer.byteLength("…");
  // A byte 10xxxxxx continues a letter.
  while (((whole[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${whole.toString("utf8", 0, end)}…`;
}

/** A field of a JSON object; undefined where the text is none. */
export function jsonField(text: string, name: string): unknown {
  const value = parseJson(text);
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}

/** The error of services that answer every request with success and a number: `good` in `codeField` means taken. */
export const refusalByCode =
  (codeField: string, messageField: string, good = 0) =>
  ({ text }: PushAnswer): string | undefined => {
    const code = jsonField(text, codeField);
    if (code === good) return undefined;
    const message = jsonField(text, messageField);
    return typeof message === "string" ? `${String(code)} ${message}` : text;
  };
