/** Sends a message by one of the ways: reads what the account entered, makes the request, posts it, and judges the answer. */
import {
  fieldsOfWay,
  type NotificationWay,
  type PushWay,
  type WayFieldName,
} from "../../../../contract/src/notification-ways.ts";
import { DeliveryFault } from "../delivery-fault.ts";
import { sealedContext, type StoredSetting } from "../user-setting.ts";
import { bark } from "./bark.ts";
import { dingtalk } from "./dingtalk.ts";
import { gotify } from "./gotify.ts";
import { lark } from "./lark.ts";
import { telegram } from "./telegram.ts";
import type {
  PostToPublic,
  PushAnswer,
  PushMessage,
  PushRequest,
  WayDefinition,
  WayValues,
  WrongValue,
} from "./way.ts";
import { webhook } from "./webhook.ts";
import { wecom } from "./wecom.ts";

const DEFINITIONS: { readonly [Way in PushWay]: WayDefinition<Way> } = {
  webhook,
  telegram,
  bark,
  gotify,
  lark,
  dingtalk,
  wecom,
};

type Decrypt = (cipher: string, context: string) => string;

/** What the account entered for a way, decrypted. @throws what `decrypt` throws where it was encrypted under another key */
export function valuesOfWay<Way extends PushWay>(
  way: Way,
  setting: StoredSetting,
  userId: number,
  decrypt: Decrypt,
): WayValues<Way> {
  const stored: Readonly<Record<string, unknown>> = setting;
  const valueOf = (name: WayFieldName, kind: string): unknown => {
    if (kind !== "secret" && kind !== "sealedAddress") return stored[name];
    const cipher = stored[`${name}_cipher`];
    return typeof cipher === "string" && cipher !== "" ? decrypt(cipher, sealedContext(userId, name)) : "";
  };
  // Names and kinds are those of the table that WayValues is made from.
  return Object.fromEntries(fieldsOfWay(way).map(([name, { kind }]) => [name, valueOf(name, kind)])) as WayValues<Way>;
}

/** The first required field of a way that the setting lacks. */
export function missingField(way: NotificationWay, setting: StoredSetting): WayFieldName | undefined {
  const stored: Readonly<Record<string, unknown>> = setting;
  const isMissing = (name: string, kind: string) =>
    stored[kind === "secret" || kind === "sealedAddress" ? `${name}_cipher` : name] === "";
  return fieldsOfWay(way).find(([name, { kind, isRequired }]) => isRequired === true && isMissing(name, kind))?.[0];
}

/** The refusal of the vendor's own rule; undefined where the values are right. */
export const wrongValueOf = <Way extends PushWay>(way: Way, values: WayValues<Way>): WrongValue | undefined =>
  DEFINITIONS[way].check?.(values);

/** Whether an answer took the message. @throws DeliveryFault webhook_status for anything but 2xx, receiver_refused for an error in its body */
function judge(answer: PushAnswer, refusal: string | undefined): void {
  if (answer.status < 200 || answer.status > 299)
    throw new DeliveryFault("webhook_status", `${answer.status} ${answer.text}`.trim());
  if (refusal !== undefined) throw new DeliveryFault("receiver_refused", refusal);
}

/** A part of an address this long may be a key. */
const KEY_LENGTH = 8;

/** The secrets among the values, and the parts of sealed addresses that may be keys. */
function secretsAmong(way: PushWay, values: Readonly<Record<string, unknown>>): string[] {
  const secrets = fieldsOfWay(way).flatMap(([name, { kind }]) => {
    const value = String(values[name]);
    if (kind === "secret") return value === "" ? [] : [value];
    if (kind !== "sealedAddress") return [];
    const { pathname = "", searchParams = new URLSearchParams() } = URL.parse(value) ?? {};
    return [value, ...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= KEY_LENGTH);
  });
  return secrets.toSorted((left, right) => right.length - left.length);
}

/** A receiver may repeat what it was sent: none of it is shown or stored. */
function answerWithout(secrets: readonly string[], { status, text }: PushAnswer): PushAnswer {
  return { status, text: secrets.reduce((shown, secret) => shown.replaceAll(secret, "***"), text) };
}

/** Sends one message. @param nowMs Unix milliseconds. @returns the receiver's response. @throws DeliveryFault, also what `post` throws */
export async function sendByWay<Way extends PushWay>(
  post: PostToPublic,
  { way, values, nowMs }: { way: Way; values: WayValues<Way>; nowMs: number },
  message: PushMessage,
): Promise<PushAnswer> {
  const definition: WayDefinition<Way> = DEFINITIONS[way];
  const request: PushRequest = definition.request(message, values, nowMs);
  if (URL.parse(request.url)?.protocol !== "https:")
    throw new DeliveryFault("address_refused", "The address has to begin with https://", { isFinal: true });
  const answer = answerWithout(secretsAmong(way, values), await post(request));
  judge(answer, definition.refusal(answer));
  return answer;
}
