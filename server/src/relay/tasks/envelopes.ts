/** Error envelopes of the task APIs: their clients read other fields than OpenAI's. */
import { SUBMIT_CODE } from "../../../../contract/src/tasks.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { ErrorInfo } from "../../dialects/neutral/info.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import type { TaskApi } from "../request/task-paths.ts";
import { openAiChatDialect } from "../../dialects/openai-chat/openai-chat.ts";

/** Words that clients of a Midjourney proxy look for, in place of our own codes. */
const DRAWING_WORDS: Readonly<Record<string, string>> = {
  insufficient_user_quota: "quota_not_enough",
  pre_consume_token_quota_failed: "quota_not_enough",
  task_unfinished: "task_status_not_success",
  task_channel_disabled: "channel_disabled",
};

/** A code of the proxy's own is passed on as the number it is. */
function drawingError({ code, message, type }: ErrorInfo): string {
  const name = code ?? type;
  const number = /^\d+$/.test(name) ? Number(name) : SUBMIT_CODE.badRequest;
  const word = ownOf(DRAWING_WORDS, name) ?? name;
  const description = /^\d+$/.test(name) ? message : `${word}: ${message}`;
  return JSON.stringify({ code: number, description, type, result: word, properties: {} });
}

const SUNO_WORDS: Readonly<Record<string, string>> = {
  insufficient_user_quota: "quota_not_enough",
  pre_consume_token_quota_failed: "quota_not_enough",
  task_not_found: "task_not_exist",
  task_channel_disabled: "task_channel_disable",
};

const sunoError = ({ code, message, type }: ErrorInfo): string =>
  JSON.stringify({ code: ownOf(SUNO_WORDS, code ?? "") ?? code ?? type, message, data: null });

/** Kling's and Jimeng's code for an error by the first digit of its status, and for a key that is refused or an account that is empty. */
const VENDOR_CODES = {
  kling: { 4: 1200, 5: 5000, 401: 1000, 402: 1101, 403: 1103, 404: 1203, 429: 1302 },
  jimeng: { 4: 50_200, 5: 50_500, 401: 50_400, 402: 50_400, 403: 50_400, 404: 50_200, 429: 50_429 },
} as const satisfies Readonly<Record<string, Readonly<Record<number, number>>>>;

/** A code of the vendor's own is passed on as the number it is; our own codes stand in `error`. */
const vendorError =
  (codes: Readonly<Record<string, number>>) =>
  ({ status, code, message, type, param }: ErrorInfo): string => {
    const own = /^\d{4,5}$/.test(code) ? Number(code) : undefined;
    const number = own ?? ownOf(codes, String(status)) ?? ownOf(codes, String(status)[0] ?? "") ?? status;
    return JSON.stringify({ code: number, message, data: null, error: { code, message, type, param } });
  };

const ENVELOPES: Readonly<Record<TaskApi, Dialect>> = {
  mj: { ...openAiChatDialect, errorBody: drawingError },
  suno: { ...openAiChatDialect, errorBody: sunoError },
  kling: { ...openAiChatDialect, errorBody: vendorError(VENDOR_CODES.kling) },
  jimeng: { ...openAiChatDialect, errorBody: vendorError(VENDOR_CODES.jimeng) },
};

/** The format of a task's client, as far as errors go; undefined where it is that of the address. */
export const envelopeOf = (api: TaskApi | undefined): Dialect | undefined =>
  api === undefined ? undefined : ENVELOPES[api];
