/** Tests of settings as they are typed, before they are saved: a mail, the ways of signing in at other sites, the gateways of payments, and a search of the web. */
import type { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  type OptionTestName,
  type optionTestQuestion,
  type OptionTestStep,
} from "../../../../contract/src/options/option-tests.ts";
import { OPTION_TESTS } from "../../../../contract/src/options/tested-options.ts";
import { type BuiltInWay, WAYS } from "../../../../contract/src/ways-in.ts";
import {
  isOptionName,
  optionDefinition,
  type OptionName,
  type OptionValues,
} from "../../../../contract/src/options/options.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, RequestFacts } from "../http/handlers.ts";
import { redirectUriOf } from "../identities/flow.ts";
import { NO_CODE } from "../identities/providers/client-test.ts";
import { textOf } from "../identities/providers/http.ts";
import { CODE_PROVIDERS } from "../identities/providers/registry.ts";
import { askWechatServer } from "../identities/providers/wechat.ts";
import type { ConfirmingActor } from "../kit/audit.ts";
import { failed, ofError, passed, withoutSecrets } from "../kit/test-steps.ts";
import { askBot } from "../telegram-bot/bot-api.ts";
import { callAlipay, requestFields } from "../wallet/alipay/client.ts";
import { signsItself } from "../wallet/epay.ts";
import { stripeApi } from "../wallet/stripe/client.ts";
import { callWechat } from "../wallet/wechat/client.ts";
import { authorizationOf } from "../wallet/wechat/signature.ts";
import { checkedAddress } from "./site-checks.ts";

type Question = z.output<typeof optionTestQuestion>;

/** The values of a test, and whether any of them was typed. */
interface Tested {
  values: OptionValues;
  isTyped: boolean;
}

/** Reads a typed text. Throws AppError option_invalid, naming the option. */
function readTyped(name: OptionName, text: string): unknown {
  try {
    return optionDefinition(name).read(text).value;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new AppError("option_invalid", { message: error.message, field: name, cause: error });
  }
}

/**
 * The stored options with the typed ones in their place, all of one state of the options, so that no secret of one goes to an address of
 * another. Throws AppError option_unknown, option_invalid, and option_secret_needed where a stored secret would go elsewhere.
 */
function testedOptions(stored: OptionValues, what: OptionTestName, sent: Question["options"]): Tested {
  const test = OPTION_TESTS[what];
  const known: readonly string[] = test.options;
  const typed = new Map<OptionName, unknown>();
  for (const [name, text] of Object.entries(sent)) {
    if (!isOptionName(name) || !known.includes(name)) throw new AppError("option_unknown", { field: name });
    typed.set(name, readTyped(name, text));
  }
  const isMoved = test.places.some((name) => typed.has(name) && typed.get(name) !== stored[name]);
  const kept = test.secrets.find((name) => !typed.has(name) && stored[name] !== "");
  if (isMoved && kept !== undefined) throw new AppError("option_secret_needed", { field: kept });
  // A secret that is typed is one of its own, even where it is the stored one: what that is must not be found out by trying.
  const isTyped = [...typed].some(([name, value]) => optionDefinition(name).isSecret || value !== stored[name]);
  return { values: { ...stored, ...Object.fromEntries(typed) }, isTyped };
}

/** The same context with these options in force, for this caller alone. */
function withOptions(context: ConsoleContext, options: OptionValues): ConsoleContext {
  const snapshot = Object.create(context.snapshot, { options: { value: options, enumerable: true } });
  return { ...context, snapshot };
}

/** No order has this number. */
const NO_ORDER = "turnpike-settings-test";

async function testMail(context: ConsoleContext, { session, request }: ConfirmingActor, to: string) {
  const { user } = session;
  try {
    const answer = await context.deliver({
      userId: user.id,
      method: "email",
      recipient: checkedAddress(to),
      mailOptions: context.snapshot.options,
      language: request.language,
      code: "mail_test",
      values: { username: user.username },
      time: nowSeconds(context.clock),
    });
    return [passed("mail", answer)];
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    return [failed("mail", error.kind, error.detail)];
  }
}

