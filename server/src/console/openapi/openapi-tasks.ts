/** The relay's endpoints for image tasks, songs and videos in the OpenAPI document. */
import type { RelayRow } from "./relay-failures.ts";

type Json = Record<string, unknown>;

const TEXT = { type: "string" } as const;
const OPEN_OBJECT = { type: "object", additionalProperties: true };
const answer = (description: string, schema: Json = OPEN_OBJECT): Json => ({
  description,
  content: { "application/json": { schema } },
});
const inPath = (name: string, description: string): Json => ({
  name,
  in: "path",
  required: true,
  schema: TEXT,
  description,
});
const ID = inPath(
  "id",
  "The task's id, as its submission answered; somebody else's is answered like one that does not exist",
);
const object = (required: readonly string[], properties: Json): Json => ({ ...OPEN_OBJECT, required, properties });
const text = (description: string): Json => ({ ...TEXT, description });
const texts = (description: string): Json => ({ type: "array", items: TEXT, description });

const SUBMITTED = answer(
  "Code 1: taken on, 21: waiting, 22: queued; every other code is a refusal, which costs nothing",
  object(["code"], { code: { type: "integer" }, description: TEXT, result: { description: "The task's id" } }),
);
const FILE = { description: "A picture", content: { "image/*": { schema: { type: "string", format: "binary" } } } };

const CHANGE = {
  taskId: text("The task whose picture is changed"),
  action: text("`UPSCALE`, `VARIATION` or `REROLL`"),
  index: { type: "integer", description: "Which of the four pictures, from 1" },
};
const PROMPT = { prompt: text("What is drawn") };
const PICTURES = { base64Array: texts("Pictures as base64") };

/** Verb of a submission: operation id, what it does, and its body. */
const SUBMISSIONS: Readonly<Record<string, readonly [id: string, summary: string, body: Json]>> = {
  imagine: ["drawImagine", "Draws four pictures of a prompt", object(["prompt"], { ...PROMPT, ...PICTURES })],
  change: ["drawChange", "Enlarges or varies one picture of a drawing", object(["taskId", "action"], CHANGE)],
  "simple-change": [
    "drawSimpleChange",
    "The same in one text, such as `<id> U2`",
    object(["content"], { content: text("Id, and U or V with a number") }),
  ],
  action: [
    "drawAction",
    "Presses a button of a drawing",
    object(["taskId", "customId"], { taskId: CHANGE.taskId, customId: text("The button's id") }),
  ],
  modal: [
    "drawModal",
    "Answers the window that a button opened",
    object(["taskId"], { taskId: CHANGE.taskId, ...PROMPT, maskBase64: text("The part to be drawn again") }),
  ],
  shorten: ["drawShorten", "Shortens a prompt", object(["prompt"], PROMPT)],
  describe: ["drawDescribe", "Describes a picture", object(["base64"], { base64: text("The picture as base64") })],
  blend: ["drawBlend", "Blends pictures into one", object(["base64Array"], PICTURES)],
  "upload-discord-images": ["uploadDrawingImages", "Hands over pictures for later prompts", object([], PICTURES)],
};

const MODES: Readonly<Record<string, string>> = {
  "/mj": "",
  "/mj-fast/mj": "Fast",
  "/mj-relax/mj": "Relax",
  "/mj-turbo/mj": "Turbo",
};

/** One address for each mode, each with an id of its own. */
const inModes = (path: string, id: string): Record<string, string> =>
  Object.fromEntries(Object.entries(MODES).map(([root, mode]) => [`${root}${path}`, `${id}${mode}`]));

