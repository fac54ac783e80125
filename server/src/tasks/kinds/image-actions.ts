/** Which action a request to a Midjourney proxy is: by its path, a field, the id of a button, or a short text (github.com/novicezk/midjourney-proxy, docs/api.md). */
import { DRAWING_MODELS, type DrawingAction } from "../../../../contract/src/tasks/image.ts";
import { listOf, ownOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { TaskRefusal } from "./kind.ts";

/** First match wins: the longer names contain the shorter ones. */
const BUTTONS: readonly (readonly [part: string, action: DrawingAction])[] = [
  ["high_variation", "HIGH_VARIATION"],
  ["low_variation", "LOW_VARIATION"],
  ["variation", "VARIATION"],
  ["upsample", "UPSCALE"],
  ["upscale", "UPSCALE"],
  ["reroll", "REROLL"],
  ["customzoom", "CUSTOM_ZOOM"],
  ["outpaint", "ZOOM"],
  ["inpaint", "INPAINT"],
  ["::pan_", "PAN"],
  ["pan_", "PAN"],
];

const unknownAction = (message: string): TaskRefusal => new TaskRefusal("unknown_action", message);

/** `MJ::JOB::upsample::1::<uuid>`, `MJ::Inpaint::1::<uuid>::SOLO`. Throws TaskRefusal. */
export function buttonAction(customId: string): DrawingAction {
  const id = customId.toLowerCase();
  const found = id.startsWith("mj::") ? BUTTONS.find(([part]) => id.includes(part)) : undefined;
  if (found === undefined) throw unknownAction(`'customId' names no action that is known here`);
  return found[1];
}

const LETTERS: Readonly<Record<string, DrawingAction>> = { u: "UPSCALE", v: "VARIATION", r: "REROLL" };
const SIMPLE_CHANGE = /^(\S+)\s+(?:([uv])([1-4])|(r))$/i;

/** `<task id> u1`, `v3` or `r`. Throws TaskRefusal. */
export function simpleChange(content: string): { taskId: string; action: DrawingAction } {
  const match = SIMPLE_CHANGE.exec(content.trim());
  const action = ownOf(LETTERS, (match?.[2] ?? match?.[4] ?? "").toLowerCase());
  if (match?.[1] === undefined || action === undefined)
    throw unknownAction("'content' is not written as a task id and u1 to u4, v1 to v4 or r");
  return { taskId: match[1], action };
}

/** Actions that `submit/change` takes, and whether they name one of four pictures. */
const CHANGES: Readonly<Record<string, boolean>> = { UPSCALE: true, VARIATION: true, REROLL: false };

/** Throws TaskRefusal. */
export function changeAction({ action, index }: JsonObject): DrawingAction {
  const name = textOf(action).toUpperCase();
  const needsIndex = ownOf(CHANGES, name);
  if (needsIndex === undefined) throw unknownAction("'action' is not UPSCALE, VARIATION or REROLL");
  if (needsIndex && !(Number.isInteger(index) && Number(index) >= 1 && Number(index) <= 4))
    throw new TaskRefusal("index_invalid", "'index' is not 1 to 4", "index");
  return name as DrawingAction; // one of CHANGES
}

export const modelOf = (action: DrawingAction): string => DRAWING_MODELS[action];

/** Throws TaskRefusal where a text is missing or empty. */
export function neededText(fields: JsonObject, name: string, code = `${name}_required`): string {
  const text = textOf(fields[name]);
  if (text.trim() === "") throw new TaskRefusal(code, `The request has no '${name}'.`, name);
  return text;
}

/** Throws TaskRefusal where there are fewer. */
export function neededTexts(fields: JsonObject, name: string, least: number): void {
  const texts = listOf(fields[name]).filter((each) => typeof each === "string" && each !== "");
  if (texts.length < least)
    throw new TaskRefusal(`${name}_required`, `The request has fewer than ${least} in '${name}'.`, name);
}