/** The gateway has no call without money in it, so that its page is asked for, without a word of ours. */
async function testEpay({ relay, snapshot: { options } }: ConsoleContext): Promise<OptionTestStep[]> {
  const { PayAddress, EpayId, EpayKey } = options;
  const signature = EpayId !== "" && signsItself(EpayKey) ? passed("signature") : failed("signature", "missing");
  if (PayAddress === "") return [signature, failed("address", "missing")];
  try {
    const { status } = await relay.fetchGuarded({ method: "GET", url: `${PayAddress}/submit.php`, headers: {} });
    // What it says to a call without an order differs; only that there is such a page matters.
    const isThere = status < 500 && status !== 404;
    return [signature, isThere ? passed("address", `${status}`) : failed("address", "refused", `status ${status}`)];
  } catch (error) {
    return [signature, ofError("address", error)];
  }
}

const FORBIDDEN = 403;

async function testStripe(context: ConsoleContext): Promise<OptionTestStep[]> {
  const { StripeSecretKey, StripeWebhookSecret } = context.snapshot.options;
  const isSecret = StripeWebhookSecret.startsWith("whsec_");
  const webhook = isSecret
    ? passed("webhook_secret")
    : failed("webhook_secret", StripeWebhookSecret === "" ? "missing" : "format");
  if (StripeSecretKey === "") return [failed("key", "missing"), webhook];
  try {
    const stripe = await stripeApi(context);
    await stripe.refunds.list({ limit: 1 }, { maxNetworkRetries: 0 });
    return [passed("key"), webhook];
  } catch (error) {
    const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
    // A restricted key was recognised, and may not read refunds.
    if (status === FORBIDDEN) return [passed("key"), webhook];
    return [ofError("key", error), webhook];
  }
}

async function testAlipay(context: ConsoleContext): Promise<OptionTestStep[]> {
  const { options } = context.snapshot;
  if (options.AlipayAppId === "" || options.AlipayPrivateKey === "" || options.AlipayPublicKey === "")
    return [failed("key", "missing")];
  const request = { method: "alipay.trade.query", content: { out_trade_no: NO_ORDER } };
  try {
    requestFields(options, request, context.clock());
  } catch {
    // What the library says of a key may quote it.
    return [failed("key", "key_unreadable")];
  }
  try {
    const { code, sub_code } = await callAlipay(context, request);
    const isAnswer = sub_code === "ACQ.TRADE_NOT_EXIST" || code === "10000";
    const said = `${code} ${sub_code}`.trim();
    return [passed("key"), isAnswer ? passed("query", said) : failed("query", "refused", said)];
  } catch (error) {
    return [passed("key"), ofError("query", error)];
  }
}

async function testWechat(context: ConsoleContext): Promise<OptionTestStep[]> {
  const { options } = context.snapshot;
  const { WechatPayMerchantId: merchant, WechatPayCertificateSerial, WechatPayPrivateKey } = options;
  if (merchant === "" || WechatPayCertificateSerial === "" || WechatPayPrivateKey === "")
    return [failed("key", "missing")];
  const path = `/v3/pay/transactions/out-trade-no/${NO_ORDER}?mchid=${encodeURIComponent(merchant)}`;
  try {
    authorizationOf(options, { method: "GET", path, body: "" }, context.clock());
  } catch {
    return [failed("key", "key_unreadable")];
  }
  try {
    const { status, code } = await callWechat(context, path);
    const isAnswer = status === 200 || code.replaceAll("_", "") === "ORDERNOTEXIST";
    const said = `${status} ${code}`.trim();
    return [passed("key"), isAnswer ? passed("query", said) : failed("query", "refused", said)];
  } catch (error) {
    return [passed("key"), ofError("query", error)];
  }
}

