/** What the console's pages ask of the relay beside words, in the OpenAPI document: the playground and the studio, by the session of a person. */
import type { RelayRow } from "./relay-failures.ts";

type Json = Record<string, unknown>;

const OPEN_OBJECT = { type: "object", additionalProperties: true };
const MODEL = { type: "string", description: "The model" };
const PROMPT = { type: "string", description: "What is to be made" };
const object = (required: readonly string[], properties: Json): Json => ({ ...OPEN_OBJECT, required, properties });
const plain = (description: string): Json => ({
  description,
  content: { "application/json": { schema: OPEN_OBJECT } },
});

const OF_PAGES = { security: [{ session: [], userId: [] }] } as const;
const GROUP = { type: "string", description: "Group to be routed and billed in; one's own where empty" };
const BY_PAGE = "by the console's page: paid by the logged-in person, without a token";

/** What the playground and the studio ask beside words. */
export const MEDIA_OF_PAGES: readonly RelayRow[] = [
  {
    ...OF_PAGES,
    at: { "/pg/embeddings": "createPlaygroundEmbedding" },
    summary: `Embeddings ${BY_PAGE}`,
    body: object(["model", "input"], {
      model: MODEL,
      input: { description: "Text, texts or tokens" },
      group: GROUP,
    }),
    answer: plain("The vectors"),
  },
  {
    ...OF_PAGES,
    at: { "/pg/images/generations": "createStudioImage" },
    summary: `Images ${BY_PAGE}`,
    body: object(["model", "prompt"], { model: MODEL, prompt: PROMPT, group: GROUP }),
    answer: plain("The images, whole or as events"),
  },
  {
    ...OF_PAGES,
    at: { "/pg/audio/speech": "createStudioSpeech" },
    summary: `Spoken text ${BY_PAGE}`,
    body: object(["model", "input"], {
      model: MODEL,
      input: { type: "string", description: "What is spoken" },
      voice: { description: "Whose voice" },
      group: GROUP,
    }),
    answer: { description: "The audio", content: { "audio/*": { schema: { type: "string", format: "binary" } } } },
  },
  {
    ...OF_PAGES,
    at: { "/pg/mj/submit/imagine": "drawInStudio" },
    summary: `Four pictures of a prompt ${BY_PAGE}`,
    body: object(["prompt"], { prompt: PROMPT, group: GROUP }),
    answer: plain("Code 1, 21 or 22 and the task's id as `result`"),
  },
  {
    ...OF_PAGES,
    at: { "/pg/mj/submit/change": "changeInStudio" },
    summary: `One picture of a drawing, enlarged or varied ${BY_PAGE}`,
    body: object(["taskId", "action"], {
      taskId: { type: "string", description: "The drawing; one's own" },
      action: { type: "string", enum: ["UPSCALE", "VARIATION", "REROLL"], description: "What is done with it" },
      index: { type: "integer", description: "Which of the four pictures, from 1" },
      group: GROUP,
    }),
    answer: plain("Code 1, 21 or 22 and the task's id as `result`"),
  },
  {
    ...OF_PAGES,
    at: { "/pg/suno/submit/music": "singInStudio" },
    summary: `Songs ${BY_PAGE}`,
    body: object([], {
      gpt_description_prompt: { type: "string", description: "What the song is about" },
      prompt: { type: "string", description: "The lyrics" },
      tags: { type: "string", description: "Style" },
      group: GROUP,
    }),
    answer: plain("`data` is the task's id"),
  },
  {
    ...OF_PAGES,
    at: { "/pg/video/generations": "filmInStudio" },
    summary: `A video ${BY_PAGE}`,
    body: object(["model", "prompt"], { model: MODEL, prompt: PROMPT, group: GROUP }),
    answer: plain("The task"),
  },
];
