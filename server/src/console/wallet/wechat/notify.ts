/** WeChat Pay's notifications of payments and refunds (https://pay.weixin.qq.com/doc/v3/merchant/4012791882 and 4012791886 beside it). */
import { z } from "zod";
import type { CallbackAnswer } from "../../http/handlers.ts";
import { isSameSecret } from "../../http/same-secret.ts";
import { creditPayment } from "../credit.ts";
import type { PaymentCallback, WalletContext } from "../payment-method.ts";
import type { ReversalReport } from "../refunds.ts";
import { reverse } from "../reversal.ts";
import { endPending, findOrderByNumber, type StoredOrder } from "../store.ts";
import { decrypted, isSignedByWechat } from "./signature.ts";

/** The name of this payment method in calls and orders. */
export const WECHAT_DIRECT = "wechat_direct";

/** In fen. */
const fen = z.int().min(0);

/** A payment, in a notification or in the answer to a query: https://pay.weixin.qq.com/doc/v3/merchant/4012791880 */
export const wechatTransaction = z.object({
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: z.string().max(64),
  transaction_id: z.string().max(64).default(""),
  trade_state: z.string(),
  /** Absent of what was not paid. */
  amount: z.object({ total: fen.optional(), currency: z.string().optional() }).optional(),
});
export type WechatTransaction = z.output<typeof wechatTransaction>;

const wechatRefund = z.object({
  mchid: z.string(),
  out_trade_no: z.string().max(64),
  transaction_id: z.string().max(64),
  refund_id: z.string().max(64),
  refund_status: z.string(),
  amount: z.object({ total: fen, refund: fen }),
});
type WechatRefund = z.output<typeof wechatRefund>;

const isOurs = ({ snapshot: { options } }: WalletContext, { mchid }: { mchid: string }): boolean =>
  isSameSecret(mchid, options.WechatPayMerchantId);

/** Whether a sum in fen is exactly an order's money. */
const isMoneyOf = (order: StoredOrder, total: number | undefined, currency: string): boolean =>
  order.method === WECHAT_DIRECT && order.currency === currency && order.money_minor === total;

/** States that end an order without a payment; all others but SUCCESS say that it is open, or that its refund is reported separately. */
const UNPAID_STATES: Readonly<Record<string, "ended" | "failed">> = {
  CLOSED: "ended",
  REVOKED: "ended",
  PAYERROR: "failed",
};

/** Does what a transaction says of an order, once however often it comes; false where it is not this order's, over exactly its money. */
export async function applyTransaction(
  context: WalletContext,
  order: StoredOrder,
  transaction: WechatTransaction,
): Promise<boolean> {
  const { appid, out_trade_no, transaction_id, trade_state, amount } = transaction;
  const isThis = out_trade_no === order.trade_no && order.method === WECHAT_DIRECT;
  if (!isThis || !isOurs(context, transaction)) return false;
  if (!isSameSecret(appid, context.snapshot.options.WechatPayAppId)) return false;
  if (trade_state !== "SUCCESS") {
    const status = UNPAID_STATES[trade_state];
    if (status !== undefined) await endPending(context.database, order.id, status);
    return true;
  }
  if (transaction_id === "" || !isMoneyOf(order, amount?.total, amount?.currency ?? "")) return false;
  await creditPayment(context, order, { reference: transaction_id, paymentReference: transaction_id });
  return true;
}

/** An ABNORMAL refund has left the merchant and waits for another account of the buyer's. https://pay.weixin.qq.com/doc/v3/merchant/4012791886 */
const REFUND_STATUS: Readonly<Record<string, Extract<ReversalReport["status"], "pending" | "done" | "failed">>> = {
  PROCESSING: "pending",
  ABNORMAL: "pending",
  SUCCESS: "done",
  CLOSED: "failed",
};

/**
 * Takes back what a refund stands for. It proves that its order was paid: whichever notification comes first, the order ends the same, and a
 * payment that is reported after its refund credits nothing that stays. Refunds are always in the order's currency.
 */
