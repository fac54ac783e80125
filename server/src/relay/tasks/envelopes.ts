/** How each task API writes errors: its clients read other fields than OpenAI's. */
import { SUBMIT_CODE, type TaskPlatform } from "../../../../contract/src/tasks.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { ErrorInfo } from "../../dialects/neutral/info.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import { openAiChatDialect } from "../../dialects/openai-chat/openai-chat.ts";

/** Words that clients of a Midjourney proxy look for, in place of our own codes. */
const DRAWING_WORDS: Readonly<Record<string, string>> = {
  insufficient_user_quota: "quota_not_enough",
  pre_consume_token_quota_failed: "quota_not_enough",
  task_unfinished: "task_status_not_success",
  task_channel_disabled: "channel_disabled",
};

/** A code of the proxy's own goes on as the number it is. */
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

const ENVELOPES: Readonly<Partial<Record<TaskPlatform, Dialect>>> = {
  mj: { ...openAiChatDialect, errorBody: drawingError },
  suno: { ...openAiChatDialect, errorBody: sunoError },
};

/** The format of a task's client, as far as errors go; undefined where it is that of the address. */
export const envelopeOf = (platform: TaskPlatform | undefined): Dialect | undefined =>
  platform === undefined ? undefined : ENVELOPES[platform];
