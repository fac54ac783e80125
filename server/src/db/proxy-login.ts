/** Proxy credentials inside a channel's `setting.proxy`: encrypted at rest for one protocol, host and port, shown as `***`, decrypted for calls alone. */
import type { Kysely, Transaction } from "kysely";
import { parseObject } from "../util/json-read.ts";
import type { Database } from "./database.ts";
import type { Schema } from "./schema.ts";
import type { Secrets } from "./secrets.ts";
import { bumpVersion } from "./versions.ts";

/** Stands in place of user and password wherever a proxy's address is shown. */
const HIDDEN_LOGIN = "***";

/** A proxy's address as text: what comes before and behind the login, which ends at the last `@`. */
interface ProxyText {
  /** With `//`; "" where there is none. */
  scheme: string;
  /** Undefined where there is none. */
  login: string | undefined;
  place: string;
}

/** No user name is of this form: it is what `encrypt` gives. */
const SEALED = /^v1\.[0-9a-f]{8}\.[\w-]+$/;

const DEFAULT_PORTS: Readonly<Record<string, string>> = {
  "http:": "80",
  "https:": "443",
  "socks:": "1080",
  "socks5:": "1080",
  "socks5h:": "1080",
};

/** Takes any text: what is no address may hold a password all the same. */
function textOf(proxy: string): ProxyText {
  const end = proxy.lastIndexOf("@");
  if (end === -1) return { scheme: "", login: undefined, place: proxy };
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(proxy)?.[0] ?? "";
  return { scheme, login: proxy.slice(scheme.length, end), place: proxy.slice(end + 1) };
}

const joined = ({ scheme, login, place }: ProxyText): string =>
  `${scheme}${login === undefined ? "" : `${login}@`}${place}`;

/** Protocol, host and port, however they are written; the text itself where it is no address. */
function placeOf({ scheme, place }: ProxyText): string {
  const url = URL.parse(scheme + place);
  if (url === null || url.hostname === "") return scheme + place;
  const { protocol, hostname, port } = url;
  return `${protocol}//${hostname.toLowerCase()}:${port || (DEFAULT_PORTS[protocol] ?? "")}`;
}

/** Binds the credentials to their protocol, host and port, so that a write to the database cannot send them to another server. */
const contextOf = (text: ProxyText): string => `proxy:${placeOf(text)}`;

const isSealed = ({ login }: ProxyText): boolean => login !== undefined && SEALED.test(login);

/** A proxy's address for its row. `proxy` is in clear, whatever its login looks like. */
export function sealProxy(secrets: Secrets, proxy: string): string {
  const text = textOf(proxy);
  if (text.login === undefined) return proxy;
  return joined({ ...text, login: secrets.encrypt(text.login, contextOf(text)) });
}

/** A stored proxy's address in clear. Throws where its login was sealed with another key or for another place. */
export function openProxy(secrets: Secrets, stored: string): string {
  const text = textOf(stored);
  if (text.login === undefined || !isSealed(text)) return stored;
  return joined({ ...text, login: secrets.decrypt(text.login, contextOf(text)) });
}

/** A stored proxy's address as people see it. */
export function shownProxy(stored: string): string {
  const text = textOf(stored);
  return text.login === undefined ? stored : joined({ ...text, login: HIDDEN_LOGIN });
}

/**
 * What a stored proxy leads to, equal where two texts mean the same: sealing one login twice gives two texts. A login that cannot be
 * opened is the same as itself alone.
 */
export function meantByProxy(secrets: Secrets, stored: string): string {
  const text = textOf(stored);
  try {
    const { login } = textOf(openProxy(secrets, stored));
    return JSON.stringify([placeOf(text), login ?? ""]);
  } catch {
    return stored;
  }
}

/**
 * The proxy address to store, from an administrator who sees the stored one with `***`: `***` keeps the stored credentials for the same
 * protocol, host and port.
 * @returns undefined where `***`, or one half of it, stands for a login that is not stored for that place.
 */
export function sentProxy(secrets: Secrets, sent: string, stored: string): string | undefined {
  const text = textOf(sent);
  if (text.login === undefined) return sent;
  if (!text.login.split(":").includes(HIDDEN_LOGIN)) return sealProxy(secrets, sent);
  const known = textOf(stored);
  if (text.login !== HIDDEN_LOGIN || known.login === undefined || placeOf(known) !== placeOf(text)) return undefined;
  const kept = joined({ ...text, login: known.login });
  return isSealed(known) ? kept : sealProxy(secrets, kept);
}

/** The proxy in the text of a channel's setting, "" where there is none; a setting that cannot be read has none. */
export function proxyIn(setting: string): string {
  const proxy = parseObject(setting)?.["proxy"];
  return typeof proxy === "string" ? proxy : "";
}

/** The text of a channel's setting with what `change` makes of the proxy in it. One without a proxy is the same text. */
export function withProxy(setting: string, change: (proxy: string) => string): string {
  const fields = parseObject(setting);
  const proxy = fields?.["proxy"];
  return typeof proxy === "string" ? JSON.stringify({ ...fields, proxy: change(proxy) }) : setting;
}

/** Whether a login stands in clear in a stored setting, as versions before wrote it. */
export function hasPlainLogin(setting: string): boolean {
  const text = textOf(proxyIn(setting));
  return text.login !== undefined && !isSealed(text);
}

// At the start: logins of channels' proxies that an earlier version stored in clear are sealed.

/** Channels that are read, and at most written, in one piece. */
const CHANNELS_AT_ONCE = 200;

const settings = (queries: Kysely<Schema> | Transaction<Schema>) =>
  queries.selectFrom("channels").select(["id", "setting"]).where("setting", "!=", "").orderBy("id");

/** Seals those that are still in clear once every other writer of channels has committed; gives how many. */
function sealThese({ kysely }: Database, secrets: Secrets, ids: readonly number[]): Promise<number> {
  return kysely.transaction().execute(async (transaction) => {
    // For its lock alone: the channels stay what they are, so no process reads them again and no open form is out of date.
    await bumpVersion(transaction, "channels");
    const rows = await settings(transaction)
      .where("id", "in", [...ids])
      .execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting));
    for (const { id, setting } of plain) {
      const sealed = withProxy(setting, (proxy) => sealProxy(secrets, proxy));
      await transaction.updateTable("channels").set({ setting: sealed }).where("id", "=", id).execute();
    }
    return plain.length;
  });
}

/** Seals every login of a proxy that stands in clear; gives how many there were. Where there is none nothing is written. */
export async function sealStoredProxies(database: Database, secrets: Secrets): Promise<number> {
  let sealed = 0;
  for (let afterId = 0; ;) {
    const rows = await settings(database.kysely).where("id", ">", afterId).limit(CHANNELS_AT_ONCE).execute();
    const plain = rows.filter(({ setting }) => hasPlainLogin(setting)).map(({ id }) => id);
    if (plain.length > 0) sealed += await sealThese(database, secrets, plain);
    const last = rows.at(-1);
    if (last === undefined || rows.length < CHANNELS_AT_ONCE) return sealed;
    afterId = last.id;
  }
}
