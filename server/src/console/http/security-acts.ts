/** Which console calls are security events: actions by endpoint, refusals by error code. Wrong guesses and sign-ins are recorded where they happen. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { ErrorCode } from "../../../../contract/src/error-codes.ts";
import { isOptionName, optionDefinition } from "../../../../contract/src/options/options.ts";
import type { SecurityEvent } from "../../../../contract/src/security-events.ts";
import { type JsonFields, objectOf, textOf } from "../../util/json-read.ts";
import type { AnyAnswer, ConsoleContext, HandlerInput } from "./handlers.ts";

type Noted = Pick<SecurityEvent, "kind"> & Partial<Pick<SecurityEvent, "userId" | "way" | "reason">>;
/** `data` is what the call answered. */
type Act = (call: { params: JsonFields; body: JsonFields; data: unknown }) => Noted | undefined;

const simply =
  (noted: Noted): Act =>
  () =>
    noted;
const idOf = (value: unknown): number => (typeof value === "number" ? value : 0);

function profileChange({ body }: { body: JsonFields }): Noted | undefined {
  if (textOf(body["password"]) !== "") return { kind: "password_changed" };
  return textOf(body["username"]) === "" ? undefined : { kind: "username_changed" };
}

/** Options that the super administrator alone may set: secrets, and what decides about signing in, mail, payments and addresses. */
function optionChange({ body }: { body: JsonFields }): Noted | undefined {
  const key = textOf(body["key"]);
  return isOptionName(key) && optionDefinition(key).owner === "root"
    ? { kind: "option_changed", reason: key }
    : undefined;
}

const LOGGED_OUT = simply({ kind: "signed_out" });
const TOKEN_MADE = simply({ kind: "access_token_made" });
const EMAIL_CHANGED = simply({ kind: "email_changed" });
const ofOtherUser =
  (reason: string): Act =>
  ({ params, body }) => ({
    kind: "account_changed",
    userId: idOf(params["id"]) || idOf(body["id"]),
    reason: textOf(body["action"]) || reason,
  });

/** An identity provider of the site, by its number. */
const provider =
  (what: string): Act =>
  ({ params, data }) => ({
    kind: "provider_changed",
    reason: `${what} ${idOf(params["id"]) || idOf(objectOf(data)["id"])}`,
  });

/** Keys of a channel, by its number. */
const channelKey =
  (what: string): Act =>
  ({ params }) => ({ kind: "channel_key_changed", reason: `${what} ${idOf(params["id"])}` });

/** The answer lists their numbers. */
const madeChannels: Act = ({ data }) => ({
  kind: "channel_key_changed",
  reason: `made ${Array.isArray(data) ? data.map(idOf).join(", ") : ""}`,
});

const updatedChannelKey: Act = ({ body }) =>
  textOf(body["key"]) === "" ? undefined : { kind: "channel_key_changed", reason: `set ${idOf(body["id"])}` };

/** A stolen session could hide behind it where calls come from. */
const settingChange: Act = ({ body }) =>
  typeof body["record_ip_log"] === "boolean"
    ? { kind: "call_addresses_changed", reason: body["record_ip_log"] ? "kept" : "left out" }
    : undefined;

function tokenBatch({ body }: { body: JsonFields }): Noted {
  return { kind: body["action"] === "delete" ? "token_deleted" : "token_changed" };
}

/** By feature and name of the endpoint; recorded where it succeeded. */
export const ACTS: Readonly<Record<string, Act>> = {
  "sessions.logout": LOGGED_OUT,
  "sessions.logoutByGet": LOGGED_OUT,
  "personal.updateSelf": profileChange,
  "personal.updateSetting": settingChange,
  "personal.bindEmail": EMAIL_CHANGED,
  "personal.bindEmailByGet": EMAIL_CHANGED,
  "personal.makeAccessToken": TOKEN_MADE,
  "personal.createAccessToken": TOKEN_MADE,
  "personal.createAccessTokenByGet": TOKEN_MADE,
  "personal.endAccessToken": simply({ kind: "access_token_ended" }),
  "personal.deleteSelf": simply({ kind: "account_deleted" }),
  "factors.confirmTotp": simply({ kind: "factor_added", way: "totp" }),
  "factors.disableTotp": simply({ kind: "factor_removed", way: "totp" }),
  "factors.addPasskey": simply({ kind: "factor_added", way: "passkey" }),
  "factors.removePasskey": simply({ kind: "factor_removed", way: "passkey" }),
  "factors.renewRecoveryCodes": simply({ kind: "recovery_codes_made" }),
  "factors.endOwnSession": simply({ kind: "sessions_ended", reason: "one" }),
  "factors.endOtherSessions": simply({ kind: "sessions_ended", reason: "others" }),
  "factors.removeFactorsOf": ofOtherUser("factors"),
  "identities.unbind": ({ params }) => ({ kind: "identity_unbound", way: textOf(params["provider"]) }),
  "identities.unbindOf": ({ params }) => ({
    kind: "identity_unbound",
    userId: idOf(params["id"]),
    way: textOf(params["type"]),
  }),
  "identities.createProvider": provider("made"),
  "identities.updateProvider": provider("changed"),
  "identities.deleteProvider": provider("deleted"),
  "wallet.setAutoTopUp": ({ body }) => ({
    kind: "auto_top_up_changed",
    reason: body["enabled"] === true ? "on" : "off",
  }),
  "wallet.removeCard": simply({ kind: "card_removed", way: "stripe" }),
  "tokens.createToken": simply({ kind: "token_made" }),
  "tokens.updateToken": simply({ kind: "token_changed" }),
  "tokens.deleteToken": simply({ kind: "token_deleted" }),
  "tokens.batchTokens": tokenBatch,
  "tokens.createSetupLink": ({ params, body }) => ({
    kind: "setup_link_made",
    reason: `${textOf(body["program"])}, token ${idOf(params["id"])}`,
  }),
  "channels.createChannel": madeChannels,
  "channels.updateChannel": updatedChannelKey,
  "channels.addChannelKeys": channelKey("added"),
  "channels.deleteChannelKeys": channelKey("deleted"),
  "channels.copyChannel": ({ params, data }) => ({
    kind: "channel_key_copied",
    reason: `${idOf(params["id"])} to ${idOf(objectOf(data)["id"])}`,
  }),
  "users.createUser": ({ data }) => ({ kind: "account_made", userId: idOf(objectOf(data)["id"]) }),
  "users.updateUser": ofOtherUser("update"),
  "users.manageUser": ofOtherUser("manage"),
  "users.deleteUser": ofOtherUser("delete"),
  "users.seeAs": ({ params }) => ({ kind: "account_seen", userId: idOf(params["id"]) }),
  "users.setPermissions": ofOtherUser("permissions"),
  "playground.createChatShare": simply({ kind: "chat_shared" }),
  "playground.deleteChatShare": simply({ kind: "chat_share_removed" }),
  "options.updateOption": optionChange,
};

