/** The list of clients' forms of videos by name, of which paths say which they have, and what metadata does in all of them. */
import { isObject, ownOf } from "../../../dialects/json/fields.ts";
import type { JsonObject } from "../../../dialects/neutral/neutral.ts";
import { TaskRefusal, refuseOtherSpellings } from "../kind.ts";
import type { VideoForm } from "./form.ts";
import { commonForm } from "./form-common.ts";
import { jimengForm } from "./form-jimeng.ts";
import { klingForm } from "./form-kling.ts";
import { openAiForm } from "./form-openai.ts";

const FORMS = {
  openai: openAiForm,
  // Its submissions go to channels of its own format, whose answers it reads.
  gemini: { ownOf: ["gemini"], taken: ({ taskId }) => ({ name: taskId }), view: openAiForm.view },
  generations: commonForm,
  kling: klingForm,
  jimeng: jimengForm,
} as const satisfies Readonly<Record<string, VideoForm>>;
export type VideoFormName = keyof typeof FORMS;

/** The form of a path; OpenAI's where the path has none of its own. */
export const videoForm = (name: string | undefined): VideoForm =>
  ownOf<VideoForm>(FORMS, name ?? "openai") ?? openAiForm;

/** The fields with metadata over them, one level deep. Throws TaskRefusal where it would change the model. */
export function withMetadata(fields: JsonObject, metadata: JsonObject, modelField: string): JsonObject {
  const names = [...Object.keys(fields), ...(modelField === "" ? [] : [modelField])];
  refuseOtherSpellings(metadata, names);
  if (modelField !== "" && metadata[modelField] !== undefined)
    throw new TaskRefusal("unsupported_field", "The model is named by 'model' alone.", `metadata.${modelField}`);
  const entries = Object.entries(metadata).map(([name, value]) => {
    const own = fields[name];
    return [name, isObject(own) && isObject(value) ? { ...own, ...value } : value] as const;
  });
  return { ...fields, ...Object.fromEntries(entries) };
}