async function applyRefund(context: WalletContext, order: StoredOrder, refund: WechatRefund): Promise<boolean> {
  const { refund_id: reference, refund_status, transaction_id, amount } = refund;
  const status = REFUND_STATUS[refund_status];
  if (!isOurs(context, refund) || status === undefined || !isMoneyOf(order, amount.total, "CNY")) return false;
  await creditPayment(context, order, { reference: transaction_id, paymentReference: transaction_id });
  const amountMinor = Math.min(amount.refund, order.money_minor);
  await reverse(context, order.id, { kind: "refund", reference, status, amountMinor, reportedTime: 0 });
  return true;
}

/** https://pay.weixin.qq.com/doc/v3/merchant/4012071382 */
const notification = z.object({
  event_type: z.string(),
  resource: z.object({
    algorithm: z.literal("AEAD_AES_256_GCM"),
    ciphertext: z.string(),
    nonce: z.string(),
    associated_data: z.string().default(""),
  }),
});

type Answer = NonNullable<CallbackAnswer["reply"]>;
const DONE: Answer = { status: 200, text: "" };
const failed = (status: 400 | 503, message: string): Answer => ({
  status,
  text: JSON.stringify({ code: "FAIL", message }),
});

type Applied = (context: WalletContext, content: unknown) => Promise<boolean>;

/** Finds the order that a content is about, and does what it says. */
const about =
  <Content extends { out_trade_no: string }>(
    schema: z.ZodType<Content>,
    apply: (context: WalletContext, order: StoredOrder, content: Content) => Promise<boolean>,
  ): Applied =>
  async (context, content) => {
    const read = schema.parse(content);
    const order = await findOrderByNumber(context.database, read.out_trade_no);
    if (order !== undefined && (await apply(context, order, read))) return true;
    const { out_trade_no: tradeNo } = read;
    context.logger.warn({ tradeNo }, "a signed notification of WeChat Pay fits no order; nothing was credited");
    return false;
  };

const paid = about(wechatTransaction, applyTransaction);
const refunded = about(wechatRefund, applyRefund);

const HANDLERS: Readonly<Record<string, Applied>> = {
  "TRANSACTION.SUCCESS": paid,
  "REFUND.SUCCESS": refunded,
  "REFUND.ABNORMAL": refunded,
  "REFUND.CLOSED": refunded,
};

/** Does what a notification says whose sender is proven. Throws a ZodError or SyntaxError where it has another shape than documented. */
async function answerTo(context: WalletContext, body: string): Promise<Answer> {
  const { event_type, resource } = notification.parse(JSON.parse(body));
  const handle = Object.hasOwn(HANDLERS, event_type) ? HANDLERS[event_type] : undefined;
  if (handle === undefined) return DONE;
  const content = decrypted(resource, context.snapshot.options.WechatPayApiV3Key);
  if (content === undefined) return failed(400, "not encrypted by the APIv3 key of this site");
  const isApplied = await handle(context, JSON.parse(content));
  return isApplied ? DONE : failed(400, "not about an order of this site");
}

/**
 * Answers with a success only when what was reported is committed: WeChat Pay reports everything else again. Without its key and ours nothing
 * can be signed or encrypted, so the path does not exist.
 */
export const onWechatNotify: PaymentCallback = async ({ context, received }) => {
  const { options } = context.snapshot;
  if (options.WechatPayPlatformKey === "" || options.WechatPayApiV3Key === "") return { reply: undefined };
  if (!isSignedByWechat(options, received, context.clock()))
    return { reply: failed(400, "not signed by WeChat Pay for this site") };
  try {
    return { reply: await answerTo(context, received.body) };
  } catch (error) {
    context.logger.error({ err: error }, "a notification of WeChat Pay could not be kept; it has to be sent again");
    const isShape = error instanceof z.ZodError || error instanceof SyntaxError;
    return { reply: isShape ? failed(400, "another shape than documented") : failed(503, "please send it again") };
  }
};
