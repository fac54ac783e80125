/** The ways in which a notice reaches an account: what is entered for each of them. The form, the rules and the stored setting read this table. */

/**
 * What a field is. `address`: an https address that its owner sees again. `sealedAddress`: one with a key in it, stored encrypted and shown
 * masked. `secret`: stored encrypted, never shown; a blank one keeps the stored one. `integer`: from `least` to `most`.
 */
export type WayFieldKind = "email" | "address" | "sealedAddress" | "secret" | "text" | "integer";

export interface WayField {
  kind: WayFieldKind;
  /** Most characters; of an integer its largest value. */
  most: number;
  least?: number;
  /** The value of an integer that was never entered. */
  otherwise?: number;
  isRequired?: true;
  /** The address that a secret is sent to: another address clears the secret, so that it never goes to a place it was not entered for. */
  goesTo?: string;
  /** Shown in the empty field. */
  example?: string;
}

const ADDRESS_MAX = 2000;
const SECRET_MAX = 500;

/** The ways by their names on the wire; email, webhook, bark and gotify with their fields are those of this API family. */
export const NOTIFICATION_WAYS = {
  email: { notification_email: { kind: "email", most: 254 } },
  webhook: {
    webhook_url: { kind: "address", most: ADDRESS_MAX, isRequired: true, example: "https://" },
    webhook_secret: { kind: "secret", most: SECRET_MAX, goesTo: "webhook_url" },
  },
  telegram: {
    telegram_bot_token: { kind: "secret", most: SECRET_MAX, isRequired: true, example: "123456789:AA…" },
    telegram_chat_id: { kind: "text", most: 64, isRequired: true, example: "123456789" },
  },
  bark: {
    bark_url: { kind: "sealedAddress", most: ADDRESS_MAX, isRequired: true, example: "https://api.day.app/…" },
  },
  gotify: {
    gotify_url: { kind: "address", most: ADDRESS_MAX, isRequired: true, example: "https://gotify.example.com" },
    gotify_token: { kind: "secret", most: SECRET_MAX, isRequired: true, goesTo: "gotify_url" },
    gotify_priority: { kind: "integer", least: 0, most: 10, otherwise: 5 },
  },
  lark: {
    lark_url: {
      kind: "sealedAddress",
      most: ADDRESS_MAX,
      isRequired: true,
      example: "https://open.feishu.cn/open-apis/bot/v2/hook/…",
    },
    lark_secret: { kind: "secret", most: SECRET_MAX, goesTo: "lark_url" },
  },
  dingtalk: {
    dingtalk_url: {
      kind: "sealedAddress",
      most: ADDRESS_MAX,
      isRequired: true,
      example: "https://oapi.dingtalk.com/robot/send?access_token=…",
    },
    dingtalk_secret: { kind: "secret", most: SECRET_MAX, goesTo: "dingtalk_url" },
  },
  wecom: {
    wecom_url: {
      kind: "sealedAddress",
      most: ADDRESS_MAX,
      isRequired: true,
      example: "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=…",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, WayField>>>>;

type Ways = typeof NOTIFICATION_WAYS;
export type NotificationWay = keyof Ways;
/** Every way but email, which has no request of its own. */
export type PushWay = Exclude<NotificationWay, "email">;
/** Names of the fields of a way, of any way where none is named. */
export type WayFieldName<Way extends NotificationWay = NotificationWay> = {
  [Name in Way]: keyof Ways[Name] & string;
}[Way];

export const isNotificationWay = (text: string): text is NotificationWay => Object.hasOwn(NOTIFICATION_WAYS, text);
export const NOTIFICATION_WAY_NAMES: readonly NotificationWay[] =
  Object.keys(NOTIFICATION_WAYS).filter(isNotificationWay);

/** The fields of a way, in the order of its form. */
export const fieldsOfWay = (way: NotificationWay): readonly [WayFieldName, WayField][] =>
  // The keys of the table are the names of its type.
  Object.entries(NOTIFICATION_WAYS[way]) as [WayFieldName, WayField][];

/** The fields of all ways. */
export const WAY_FIELDS: readonly [WayFieldName, WayField][] = NOTIFICATION_WAY_NAMES.flatMap((way) =>
  fieldsOfWay(way),
);

/** Stands for the part of an address that is not shown. */
export const ADDRESS_MASK = "…";
const SHOWN_END = 4;

/** `https://open.feishu.cn/…a1b2`: enough to know it again. @param address one that URL can parse */
export const maskAddress = (address: string): string =>
  `${URL.parse(address)?.origin ?? ""}/${ADDRESS_MASK}${address.slice(-SHOWN_END)}`;
