/** HTTP handlers of sign-in with accounts of other sites, of linking them, and of named OpenID providers. */
import { AppError } from "../../../../contract/src/errors.ts";
import { isBuiltInWay } from "../../../../contract/src/ways-in.ts";
import { guard } from "../accounts/guesses.ts";
import { claimOnce } from "../accounts/one-time-codes.ts";
import { defineHandlers } from "../http/handlers.ts";
import { tooManyRequests } from "../http/envelope.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { bind, listBindings, listBindingsOf, unbind, unbindOf } from "./bindings.ts";
import { enter } from "./enter.ts";
import { beginFlow, redirectUriOf, takeFlow } from "./flow.ts";
import type { BegunFlow } from "./flow.ts";
import { testProvider } from "./named-test.ts";
import { createProvider, deleteProvider, listIdentityProviders, updateProvider } from "./named.ts";
import { checkedProfile } from "./providers/provider.ts";
import type { Profile } from "./providers/provider.ts";
import { CODE_PROVIDERS } from "./providers/registry.ts";
import { makeBotLink } from "../telegram-bot/link.ts";
import { telegramProfile } from "./providers/telegram.ts";
import type { TelegramFields } from "./providers/telegram.ts";
import { wechatProfile } from "./providers/wechat.ts";
import { codeProviderOf, refuseOff } from "./ways.ts";

interface Call {
  context: ConsoleContext;
  session: Session | undefined;
  request: RequestFacts;
}

type Begun = Call & { requireStepUp(): void };

async function createState(call: Begun, asked: { aff: string; provider: string; bind: boolean }) {
  const { context, session, request } = call;
  // Adding a way in needs a recent confirmation; guests are refused below.
  if (asked.bind && session !== undefined) call.requireStepUp();
  const { provider } = asked;
  const isPageless = isBuiltInWay(provider) && CODE_PROVIDERS[provider] === undefined;
  if (isPageless) refuseOff(context, provider);
  const site = provider === "" || isPageless ? undefined : await codeProviderOf(context, provider);
  const wanted = { provider, bind: asked.bind, inviteCode: asked.aff };
  const { flow, headers } = await beginFlow(context, wanted, session, request);
  const authorize_url = await site?.authorizeUrl(context, flow);
  return { data: flow.state, extra: authorize_url === undefined ? {} : { authorize_url }, headers };
}

interface SentCallback {
  code: string;
  /** What DingTalk calls the code. */
  authCode: string;
  state: string;
  iss: string;
  error: string;
}

async function finish(call: Call, provider: string, sent: SentCallback) {
  const { context, session, request } = call;
  const begun = await takeFlow(context, { state: sent.state, provider }, session, request);
  const site = await codeProviderOf(context, provider);
  const code = sent.code || sent.authCode;
  if (sent.error !== "" || code === "") throw new AppError("identity_failed");
  const redirectUri = begun.redirectUri || redirectUriOf(context, request, provider);
  const flow = { state: sent.state, verifier: begun.verifier, nonce: begun.nonce, redirectUri };
  const profile = checkedProfile(await site.profile(context, flow, { code, iss: sent.iss }));
  if (begun.bindUserId !== 0 && session !== undefined) return bound(call, session, provider, profile);
  return enter(context, { way: provider, profile, inviteCode: begun.inviteCode, mayRegister: true }, request);
}

async function bound({ context, request }: Call, session: Session, way: string, profile: Profile) {
  await bind(context, { session, request }, way, profile);
  return { message: "bind", data: undefined };
}

/** Codes that stand in line at once, each for up to five seconds while the WeChat server is silent; more are refused with 429. */
const MOST_WECHAT_CODES = 10;
const WECHAT_WAIT_SECONDS = 5;
const wechatCodes = new WeakMap<object, number>();

/** Bounds how many wait for the WeChat server in this process. Throws AppError too_many_requests. */
async function amongFew<Result>({ cache }: ConsoleContext, work: () => Promise<Result>): Promise<Result> {
  const open = wechatCodes.get(cache) ?? 0;
  if (open >= MOST_WECHAT_CODES) throw tooManyRequests(WECHAT_WAIT_SECONDS);
  wechatCodes.set(cache, open + 1);
  try {
    return await work();
  } finally {
    wechatCodes.set(cache, (wechatCodes.get(cache) ?? 1) - 1);
  }
}

/**
 * The profile of a code. It names no account, and the first to show it signs in as the person who asked for it: so guesses of all networks count together,
 * however known the network is.
 */
async function wechatProof({ context, request }: Call, code: string): Promise<Profile> {
  const guess = { kind: "wechat_code", account: "", ip: request.ip, claim: request.claim } as const;
  const profile = await amongFew(context, () => guard(context, guess, () => wechatProfile(context, code)));
  if (profile === undefined) throw new AppError("identity_code_wrong", { field: "code" });
  return checkedProfile(profile);
}

interface SentWechat {
  code: string;
  aff: string;
  state: string;
}

