/** Steps of a test of settings: what the other side was asked, whether it passed, why not, and what it answered. */
import { AppError } from "../../../../contract/src/errors.ts";
import type { OptionTestStep } from "../../../../contract/src/options/option-tests.ts";

type Name = OptionTestStep["step"];
type Reason = OptionTestStep["reason"];

export const passed = (step: Name, answer = ""): OptionTestStep => ({ step, is_passed: true, reason: "", answer });

export const failed = (step: Name, reason: Reason, answer = ""): OptionTestStep => ({
  step,
  is_passed: false,
  reason,
  answer,
});

/** Why the other side could not be asked, or refused; `answer` is for the super administrator. */
function reasonOf(error: unknown): { reason: Reason; answer: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (!(cause instanceof AppError)) continue;
    if (cause.code === "identity_failed") return { reason: "refused", answer: "" };
    const unanswered = cause.values?.["reason"] === "timed_out" ? "timed_out" : "unreachable";
    return { reason: cause.code === "address_refused" ? "address_refused" : unanswered, answer: cause.message };
  }
  return { reason: "refused", answer: error instanceof Error ? error.message : String(error) };
}

/** The failed step of an error: of the address policy, of the connection, or a refusal in the other side's words. */
export function ofError(step: Name, error: unknown): OptionTestStep {
  const { reason, answer } = reasonOf(error);
  return failed(step, reason, answer);
}

/** Characters of an answer that are shown. */
const ANSWER_MAX = 500;

/** The other side may repeat what it was sent: none of the secrets is shown, in none of the forms in which it is sent. */
export function withoutSecrets(step: OptionTestStep, secrets: readonly string[]): OptionTestStep {
  const forms = secrets.filter((secret) => secret !== "").flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const answer = forms
    .reduce((text, form) => text.replaceAll(form, "***"), step.answer)
    .replaceAll(/(Basic\s+)[\w+/=-]+/gi, "$1***");
  return { ...step, answer: answer.slice(0, ANSWER_MAX) };
}