/** A site that leads back with a code; the redirect address is shown, since only a person sees whether it is registered there. */
async function testSite(context: ConsoleContext, request: RequestFacts, way: keyof typeof CODE_PROVIDERS) {
  const { options } = context.snapshot;
  // A description is read without a client too.
  const isMissing = way !== "oidc" && WAYS[way].needs.slice(0, 2).some((name) => options[name] === "");
  const provider = await CODE_PROVIDERS[way]?.(options);
  if (isMissing || provider === undefined) return [failed("client", "missing")];
  const redirectUri = redirectUriOf(context, request, way);
  return [...(await provider.test(context, redirectUri)), passed("redirect", redirectUri)];
}

async function testOidc(context: ConsoleContext, request: RequestFacts): Promise<OptionTestStep[]> {
  const { options } = context.snapshot;
  if (options["oidc.well_known"] === "" && options["oidc.token_endpoint"] === "") return [failed("client", "missing")];
  return testSite(context, request, "oidc");
}

/** Names of bots have no meaning in their case (https://core.telegram.org/bots/features#botfather). */
const botName = (text: string): string => text.trim().replace(/^@/, "").toLowerCase();

async function testTelegram(context: ConsoleContext): Promise<OptionTestStep[]> {
  const { TelegramBotToken: token, TelegramBotName: name } = context.snapshot.options;
  if (token === "") return [failed("bot", "missing")];
  try {
    const { username } = await askBot(context, token);
    const isSame = botName(name) === botName(username);
    const answer = `@${username}`;
    return [passed("bot", answer), isSame ? passed("bot_name") : failed("bot_name", "other_name", answer)];
  } catch (error) {
    return [ofError("bot", error)];
  }
}

async function testWechatServer(context: ConsoleContext): Promise<OptionTestStep[]> {
  const { WeChatServerAddress, WeChatServerToken } = context.snapshot.options;
  if (WeChatServerAddress === "" || WeChatServerToken === "") return [failed("address", "missing")];
  try {
    const { success, message } = await askWechatServer(context, NO_CODE);
    const words = textOf(message);
    return [typeof success === "boolean" ? passed("address", words) : failed("address", "refused", words)];
  } catch (error) {
    return [ofError("address", error)];
  }
}

/** One search as calls make them; its pages are counted alone. */
async function testSearch({ relay, snapshot: { options } }: ConsoleContext): Promise<OptionTestStep[]> {
  const found = await relay.trySearch(options);
  if (found === undefined) return [failed("search", "missing")];
  if ("pages" in found) return [passed("search", String(found.pages))];
  return [failed("search", found.error === "too_many_requests" ? found.error : "no_pages")];
}

/** Sites whose test is `testSite` and no more. */
type PlainSite = Exclude<Extract<OptionTestName, BuiltInWay>, "oidc" | "telegram" | "wechat">;

/**
 * Asks the other side with what is typed, else with what is stored; nothing is stored. What is typed wants the confirmation that storing
 * it wants. Throws AppError option_unknown, option_invalid, option_secret_needed, step_up_required and email_invalid.
 */
export async function testOptions(
  context: ConsoleContext,
  actor: ConfirmingActor,
  { what, options, to }: Question,
): Promise<OptionTestStep[]> {
  await context.snapshot.refresh();
  const { values, isTyped } = testedOptions(context.snapshot.options, what, options);
  // A stolen session would otherwise write to any address from this site.
  if (isTyped || what === "smtp") actor.requireStepUp();
  const tested = withOptions(context, values);
  const tests: Readonly<Record<Exclude<OptionTestName, PlainSite>, () => Promise<OptionTestStep[]>>> = {
    smtp: () => testMail(tested, actor, to),
    epay: () => testEpay(tested),
    stripe: () => testStripe(tested),
    alipay: () => testAlipay(tested),
    wechat_pay: () => testWechat(tested),
    oidc: () => testOidc(tested, actor.request),
    telegram: () => testTelegram(tested),
    wechat: () => testWechatServer(tested),
    web_search: () => testSearch(tested),
  };
  const isSpecial = (name: OptionTestName): name is keyof typeof tests => Object.hasOwn(tests, name);
  const steps = await (isSpecial(what) ? tests[what]() : testSite(tested, actor.request, what));
  const secrets = OPTION_TESTS[what].secrets.map((name) => values[name]);
  return steps.map((step) => withoutSecrets(step, secrets));
}
