/** Tests of settings before they are saved: the question and what a test shows. */
import { z } from "zod";
import { DELIVERY_FAILURES } from "../notifications.ts";
import { OPTION_TESTS } from "./tested-options.ts";

export type OptionTestName = keyof typeof OPTION_TESTS;
const OPTION_TEST_NAMES = Object.keys(OPTION_TESTS) as OptionTestName[];

/** `signature` and `key` are checked here, and `redirect` is shown; all others ask the other side. */
const STEPS = [
  "mail",
  "signature",
  "address",
  "key",
  "webhook_secret",
  "query",
  "search",
  "discovery",
  "client",
  "redirect",
  "bot",
  "bot_name",
] as const;

/** Why a step failed, beside what a mail server may do. */
const REASONS = [
  "missing",
  "key_unreadable",
  "format",
  "unreachable",
  "timed_out",
  "address_refused",
  "refused",
  "client_refused",
  "redirect_refused",
  "other_name",
  "no_pages",
  "too_many_requests",
] as const;

export const optionTestStep = z.object({
  step: z.enum(STEPS),
  is_passed: z.boolean(),
  reason: z.enum(["", ...REASONS, ...DELIVERY_FAILURES.filter((each) => each !== "address_refused")]),
  /** What the other side said, without the secrets of the test. */
  answer: z.string(),
});
export type OptionTestStep = z.output<typeof optionTestStep>;

/** Longest text of an option in a test: keys as PEM with their certificates. */
const OPTION_TEXT_MAX = 20_000;

export const optionTestQuestion = z.object({
  what: z.enum(OPTION_TEST_NAMES),
  /** The options that differ from what is stored, as text; a secret that is absent is the stored one. */
  options: z.record(z.string().max(100), z.string().max(OPTION_TEXT_MAX)),
  /** Address of the test mail. */
  to: z.string().max(400).default(""),
});
