/** Videos as a kind of task: requests in any client's form (videos/forms.ts), for any vendor (videos/vendors.ts). */
import type { VideoFormat, VideoProperties } from "../../../../contract/src/tasks.ts";
import { isObject, listOf, objectOf, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import {
  type Poll,
  type StoredTask,
  type Submission,
  type SubmissionAnswer,
  type TaskChannel,
  type TaskEvent,
  type TaskKind,
  TaskRefusal,
  type TaskRequest,
} from "./kind.ts";
import type { VideoForm } from "./videos/form.ts";
import { videoForm, withMetadata } from "./videos/forms.ts";
import { geminiCharge, operationEvent } from "./videos/gemini.ts";
import { openAiCharge, videoEvent } from "./videos/openai.ts";
import { type VideoRequest, promptOf, refuseUncharged } from "./videos/request.ts";
import { type VideoCharge, type VideoVendor, factorText } from "./videos/vendor.ts";
import { ofVendor, vendorOfType, videoProperties } from "./videos/vendors.ts";

const DEFAULT_MODEL = "sora-2";
/** Fields of OpenAI's API that say what a video is and costs. */
const OPENAI_FIELDS = ["model", "prompt", "seconds", "size"] as const;

const generation = (
  made: Pick<Submission, "model" | "path" | "fields" | "prompt" | "callFactor"> & { properties: VideoProperties },
): Submission => ({
  action: "GENERATE",
  data: null,
  notifyUrl: "",
  acceptsNotifications: false,
  ...made,
  properties: { ...made.properties },
});

/** What a row keeps of a submission with this charge. */
const propertiesOf = (format: VideoFormat, { seconds, size, mode }: VideoCharge): VideoProperties => ({
  format,
  seconds,
  size,
  ...(mode === undefined || mode === "" ? {} : { mode }),
});

function openAi(fields: JsonObject): Submission {
  refuseUncharged(fields, OPENAI_FIELDS, "'seconds' and 'size'");
  const prompt = promptOf(fields["prompt"]);
  const model = textOf(fields["model"]) || DEFAULT_MODEL;
  const charge = openAiCharge(fields, model);
  const callFactor = factorText(charge.thousandths);
  const properties = propertiesOf("openai", charge);
  return { ...generation({ model, path: "/v1/videos", fields, prompt, callFactor, properties }), namesModel: true };
}

function gemini(fields: JsonObject, model: string): Submission {
  const prompt = promptOf(objectOf(listOf(fields["instances"])[0])["prompt"]);
  const charge = geminiCharge(fields, model);
  const path = "/v1beta/models/{model}:predictLongRunning";
  const callFactor = factorText(charge.thousandths);
  return generation({ model, path, fields, prompt, callFactor, properties: propertiesOf("gemini", charge) });
}

/**
 * A request that is written anew for each channel. Until one is known, one listed second for each second is held; `forChannel` says what
 * its vendor charges.
 */
function unwritten(form: VideoForm, { verb, fields }: TaskRequest): Submission {
  const request = (form.outline ?? form.read)?.({ verb, fields });
  if (request === undefined) throw new TaskRefusal("invalid_action", "This form has no such request.");
  const { model, prompt, seconds = 1, count = 1 } = request;
  const callFactor = String(seconds * count);
  const properties = { format: "openai", seconds, size: "" } as const;
  return generation({ model, path: "", fields: {}, prompt, callFactor, properties });
}

/** The same video by another prompt. Nothing else is passed on, so that length and size, and with them the price, are those of the original. */
function remix(fields: JsonObject, taskId: string): Submission {
  const prompt = promptOf(fields["prompt"]);
  const path = `/v1/videos/${encodeURIComponent(taskId)}/remix`;
  const properties = { format: "openai", seconds: 0, size: "" } as const;
  const made = generation({ model: "", path, fields: { prompt }, prompt, callFactor: "1", properties });
  return { ...made, action: "REMIX", origin: { taskId, mustHaveSucceeded: true } };
}

/** A remix with model, length, size and price of its original. Throws TaskRefusal for one that is no video of OpenAI's API. */
function remixOf(asked: Submission, origin: StoredTask): Submission {
  const properties = videoProperties(origin);
  const { format, seconds, size } = properties;
  if (format !== "openai")
    throw new TaskRefusal("video_not_remixable", "Its upstream makes no new video of another one.", "video_id");
  const { model } = origin;
  const { thousandths } = openAiCharge({ seconds: seconds || undefined, size }, model);
  return { ...asked, model, callFactor: factorText(thousandths), properties: { ...properties } };
}

/** `verb` is the model for Gemini, which its path names; `id` the video that a remix is of. Throws TaskRefusal. */
function submission(request: TaskRequest): Submission {
  const { verb, id, fields, form } = request;
  if (id !== "") return remix(fields, id);
  if (form === "gemini") return gemini(fields, verb);
  return form === undefined || form === "openai" ? openAi(fields) : unwritten(videoForm(form), request);
}

interface WrittenBody {
  fields: JsonObject;
  request?: VideoRequest;
}

/** The body for a vendor, and what it was written of: the client's own fields where it speaks the vendor's form. Throws TaskRefusal. */
function bodyFor(
  vendor: VideoVendor,
  form: VideoForm,
  { verb, fields, files }: TaskRequest,
  model: string,
): WrittenBody {
  if (form.ownOf.includes(vendor.format)) {
    const own = form.own?.({ verb, fields }) ?? fields;
    const named = vendor.modelField === "" ? own : { ...own, [vendor.modelField]: model };
    return { fields: vendor.own?.(own, model) ?? named };
  }
  const request = form.read?.({ verb, fields: { ...fields, ...files?.() } });
  if (request === undefined) throw new TaskRefusal("not_translatable", "No other vendor takes this form.", "model");
  return { fields: withMetadata(vendor.write(request, model), request.metadata, vendor.modelField), request };
}

/** True for what is sent on unchanged. */
const remixesOrOwn = (asked: Submission, form: string | undefined, vendor: VideoVendor): boolean =>
  asked.origin !== undefined || (form ?? "openai") === vendor.format;

/**
 * The submission as the channel's vendor takes it; undefined where the channel makes no videos in the client's form. What is sent on as the
 * client sent it, to OpenAI's API and Gemini's, stays as it is. Throws TaskRefusal for what the vendor cannot do.
 */
function forChannel(asked: Submission, request: TaskRequest, channel: TaskChannel): Submission | undefined {
  const vendor = vendorOfType(channel.type);
  if (vendor === undefined) return undefined;
  const isGeneral = vendor.format === "openai" || vendor.format === "gemini";
  if (isGeneral && remixesOrOwn(asked, request.form, vendor)) return asked;
  const form = videoForm(request.form);
  if (asked.origin !== undefined || (form.read === undefined && !form.ownOf.includes(vendor.format))) return undefined;
  const { upstreamModel } = channel;
  const body = bodyFor(vendor, form, request, upstreamModel);
  const { fields } = body;
  const charge = vendor.charge(fields, upstreamModel);
  const { path, headers = [], poll } = vendor.address(fields, body.request);
  const properties = { ...propertiesOf(vendor.format, charge), ...(poll === undefined ? {} : { poll }) };
  const { namesModel: _named, ...rest } = asked;
  const { seconds, size } = charge;
  return {
    ...rest,
    path,
    fields,
    callFactor: factorText(charge.thousandths),
    properties,
    written: {
      headers,
      factorOf: (sent) => factorText(vendor.charge(sent, upstreamModel).thousandths),
      answer(read, { requestId, createdAt }) {
        const { model, prompt } = asked;
        const given = vendor.answer(read);
        if (given === undefined) return undefined;
        if (!given.isAccepted) return { ...given, reply: read };
        const { event } = given;
        const { taskId } = event;
        const reply = form.taken({ taskId, model, prompt, seconds, size, createdAt, requestId });
        return { isAccepted: true, code: 1, event, reply };
      },
    },
  };
}

/** The answer to a submission that went on as the client sent it. */
function answer(asked: Submission, body: JsonObject): SubmissionAnswer | undefined {
  const isOpenAi = asked.properties["format"] === "openai";
  const event = isOpenAi ? videoEvent(body) : operationEvent(body);
  if (event === undefined) return undefined;
  const reply = isOpenAi ? { ...body, model: asked.model } : { name: event.taskId };
  return { isAccepted: true, code: 1, event, reply };
}

/** One for each task: no vendor reports several videos at once. */
function polls(tasks: readonly StoredTask[]): Poll[] {
  return tasks.map((stored) => {
    const { vendor, task } = ofVendor(stored);
    return { ...vendor.poll(task), tasks: [stored] };
  });
}

function events({ tasks: [stored] }: Poll, status: number, body: unknown): TaskEvent[] | undefined {
  // An answer: the upstream does not know the task.
  if (status === 404) return [];
  if (!isObject(body) || stored === undefined) return undefined;
  const { vendor, task } = ofVendor(stored);
  if (status !== 200 && vendor.reportStatuses?.includes(status) !== true) return undefined;
  const event = vendor.event(body, task);
  if (event === null) return [];
  return event === undefined ? undefined : [event];
}

export const video: TaskKind = {
  platform: "video",
  operation: "videos",
  silenceSeconds: 7_200,
  submission,
  continued: remixOf,
  forChannel,
  answer,
  polls,
  events,
  view: (task, url, form) => videoForm(form).view(task, url, videoProperties(task)),
};
