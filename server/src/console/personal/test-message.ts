/** The test of the notification setting: a message is sent at once, and what the receiver answered is shown. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestMessageResult } from "../../../../contract/src/notifications.ts";
import { isAdmin } from "../../../../contract/src/roles.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { recipientOf } from "../../notify/notify-user.ts";
import { readSetting } from "../../notify/user-setting.ts";
import { nowSeconds } from "../../util/clock.ts";
import type { ConsoleContext, Session } from "../http/handlers.ts";
import { findSelf } from "./store.ts";

const ANSWER_MAX = 500;

/**
 * Sends the test message to where the stored setting says.
 * @throws AppError notification_no_address where there is nowhere to send it, not_found
 */
export async function sendTestMessage(
  context: Pick<ConsoleContext, "database" | "clock" | "deliver">,
  { user, role }: Pick<Session, "user" | "role">,
): Promise<TestMessageResult> {
  const row = await findSelf(context.database, user.id);
  if (row === undefined) throw new AppError("not_found", { message: "This account was not found" });
  const setting = readSetting(row.setting);
  const recipient = recipientOf(row.email ?? "", setting, false);
  if (recipient === undefined) throw new AppError("notification_no_address");
  const { method, address } = recipient;
  try {
    const answer = await context.deliver({
      userId: user.id,
      method,
      recipient: address,
      language: setting.language,
      code: "test",
      values: {},
      time: nowSeconds(context.clock),
    });
    return { is_delivered: true, failure: "", answer: answer.slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    // What a mail server says of its login is for the operator; what a webhook says is its owner's.
    const mayRead = method === "webhook" || isAdmin(role);
    return { is_delivered: false, failure: error.kind, answer: mayRead ? error.detail : "" };
  }
}
