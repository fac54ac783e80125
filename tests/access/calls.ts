/** A valid call of every endpoint that takes an id or a body, by `feature.name`: its object's owner, and what is sent. */
import type { AccessPerson } from "./people.ts";

/** Whose row, or which of the site's things, a call names; `none` where it names nothing. */
export type ObjectKind =
  | "user"
  | "token"
  | "session"
  | "accessToken"
  | "passkey"
  | "request"
  | "order"
  | "channel"
  | "provider"
  | "redemption"
  | "none";

export interface GoodCall {
  kind: ObjectKind;
  /** What is in the path besides the object's id. */
  params?: Readonly<Record<string, string>>;
  query?: string;
  /** @param id of the object @param token a value of this call alone, for names that must be new */
  body?: (id: number | string, token: string) => object;
}

/** The id by which a call names this user's object. */
export const OBJECT_ID = {
  user: ({ id }) => id,
  token: ({ tokenId }) => tokenId,
  session: ({ sessionId }) => sessionId,
  accessToken: ({ accessTokenId }) => accessTokenId,
  passkey: ({ passkeyId }) => passkeyId,
  request: ({ requestId }) => requestId,
  order: ({ orderId }) => orderId,
} as const satisfies Readonly<Record<string, (person: AccessPerson) => number | string>>;

export const isPeoples = (kind: ObjectKind): kind is keyof typeof OBJECT_ID => kind in OBJECT_ID;

/** Ids that nothing has. */
export const MISSING_ID: Readonly<Record<ObjectKind, number | string>> = {
  user: 987_654_321,
  token: 987_654_321,
  session: "no-such-session",
  accessToken: 987_654_321,
  passkey: "no-such-passkey",
  request: "no-such-request",
  order: 987_654_321,
  channel: 987_654_321,
  provider: 987_654_321,
  redemption: 987_654_321,
  none: 0,
};

const nothing: GoodCall = { kind: "none" };
const of = (kind: ObjectKind, body?: GoodCall["body"]): GoodCall => ({ kind, ...(body && { body }) });
const sends = (body: GoodCall["body"]): GoodCall => of("none", body);

const PROVIDER = {
  name: "Site",
  client_id: "client",
  authorization_endpoint: "https://id.example/authorize",
  token_endpoint: "https://id.example/token",
  user_info_endpoint: "https://id.example/user",
  is_enabled: false,
} as const;
const CHANNEL = {
  type: 1,
  name: "made",
  key: "sk-made",
  base_url: "http://127.0.0.1:9",
  models: "m",
  groups: ["default"],
};
const NO_PRICE = { ratios: {}, tools: {} };
const byIds = (id: number | string) => ({ ids: [id] });
const DAYS = "start_timestamp=1&end_timestamp=86401";