/** @param needsState false for the form of older clients: their page has none, but it has to be a page of this site. */
async function wechatSignIn(call: Call, { code, aff, state }: SentWechat, needsState: boolean) {
  const { context, session, request } = call;
  refuseOff(context, "wechat");
  if (code.trim() === "") throw new AppError("identity_code_wrong", { field: "code" });
  if (state !== "" || needsState)
    refuseBinding(await takeFlow(context, { state, provider: "wechat" }, session, request));
  else if (!request.isOwnPage) throw new AppError("oauth_state_invalid", { field: "state" });
  const profile = await wechatProof(call, code);
  return enter(context, { way: "wechat", profile, inviteCode: aff, mayRegister: true }, request);
}

async function wechatBind(call: Call & { session: Session }, { code }: { code: string }) {
  refuseOff(call.context, "wechat");
  if (code.trim() === "") throw new AppError("identity_code_wrong", { field: "code" });
  await bind(call.context, call, "wechat", await wechatProof(call, code));
  return {};
}

type SentTelegram = TelegramFields & { state: string };

/** What the widget gave counts once, for whatever it is shown first. */
async function telegramProof(context: ConsoleContext, { state: _state, ...fields }: SentTelegram): Promise<Profile> {
  refuseOff(context, "telegram");
  const now = Math.floor(context.clock() / 1000);
  const profile = checkedProfile(telegramProfile(context.snapshot.options.TelegramBotToken, fields, now));
  const isFirst = await claimOnce(context, { purpose: "telegram", secret: fields.hash.toLowerCase(), now });
  if (!isFirst) throw new AppError("identity_failed");
  return profile;
}

async function telegramSignIn(call: Call, sent: SentTelegram) {
  const { context, session, request } = call;
  // Programs may do without a state; the console's own page never does.
  if (sent.state !== "") refuseBinding(await takeTelegram(call, sent.state, session));
  const profile = await telegramProof(context, sent);
  return enter(context, { way: "telegram", profile, inviteCode: "", mayRegister: false }, request);
}

const takeTelegram = ({ context, request }: Call, state: string, session: Session | undefined): Promise<BegunFlow> =>
  takeFlow(context, { state, provider: "telegram" }, session, request);

function refuseBinding({ bindUserId }: BegunFlow): void {
  if (bindUserId !== 0) throw new AppError("oauth_state_invalid", { field: "state" });
}

/** The state says that this browser began it for this account: another site may lead here, but not with a state of its own. */
async function telegramBind(call: Call, sent: SentTelegram): Promise<void> {
  const { context, session, request } = call;
  const { bindUserId } = await takeTelegram(call, sent.state, session);
  if (bindUserId === 0 || session === undefined) throw new AppError("oauth_state_invalid", { field: "state" });
  await bind(context, { session, request }, "telegram", await telegramProof(context, sent));
}

export const identitiesHandlers = defineHandlers("identities", {
  createStateByGet: (call) => createState(call, call.query),
  createState: (call) => createState(call, call.body),
  finishByGet: (call) => finish(call, call.params.type, call.query),
  finish: (call) => finish(call, call.params.type, call.body),
  wechatSignInByGet: (call) => wechatSignIn(call, call.query, false),
  wechatSignInByPost: (call) => wechatSignIn(call, call.body, true),
  wechatBindByGet: (call) => wechatBind(call, call.query),
  wechatBindByPost: (call) => wechatBind(call, call.body),
  telegramSignInByGet: (call) => telegramSignIn(call, call.query),
  telegramSignInByPost: (call) => telegramSignIn(call, call.body),
  async telegramBindByGet(call) {
    await telegramBind(call, call.query);
    return { location: "/personal/security" };
  },
  async telegramBindByPost(call) {
    await telegramBind(call, call.body);
    return { message: "bind" };
  },
  makeTelegramLink: async ({ context, session }) => ({ data: await makeBotLink(context, session) }),
  listBindings: async ({ context, session }) => ({ data: await listBindings(context, session.user.id) }),
  async unbind({ context, session, request, params }) {
    await unbind(context, { session, request }, params.provider);
    return {};
  },
  listBindingsOf: async ({ context, params, ...actor }) => ({ data: await listBindingsOf(context, actor, params.id) }),
  async unbindOf({ context, params, query, ...actor }) {
    await unbindOf(context, actor, { userId: params.id, way: params.type, isLastMeant: query.last });
    return {};
  },
  listIdentityProviders: async ({ context }) => ({ data: await listIdentityProviders(context) }),
  createProvider: async ({ context, body, ...actor }) => ({ data: await createProvider(context, actor, body) }),
  updateProvider: async ({ context, params, body, ...actor }) => ({
    data: await updateProvider(context, actor, params.id, body),
  }),
  testProvider: async ({ context, request, body }) => ({ data: await testProvider(context, request, body) }),
  async deleteProvider({ context, params, ...actor }) {
    await deleteProvider(context, actor, params.id);
    return {};
  },
});
