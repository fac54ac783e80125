/** The log of image tasks, which a Midjourney proxy runs, newest first; owners see no channels. The API has it under the name `drawing`. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { queryText } from "../query.ts";
import { originFilters, TASK_LIST_FORM, taskFields, taskFilters, taskList, taskOrigin } from "./tasks.ts";

export const ownImageTask = z.object({
  ...taskFields,
  /** The id that the upstream gave; "" where it gave none. */
  mj_id: z.string(),
  prompt: z.string(),
  prompt_en: z.string(),
  description: z.string(),
  state: z.string(),
  /** Unix milliseconds, as the next two; 0 where it has not come to that. */
  submit_time: z.number(),
  start_time: z.number(),
  finish_time: z.number(),
  /** Where the picture is: on this site where MjForwardUrlEnabled says so. "" while there is none. */
  image_url: z.string(),
  /** Addresses of films at the upstream. */
  video_urls: z.array(z.string()),
  /** What can be done with the picture, as the upstream gave it: JSON text. */
  buttons: z.string(),
  /** JSON text, likewise. */
  properties: z.string(),
});
export type OwnImageTask = z.output<typeof ownImageTask>;

export const imageTask = ownImageTask.extend({
  ...taskOrigin,
  /** What the upstream said to the submission: one of SUBMIT_CODE. */
  code: z.number(),
});
export type ImageTask = z.output<typeof imageTask>;

const ownFilters = { ...taskFilters, mj_id: queryText };

export const listDrawings = endpoint({
  method: "GET",
  path: "/api/mj",
  access: "admin",
  act: "logs",
  object: "site",
  summary: `Drawing tasks of everybody, newest first. ${TASK_LIST_FORM}`,
  query: z.object({ ...ownFilters, ...originFilters }),
  data: taskList(imageTask),
});

export const listOwnDrawings = endpoint({
  method: "GET",
  path: "/api/mj/self",
  access: "user",
  object: "own",
  summary: `Own drawing tasks, newest first. ${TASK_LIST_FORM}`,
  query: z.object(ownFilters),
  data: taskList(ownImageTask),
});