/** Records an act that was done. `name` is `<feature>.<endpoint>`. */
export function recordAct(
  name: string,
  { context, session, params, body, request }: HandlerInput,
  { data }: Pick<AnyAnswer, "data">,
): void {
  const noted = ACTS[name]?.({ params: objectOf(params), body: objectOf(body), data });
  if (noted === undefined) return;
  const caller = (session as { user: { id: number } } | undefined)?.user.id ?? 0;
  const userId = noted.userId ?? caller;
  const { ip, requestId } = request;
  context.recordSecurityEvent({ ...noted, userId, ...(userId === caller ? {} : { actorId: caller }), ip, requestId });
}

/** By error code: what the caller may not do at all, where it came from, and ways of signing in that count no guesses. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, SecurityEvent["kind"]>>> = {
  permission_denied: "role_refused",
  permission_withheld: "role_refused",
  user_banned: "role_refused",
  user_role_not_lower: "account_refused",
  user_is_root: "account_refused",
  only_root_promotes: "account_refused",
  option_of_root: "option_refused",
  session_required: "access_token_refused",
  access_token_scope: "access_token_refused",
  channel_key_needed: "channel_key_refused",
  cross_site: "foreign_request_refused",
  user_header_wanted: "foreign_request_refused",
  passkey_refused: "sign_in_failed",
  identity_failed: "sign_in_failed",
  oauth_state_invalid: "sign_in_failed",
  reset_link_invalid: "code_failed",
};

/** Codes of status 403 that are no events where a session meets them, with the reason. */
export const UNRECORDED: Readonly<Partial<Record<ErrorCode, string>>> = {
  step_up_required:
    "a session that asks is led to the confirmation, whose failures are events; an access token's is recorded",
  password_change_needed: "pages ask what they show before the owner has chosen a password",
  terms_needed:
    "pages ask what they show before the owner has accepted the texts, and forms are sent without the check",
  second_factor_needed: "pages ask what they show before the owner has set a factor up",
  view_read_only:
    "pages ask what they show and buttons stay where an administrator sees them as a person does: the view itself is an event",
  view_ended: "the page asks on until it leads back to the administrator",
  configuration_tokens_off: "scripts ask at will, and the option is off for every token alike",
  chat_share_off: "the page offers no link while the option is off for every account alike",
  ratio_config_off: "sites that compare prices ask at will, and the list is off for every caller alike",
};

/** The object of a refused call. */
export interface RefusedCall {
  /** `<feature>.<endpoint>`: never the address that was asked for. */
  name: string;
  /** The user of the call's session or access token; 0 for an anonymous caller. */
  userId: number;
  /** It came with an access token. */
  isByToken: boolean;
  /** As the endpoint's schemas gave them; undefined where it was refused before they were read. */
  sent: { params: unknown; body: unknown } | undefined;
  ip: string;
  requestId: string;
}

export function refusalKind(code: ErrorCode, isByToken: boolean): SecurityEvent["kind"] | undefined {
  // It confirms nothing, so it was no slip of its owner's.
  if (code === "step_up_required" && isByToken) return "access_token_refused";
  return REFUSALS[code];
}

/** Kinds that say how a way of signing in failed; the others say what was wanted. */
const BY_CODE: ReadonlySet<string> = new Set(["sign_in_failed", "code_failed"]);

/** Records a refusal: one about another user's account, as a row of that account. */
export function recordRefusal(context: ConsoleContext, error: unknown, call: RefusedCall): void {
  if (!(error instanceof AppError)) return;
  const { name, userId, isByToken, sent, ip, requestId } = call;
  const kind = refusalKind(error.code, isByToken);
  if (kind === undefined) return;
  const fields = { params: objectOf(sent?.params), body: objectOf(sent?.body), data: undefined };
  const about = kind === "account_refused" ? ACTS[name]?.(fields) : undefined;
  const target = about?.userId ?? 0;
  const key = textOf(fields.body["key"]);
  const reason = kind === "option_refused" && isOptionName(key) ? key : (about?.reason ?? name);
  const whose = target === 0 || target === userId ? { userId } : { userId: target, actorId: userId };
  context.recordSecurityEvent({ kind, ...whose, ip, reason: BY_CODE.has(kind) ? error.code : reason, requestId });
}
