/** A request to draw, as the proxy gets it: a table of the paths, and what the options take out. */
import type { DrawingAction, DrawingData } from "../../../../contract/src/tasks/image.ts";
import { isObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { type Submission, type TaskRequest, TaskRefusal, refuseOtherSpellings } from "./kind.ts";
import { buttonAction, changeAction, modelOf, neededText, neededTexts, simpleChange } from "./image-actions.ts";

interface Asked {
  action: DrawingAction;
  /** The task it goes on from. */
  origin?: { taskId: string; mustHaveSucceeded: boolean };
}

/** Reads what a path asks for. Throws TaskRefusal. */
type Reader = (fields: JsonObject, checksOrigin: boolean) => Asked;

const origin = (fields: JsonObject, mustHaveSucceeded: boolean) => ({
  origin: { taskId: neededText(fields, "taskId"), mustHaveSucceeded },
});

function needsPicture(fields: JsonObject): void {
  if (textOf(fields["base64"]) === "" && textOf(fields["link"]) === "") neededText(fields, "base64");
}

const READERS: Readonly<Record<string, Reader>> = {
  "submit/imagine": (fields) => (neededText(fields, "prompt", "prompt_empty"), { action: "IMAGINE" }),
  "submit/shorten": (fields) => (neededText(fields, "prompt", "prompt_empty"), { action: "SHORTEN" }),
  "submit/describe": (fields) => (needsPicture(fields), { action: "DESCRIBE" }),
  "submit/blend": (fields) => (neededTexts(fields, "base64Array", 2), { action: "BLEND" }),
  "submit/upload-discord-images": (fields) => (neededTexts(fields, "base64Array", 1), { action: "UPLOAD" }),
  "submit/change": (fields, checks) => ({ action: changeAction(fields), ...origin(fields, checks) }),
  "submit/simple-change": (fields, checks) => {
    const { taskId, action } = simpleChange(neededText(fields, "content"));
    return { action, origin: { taskId, mustHaveSucceeded: checks } };
  },
  "submit/action": (fields, checks) => ({
    action: buttonAction(neededText(fields, "customId")),
    ...origin(fields, checks),
  }),
  // The window belongs to a task that waits for just this.
  "submit/modal": (fields) => ({ action: "MODAL", ...origin(fields, false) }),
  "insight-face/swap": (fields) => {
    neededText(fields, "sourceBase64");
    neededText(fields, "targetBase64");
    return { action: "SWAP_FACE" };
  },
};

/** Paths behind `/mj/` at which work is handed over. */
export const DRAWING_VERBS: ReadonlySet<string> = new Set(Object.keys(READERS));

const MODE_FLAGS = /(?:^|\s)--(?:fast|relax|turbo)(?=\s|$)/gi;
const MAX_NOTIFY_URL = 2_048;

function notifyUrl(fields: JsonObject): string {
  const hook = textOf(fields["notifyHook"]);
  if (hook === "") return "";
  const url = hook.length > MAX_NOTIFY_URL ? null : URL.parse(hook);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "")
    throw new TaskRefusal("notify_hook_invalid", "'notifyHook' is not an http or https address.", "notifyHook");
  return url.href;
}

/** Fields that say what is drawn and which price it has, or are taken out here. */
const FIELDS = [
  "action",
  "taskId",
  "index",
  "customId",
  "content",
  "prompt",
  "state",
  "botType",
  "link",
  "base64",
  "base64Array",
  "sourceBase64",
  "targetBase64",
  "accountFilter",
  "notifyHook",
] as const;

/** The client's fields as far as the options let them through. */
function sentFields({ fields, options }: TaskRequest): JsonObject {
  const { accountFilter, notifyHook: _hook, prompt, ...rest } = fields;
  return {
    ...rest,
    ...(prompt === undefined
      ? {}
      : { prompt: options.MjModeClearEnabled ? textOf(prompt).replace(MODE_FLAGS, "").trim() : prompt }),
    ...(options.MjAccountFilterEnabled && isObject(accountFilter) ? { accountFilter } : {}),
  };
}

function drawingData(fields: JsonObject): DrawingData {
  return {
    prompt_en: "",
    description: "",
    state: textOf(fields["state"]),
    custom_id: textOf(fields["customId"]),
    bot_type: textOf(fields["botType"]),
    buttons: [],
    mask_base64: "",
    properties: {},
  };
}

/** Throws TaskRefusal. */
export function drawingSubmission(request: TaskRequest): Submission {
  const { verb, fields, options } = request;
  refuseOtherSpellings(fields, FIELDS);
  const asked = READERS[verb]?.(fields, options.MjActionCheckSuccessEnabled);
  if (asked === undefined) throw new TaskRefusal("unknown_action", "There is no such action.");
  const sent = sentFields(request);
  return {
    ...asked,
    model: modelOf(asked.action),
    path: `/mj/${verb}`,
    fields: sent,
    prompt: textOf(sent["prompt"]),
    properties: {},
    data: { ...drawingData(fields) },
    notifyUrl: options.MjNotifyEnabled ? notifyUrl(fields) : "",
    takesNotices: options.MjNotifyEnabled,
    callFactor: "1",
  };
}