const DRAWINGS: readonly RelayRow[] = [
  ...Object.entries(SUBMISSIONS).map(([verb, [id, summary, body]]) => ({
    at: inModes(`/submit/${verb}`, id),
    summary,
    body,
    answer: SUBMITTED,
  })),
  {
    at: inModes("/insight-face/swap", "swapFace"),
    summary: "Puts a face into a picture",
    body: object(["sourceBase64", "targetBase64"], {
      sourceBase64: text("The face, as base64"),
      targetBase64: text("The picture, as base64"),
    }),
    answer: SUBMITTED,
  },
  {
    method: "get",
    at: inModes("/task/{id}/fetch", "getDrawing"),
    summary: "How far a drawing is, and what came of it",
    parameters: [ID],
    answer: answer("The drawing"),
  },
  {
    method: "get",
    at: inModes("/task/{id}/image-seed", "getDrawingSeed"),
    summary: "The seed of a drawing",
    parameters: [ID],
    answer: answer("The seed"),
  },
  {
    at: inModes("/task/list-by-condition", "findDrawings"),
    summary: "Several drawings of the caller",
    body: object(["ids"], { ids: texts("Ids of tasks") }),
    answer: answer("The drawings that are the caller's"),
  },
  {
    method: "get",
    at: inModes("/image/{id}", "getDrawingImage"),
    summary: "The picture of a drawing: with its signature for every holder of the address, else for its owner",
    parameters: [ID, { name: "sign", in: "query", schema: TEXT, description: "Part of the address that was given" }],
    answer: FILE,
  },
  {
    at: inModes("/notify", "lookAtDrawing"),
    summary: "Makes the gateway look at a task of the caller sooner",
    body: object(["id"], { id: text("The task's id") }),
    answer: answer("Whether it will be looked at"),
  },
];

const SONGS: readonly RelayRow[] = [
  {
    at: { "/suno/submit/music": "submitMusic" },
    summary: "Makes songs",
    body: object([], {
      gpt_description_prompt: text("What the song is about"),
      prompt: text("The lyrics"),
      tags: text("Style"),
    }),
    answer: answer("`data` is the task's id"),
  },
  {
    at: { "/suno/submit/lyrics": "submitLyrics" },
    summary: "Writes lyrics",
    body: object(["prompt"], { prompt: text("What they are about") }),
    answer: answer("`data` is the task's id"),
  },
  {
    at: { "/suno/fetch": "listSongs" },
    summary: "Several tasks of the caller",
    body: object(["ids"], { ids: texts("Ids of tasks") }),
    answer: answer("The tasks that are the caller's"),
  },
  {
    method: "get",
    at: { "/suno/fetch/{id}": "getSong" },
    summary: "How far a song is, and what came of it",
    parameters: [ID],
    answer: answer("The task"),
  },
];

const VIDEOS: readonly RelayRow[] = [
  {
    at: { "/v1/videos": "createVideo" },
    summary: "Makes a video (OpenAI dialect); priced by the second",
    body: object(["model", "prompt"], {
      model: text("Model name"),
      prompt: text("What is seen"),
      seconds: text("Length; 4 where absent"),
      size: text("Such as 1280x720"),
    }),
    answer: answer("The video, which is being made"),
  },
  { method: "get", at: { "/v1/videos": "listVideos" }, summary: "Videos of the caller", answer: answer("The list") },
  {
    method: "get",
    at: { "/v1/videos/{id}": "getVideo" },
    summary: "How far a video is",
    parameters: [ID],
    answer: answer("The video"),
  },
  {
    method: "delete",
    at: { "/v1/videos/{id}": "deleteVideo" },
    summary: "Hides a video that is done",
    parameters: [ID],
    answer: answer("That it is deleted"),
  },
  {
    method: "get",
    at: { "/v1/videos/{id}/content": "getVideoContent" },
    summary: "The video itself",
    parameters: [ID],
    answer: { description: "The file", content: { "video/*": { schema: { type: "string", format: "binary" } } } },
  },
  {
    at: { "/v1/videos/{id}/remix": "remixVideo" },
    summary: "Remixes a finished video by another prompt; priced by the seconds and the size of the original",
    parameters: [ID],
    body: object(["prompt"], { prompt: text("What is seen") }),
    answer: answer("The video, which is being made"),
  },
  {
    envelope: "gemini",
    at: { "/v1beta/models/{model}:predictLongRunning": "predictVideos" },
    summary: "Makes videos (Veo, in Gemini's dialect); priced by the second",
    parameters: [inPath("model", "The model")],
    body: object(["instances"], {
      instances: { type: "array", items: OPEN_OBJECT, description: "Objects with a `prompt`" },
      parameters: { ...OPEN_OBJECT, description: "Length, shape and the like" },
    }),
    answer: answer("The operation that makes them"),
  },
  {
    envelope: "gemini",
    method: "get",
    at: { "/v1beta/models/{model}/operations/{id}": "getVideoOperation" },
    summary: "How far an operation is, and where its videos are",
    parameters: [inPath("model", "The model"), ID],
    answer: answer("The operation"),
  },
];

