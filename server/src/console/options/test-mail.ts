/** The test of the SMTP options: one mail with what is stored, sent while the administrator waits. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { TestMessageResult } from "../../../../contract/src/notifications.ts";
import { DeliveryFault } from "../../notify/delivery-fault.ts";
import { nowSeconds } from "../../util/clock.ts";
import { addressOf } from "../accounts/email-codes.ts";
import type { ConsoleContext, RequestFacts, Session } from "../http/handlers.ts";

const ANSWER_MAX = 500;

function checkedAddress(to: string): string {
  try {
    return addressOf(to);
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, { field: "to", cause: error }) : error;
  }
}

/** @returns what the mail server answered, or why it was not sent: in its own words, without the login. @throws AppError email_invalid */
export async function sendTestMail(
  context: Pick<ConsoleContext, "clock" | "deliver">,
  { user }: Pick<Session, "user">,
  { language }: Pick<RequestFacts, "language">,
  to: string,
): Promise<TestMessageResult> {
  const recipient = checkedAddress(to);
  try {
    const answer = await context.deliver({
      userId: user.id,
      method: "email",
      recipient,
      language,
      code: "mail_test",
      values: { username: user.username },
      time: nowSeconds(context.clock),
    });
    return { is_delivered: true, failure: "", answer: answer.slice(0, ANSWER_MAX) };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) throw error;
    return { is_delivered: false, failure: error.kind, answer: error.detail };
  }
}