export const CALLS: Readonly<Record<string, GoodCall>> = {
  "setup.submitSetup": sends(() => ({ username: "r", password: "long enough", confirmPassword: "long enough" })),
  "sessions.login": sends((_, token) => ({ username: token, password: "wrong-password" })),
  "sessions.register": sends((_, token) => ({ username: `r${token.slice(0, 10)}`, password: "long enough" })),
  "sessions.acceptInvitation": sends(() => ({ token: "wrong", username: "invited", password: "long enough" })),
  "sessions.resetPassword": sends(() => ({ email: "a@b.example", token: "wrong" })),
  "sessions.sendEmailCode": { kind: "none", query: "email=a@b.example" },
  "sessions.sendEmailCodeByGet": { kind: "none", query: "email=a@b.example" },
  "sessions.requestReset": { kind: "none", query: "email=a@b.example" },
  "sessions.requestResetByGet": { kind: "none", query: "email=a@b.example" },
  "sessions.confirmPassword": sends(() => ({ password: "wrong-password" })),
  "configuration.planConfiguration": sends(() => ({ document: {} })),
  "configuration.applyConfiguration": sends(() => ({
    document: {},
    plan: { document: "", revisions: { options: "", identity_providers: "", channels: "" } },
  })),
  "configuration.listManaged": { kind: "none", query: "kind=option" },
  "identities.createState": sends(() => ({})),
  "identities.finish": { kind: "none", params: { type: "github" }, body: () => ({ code: "c", state: "s" }) },
  "identities.finishByGet": { kind: "none", params: { type: "github" }, query: "code=c&state=s" },
  "identities.wechatSignInByPost": sends(() => ({ code: "c" })),
  "identities.wechatBindByPost": sends(() => ({ code: "c" })),
  "identities.telegramSignInByPost": sends(() => ({ id: "1", auth_date: "1", hash: "h" })),
  "identities.telegramBindByPost": sends(() => ({ id: "1", auth_date: "1", hash: "h", state: "s" })),
  "identities.unbind": { kind: "none", params: { provider: "github" } },
  "identities.listBindingsOf": of("user"),
  "identities.unbindOf": { kind: "user", params: { type: "github" } },
  "identities.createProvider": sends((_, token) => ({
    ...PROVIDER,
    slug: `s${token.slice(0, 10)}`,
    client_secret: "s",
  })),
  "identities.updateProvider": of("provider", () => ({ ...PROVIDER })),
  "identities.testProvider": sends(() => ({ ...PROVIDER, slug: "tested", client_secret: "s" })),
  "identities.deleteProvider": of("provider"),
  "options.sendTestMail": sends(() => ({ to: "a@b.example" })),
  "options.testOptions": sends(() => ({ what: "epay", options: {} })),
  "options.discoverOidc": sends(() => ({ url: "no address" })),
  "options.getOptionHistory": { kind: "none", query: "key=Notice" },
  "options.updateOption": sends(() => ({ key: "SensitiveWords", value: "hello" })),
  "prices.dryRunPrices": sends(() => ({ days: 1 })),
  "prices.changePrices": sends((_id, token) => ({
    changes: [{ model: token, from: NO_PRICE, to: { ratios: { ModelRatio: "2" }, tools: {} } }],
  })),
  "prices.applyPrices": sends(() => ({
    changes: [],
    group_ratios: { "no-such-group": "1" },
    apply_time: 0,
  })),
  "prices.cancelPriceChange": { kind: "none", params: { id: "987654321" } },
  "prices.restorePriceVersion": { kind: "none", params: { id: "987654321" } },
  "prices.compareTables": sends(() => ({ tables: [{ key: "ImageRatio", value: "{}", revision: 0 }] })),
  "prices.replaceTables": sends(() => ({ tables: [{ key: "ImageRatio", value: "{}", revision: 0 }] })),
  "groups.listGroupUsage": nothing,
  "prices.undoPriceList": { kind: "none", params: { id: "987654321" } },
  "prices.compareSites": sends(() => ({ sites: [{ base_url: "http://127.0.0.1:9" }] })),
  "prices.acceptPriceList": sends((_id, token) => ({
    source: "https://prices.invalid/",
    base: token,
    lines: [{ provider: "openai", id: token, before_id: null, rule: null }],
  })),
  "tokens.createToken": sends(() => ({ name: "made", expired_time: -1, unlimited_quota: true })),
  "groups.createPrefillGroup": sends((_, token) => ({ name: `l${token.slice(0, 10)}`, type: "tag" })),
  "groups.updatePrefillGroup": of("none", (id) => ({ id, name: "renamed" })),
  "groups.deletePrefillGroup": of("none"),
  "tokens.getToken": of("token"),
  "tokens.updateToken": of("token", (id) => ({ id, name: "renamed" })),
  "tokens.deleteToken": of("token"),
  "tokens.createSetupLink": of("token", () => ({ program: "claude-code", shell: "sh", model: "m" })),
  "tokens.fetchSetup": of("none"),
  "tokens.batchTokens": of("token", (id) => ({ action: "disable", ids: [id] })),
  "tokens.getTokenKeys": of("token", (id) => ({ ids: [id] })),
  "redemptions.getRedemption": of("redemption"),
  "redemptions.createRedemptions": sends(() => ({ name: "made", quota: 1 })),
  "redemptions.updateRedemption": of("redemption", (id) => ({ id, name: "renamed" })),
  "redemptions.deleteRedemption": of("redemption"),
  "wallet.checkIn": sends(() => ({})),
  "redemptions.redeemCode": sends(() => ({ key: "no-such-code" })),
  "audit.revertAudit": of("none"),
  "logs.saveLogViews": sends(() => ({ views: [{ name: "made", search: {} }] })),
  "logs.deleteLogView": of("none"),
  "options.uploadSitePicture": sends(() => ({ data: "AAAA" })),
  "playground.createChatShare": sends(() => ({
    title: "made",
    chat: { lanes: [{ model: "m", messages: [{ role: "user", content: "made" }] }] },
  })),
  "playground.deleteChatShare": of("none"),
  "playground.readChatShare": of("none"),
  "users.getUser": of("user"),
  "users.createUser": sends((_, token) => ({ username: `c${token.slice(0, 10)}`, password: "long enough" })),
  "users.inviteUsers": sends((_, token) => ({ emails: [`i${token.slice(0, 10)}@people.example`] })),
  "users.listInvitations": { kind: "none" },
  "users.revokeInvitation": of("none"),
  "users.updateUser": of("user", (id) => ({ id, display_name: "Renamed" })),
  "users.manageUser": of("user", (id) => ({ id, action: "disable" })),
  "users.setPermissions": of("user", () => ({ permissions: ["logs"] })),
  "users.deleteUser": of("user"),
  "users.getPerson": of("user"),
  "users.seeAs": of("user"),
  "users.endSeeing": sends(() => ({})),
  "users.listTokensOf": of("user"),
  "users.listLedgerOf": of("user"),
  "users.listSessionsOf": of("user"),
  "users.listSecurityEventsOf": of("user"),
  "users.batchUsers": sends(() => ({ ids: [987_654_321], action: "disable" })),
  "routing.explainRoute": sends(() => ({ model: "m" })),
  "routing.explainPastRoute": { kind: "none", params: { request_id: "no-such-request" } },
  "channels.getChannel": of("channel"),
  "channels.getChannelOverview": of("channel"),
  "health.getChannelModelsHealth": of("channel"),
  "channels.createChannel": sends(() => CHANNEL),
  "channels.updateChannel": of("channel", (id) => ({ id, name: "renamed" })),
  "channels.deleteChannel": of("channel"),
  "channels.copyChannel": of("channel"),
  "channels.listChannelKeys": of("channel"),
  "channels.addChannelKeys": of("channel", () => ({ key: "sk-more" })),
  "channels.updateChannelKeys": of("channel", () => ({ key_choice: "in_turn" })),
  "channels.setChannelKeyStatuses": of("channel", () => ({ which: "all", status: 1 })),
  "channels.deleteChannelKeys": of("channel", () => ({ ids: [987_654_321] })),
  "channels.deleteChannels": of("channel", byIds),
  "channels.tagChannels": of("channel", (id) => ({ ids: [id], tag: "t" })),
  "channels.takeModelOff": of("channel", (id) => ({ ids: [id], model: "no-such-model" })),
  "channels.setChannelStatuses": of("channel", (id) => ({ ids: [id], status: 1 })),
  "channels.testChosenChannels": of("channel", byIds),
  "channels.testChannel": of("channel"),
  "channels.testChannelByGet": of("channel"),
  "channels.updateBalance": of("channel"),
  "channels.updateBalanceByGet": of("channel"),
  "channels.fetchChannelModels": of("channel"),
  "channels.readGateway": sends(() => ({ base_url: "http://127.0.0.1:9" })),
  "channels.manageKeys": of("channel", (id) => ({ channel_id: id, action: "get_key_status" })),
  "channels.getModelWatch": of("channel"),
  "channels.detectModels": of("channel", (id) => ({ id })),
  "channels.pullStoredModel": of("channel", () => ({ model: "no-such-model" })),
  "channels.deleteStoredModel": of("channel", () => ({ model: "no-such-model" })),
  "channels.applyModels": of("channel", (id) => ({ id })),
  "channels.fetchUpstreamModels": sends(() => ({ type: 1, base_url: "http://127.0.0.1:9", key: "k" })),
  "channels.listUnpricedModels": sends(() => ({ models: ["m"] })),
  "channels.weighChannel": sends(() => ({ priority: 0, models: ["m"], groups: ["default"] })),
  "channels.previewOverride": sends(() => ({ param_override: "{}", body: "{}" })),
  "channels.testChannelDraft": of("channel", (id) => ({ id })),
  "channels.getImpact": of("channel", (id) => ({ act: "disable_channels", ids: [id] })),
  "channels.enableTag": sends(() => ({ tag: "no-such-tag" })),
  "channels.disableTag": sends(() => ({ tag: "no-such-tag" })),
  "channels.updateTag": sends(() => ({ tag: "no-such-tag", priority: 1 })),
  "logs.getOwnReceipt": of("request"),
  "logs.getLogPerson": of("user"),
  "logs.listLogFacets": { kind: "none", query: "field=model" },
  "logs.listOwnLogFacets": { kind: "none", query: "field=model" },
  "logs.groupLogs": { kind: "none", query: "field=model" },
  "logs.groupOwnLogs": { kind: "none", query: "field=model" },
  "logs.startClear": sends(() => ({ target_timestamp: 1 })),
  "logs.deleteLogs": { kind: "none", query: "target_timestamp=1" },
  "logs.countOldLogs": { kind: "none", query: "target_timestamp=1" },
  "dashboard.listUsage": { kind: "none", query: DAYS },
  "dashboard.listOwnUsage": { kind: "none", query: DAYS },
  "factors.addPasskey": sends(() => ({ ticket: "t", name: "n", credential: {} })),
  "factors.passkeyLogin": sends(() => ({ ticket: "t", credential: {} })),
  "factors.secondStep": sends(() => ({ ticket: "t", code: "000000" })),
  "factors.confirmTotp": sends(() => ({ code: "000000" })),
  "factors.renamePasskey": of("passkey", () => ({ name: "renamed" })),
  "factors.removePasskey": of("passkey"),
  "factors.endOwnSession": of("session"),
  "factors.removeFactorsOf": of("user"),
  "status.acceptTerms": sends(() => ({ terms_version: "" })),
  "personal.updateSelf": sends(() => ({ display_name: "Renamed" })),
  "personal.makeAccessToken": sends(() => ({ name: "made", scope: "read" })),
  "personal.endAccessToken": of("accessToken"),
  "personal.transferRewards": sends(() => ({ quota: 500_000 })),
  "personal.sendOwnEmailCode": sends(() => ({ email: "a@b.example" })),
  "personal.bindEmail": sends((_, token) => ({ email: `${token.slice(0, 20)}@b.example`, code: "wrong" })),
  "personal.bindEmailByGet": { kind: "none", query: "email=wrong&code=wrong" },
  "system.requestBackup": sends(() => ({ destination: "folder" })),
  "notifications.retryMessage": { kind: "none", params: { id: "987654321" } },
  "wallet.priceAmount": sends(() => ({ amount: 1 })),
  "wallet.payAmount": sends(() => ({ amount: 1, payment_method: "zfb" })),
  "wallet.setAutoTopUp": sends(() => ({ enabled: false, threshold: 1, amount: 1, month_limit: "10.00" })),
  "wallet.getOwnOrder": of("order"),
  "wallet.checkOwnOrder": of("order"),
  "wallet.continueOrder": of("order"),
  "wallet.cancelOrder": of("order"),
  "wallet.getOrder": of("order"),
  "wallet.completeOrder": of("order", () => ({})),
  "personal.sendTestMessage": sends(() => ({})),
  "personal.updateSetting": sends(() => ({ notify_type: "email" })),
};

/** The call of an endpoint; one that takes neither id nor body needs no row above. */
export const callOf = (name: string): GoodCall => CALLS[name] ?? nothing;

/** Whether the endpoint takes an id or a body, and nothing above says which. */
export const lacksCall = (name: string, endpoint: { params?: unknown; body?: unknown }): boolean =>
  CALLS[name] === undefined && (endpoint.params !== undefined || endpoint.body !== undefined);