const JIMENG_ACTION = {
  name: "Action",
  in: "query",
  required: true,
  schema: { type: "string", enum: ["CVSync2AsyncSubmitTask", "CVSync2AsyncGetResult"] },
  description: "Submits a task, or asks how one is",
} as const;

/** Videos in the common form and in vendors' own, each for models of any vendor. */
const VIDEO_FORMS: readonly RelayRow[] = [
  {
    at: { "/v1/video/generations": "generateVideo" },
    summary: "Makes a video of any vendor's model in one form; priced by the second",
    body: object(["model", "prompt"], {
      model: text("Model name"),
      prompt: text("What is seen"),
      negative_prompt: text("What is not"),
      image: text("First frame: an address, a data URL or base64"),
      image_tail: text("Last frame"),
      images: { type: "array", items: { type: "string" }, description: "First and last frame, or more as references" },
      reference_images: { type: "array", items: { type: "string" }, description: "What has to be in it" },
      duration: { type: "integer", description: "Seconds; the vendor's own number where absent" },
      size: text("Such as 1280x720"),
      resolution: text("Such as 720p"),
      aspect_ratio: text("Such as 16:9"),
      mode: text("The vendor's quality, such as std or pro"),
      n: { type: "integer", description: "Number of videos" },
      seed: { type: "integer", description: "Seed" },
      sound: { type: "boolean", description: "With sound" },
      metadata: { ...OPEN_OBJECT, description: "Fields of the vendor's own API" },
    }),
    answer: answer("The task"),
  },
  {
    method: "get",
    at: { "/v1/video/generations/{id}": "getVideoGeneration" },
    summary: "How far a video is, and where it is",
    parameters: [ID],
    answer: answer("The task"),
  },
  {
    at: {
      "/kling/v1/videos/text2video": "klingTextToVideo",
      "/kling/v1/videos/image2video": "klingImageToVideo",
    },
    summary: "Makes a video (Kling's dialect); priced by the second",
    body: object(["prompt"], {
      model_name: text("Model name"),
      prompt: text("What is seen"),
      image: text("First frame"),
      image_tail: text("Last frame"),
      duration: text("Seconds"),
      mode: text("std or pro"),
      aspect_ratio: text("Such as 16:9"),
    }),
    answer: answer("The task"),
  },
  {
    method: "get",
    at: {
      "/kling/v1/videos/text2video/{id}": "getKlingTextToVideo",
      "/kling/v1/videos/image2video/{id}": "getKlingImageToVideo",
    },
    summary: "How far a video is (Kling's dialect)",
    parameters: [ID],
    answer: answer("The task"),
  },
  {
    at: { "/jimeng": "jimengAction" },
    summary: "Makes a video, or says how far it is (Jimeng's dialect); priced by the second",
    parameters: [JIMENG_ACTION],
    body: object(["req_key"], {
      req_key: text("Model name"),
      prompt: text("What is seen"),
      image_urls: { type: "array", items: { type: "string" }, description: "First and last frame" },
      frames: { type: "integer", description: "121 for 5 seconds, 241 for 10" },
      task_id: text("The task that is asked about"),
    }),
    answer: answer("The task"),
  },
];

export const TASK_ROWS: readonly RelayRow[] = [...DRAWINGS, ...SONGS, ...VIDEOS, ...VIDEO_FORMS];
