/** Signing in with accounts of other sites, binding them, and the named OpenID providers over HTTP. */
import { AppError } from "../../../../contract/src/errors.ts";
import { claimOnce } from "../accounts/one-time-codes.ts";
import { defineHandlers } from "../http/handlers.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";
import { bind, listBindings, unbind } from "./bindings.ts";
import { enter } from "./enter.ts";
import { beginFlow, redirectUriOf, takeFlow } from "./flow.ts";
import type { BegunFlow } from "./flow.ts";
import { createProvider, deleteProvider, listIdentityProviders, updateProvider } from "./named.ts";
import { checkedProfile } from "./providers/provider.ts";
import type { Profile } from "./providers/provider.ts";
import { telegramProfile } from "./providers/telegram.ts";
import type { TelegramFields } from "./providers/telegram.ts";
import { wechatProfile } from "./providers/wechat.ts";
import { codeProviderOf, refuseOff } from "./ways.ts";

interface Call {
  context: ConsoleContext;
  session: Session | undefined;
  request: RequestFacts;
}

async function createState(call: Call, asked: { aff: string; provider: string; bind: boolean }) {
  const { context, session, request } = call;
  const { provider } = asked;
  if (provider === "telegram") refuseOff(context, "telegram");
  const site = provider === "" || provider === "telegram" ? undefined : await codeProviderOf(context, provider);
  const wanted = { provider, bind: asked.bind, inviteCode: asked.aff };
  const { flow, headers } = await beginFlow(context, wanted, session, request);
  const authorize_url = await site?.authorizeUrl(context, flow);
  return { data: flow.state, extra: authorize_url === undefined ? {} : { authorize_url }, headers };
}

interface SentCallback {
  code: string;
  state: string;
  iss: string;
  error: string;
}

async function finish(call: Call, provider: string, sent: SentCallback) {
  const { context, session, request } = call;
  const begun = await takeFlow(context, { state: sent.state, provider }, session, request);
  const site = await codeProviderOf(context, provider);
  if (sent.error !== "" || sent.code === "") throw new AppError("identity_failed");
  const redirectUri = begun.redirectUri || redirectUriOf(context, request, provider);
  const flow = { state: sent.state, verifier: begun.verifier, nonce: begun.nonce, redirectUri };
  const profile = checkedProfile(await site.profile(context, flow, { code: sent.code, iss: sent.iss }));
  if (begun.bindUserId !== 0 && session !== undefined) return bound(call, session, provider, profile);
  return enter(context, { way: provider, profile, inviteCode: begun.inviteCode, mayRegister: true }, request);
}

async function bound({ context, request }: Call, session: Session, way: string, profile: Profile) {
  await bind(context, { session, request }, way, profile);
  return { message: "bind", data: undefined };
}

async function wechatSignIn({ context, request }: Call, { code, aff }: { code: string; aff: string }) {
  refuseOff(context, "wechat");
  const profile = checkedProfile(await wechatProfile(context, code));
  return enter(context, { way: "wechat", profile, inviteCode: aff, mayRegister: true }, request);
}

async function wechatBind(call: Call & { session: Session }, { code }: { code: string }) {
  refuseOff(call.context, "wechat");
  const profile = checkedProfile(await wechatProfile(call.context, code));
  await bind(call.context, call, "wechat", profile);
  return {};
}

type SentTelegram = TelegramFields & { state: string };

/** What the widget gave counts once, for whatever it is shown first. */
async function telegramProof(context: ConsoleContext, { state: _state, ...fields }: SentTelegram): Promise<Profile> {
  refuseOff(context, "telegram");
  const now = Math.floor(context.clock() / 1000);
  const profile = telegramProfile(context.snapshot.options.TelegramBotToken, fields, now);
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
  wechatSignInByGet: (call) => wechatSignIn(call, call.query),
  wechatSignInByPost: (call) => wechatSignIn(call, call.body),
  wechatBindByGet: (call) => wechatBind(call, call.query),
  wechatBindByPost: (call) => wechatBind(call, call.body),
  telegramSignInByGet: (call) => telegramSignIn(call, call.query),
  telegramSignInByPost: (call) => telegramSignIn(call, call.body),
  async telegramBindByGet(call) {
    await telegramBind(call, call.query);
    return { location: "/personal" };
  },
  async telegramBindByPost(call) {
    await telegramBind(call, call.body);
    return { message: "bind" };
  },
  listBindings: async ({ context, session }) => ({ data: await listBindings(context, session.user.id) }),
  async unbind({ context, session, request, params }) {
    await unbind(context, { session, request }, params.provider);
    return {};
  },
  listIdentityProviders: async ({ context }) => ({ data: await listIdentityProviders(context) }),
  createProvider: async ({ context, body, ...actor }) => ({ data: await createProvider(context, actor, body) }),
  updateProvider: async ({ context, params, body, ...actor }) => ({
    data: await updateProvider(context, actor, params.id, body),
  }),
  async deleteProvider({ context, params, ...actor }) {
    await deleteProvider(context, actor, params.id);
    return {};
  },
});
