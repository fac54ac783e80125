/** The interface of a kind of task: pure functions that parse clients' requests, upstreams' responses and later events. One file each. */
import type { Selectable } from "kysely";
import { Fault } from "../../../../contract/src/fault.ts";
import type { OptionValues } from "../../../../contract/src/options/options.ts";
import type { TaskFailCode, TaskPlatform, TaskStatus } from "../../../../contract/src/tasks.ts";
import type { TaskTable } from "../../db/task-table.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";

/** A row of the table. */
export type StoredTask = Selectable<TaskTable>;

/** The operation by which channels serve a kind (providers/provider.ts). */
export type TaskOperation = "drawings" | "songs" | "videos";

/** A request that no upstream would accept; the fault's kind is the code that clients of the task's API know. */
export class TaskRefusal extends Fault<string> {
  /** Field at fault; empty where no single one is. */
  readonly param: string;

  constructor(kind: string, message: string, param = "") {
    super(kind, message);
    this.param = param;
  }
}

/** A name without case, underscores and hyphens, as lenient readers compare names. */
export const foldedName = (name: string): string => name.toUpperCase().toLowerCase().replace(/[_-]/g, "");

/**
 * Refuses a field that a lenient reader would take for one of `known`, which say what a task costs or does: the task that is charged has to
 * be the task that is run. Throws TaskRefusal naming the field.
 */
export function refuseOtherSpellings(fields: JsonObject, known: readonly string[]): void {
  const spellings = new Map(known.map((name) => [foldedName(name), name]));
  for (const name of Object.keys(fields)) {
    const meant = spellings.get(foldedName(name));
    if (meant !== undefined && meant !== name && !known.includes(name))
      throw new TaskRefusal("ambiguous_field", `The field '${name}' has to be written '${meant}'.`, name);
  }
}

/** A client's request for a task. */
export interface TaskRequest {
  /** The path behind the common part, such as `submit/imagine`. */
  verb: string;
  /** Of the task that the path names; empty for none. */
  id: string;
  fields: JsonObject;
  options: OptionValues;
  /** The form in which the path takes and gives a video (videos/forms.ts); absent for OpenAI's, and for other kinds. */
  form?: string;
  /** Files of a multipart request as data URLs, by the names of their fields; made where a channel's vendor wants them as JSON. */
  files?(): JsonObject;
}

/** A channel that may be asked. */
export interface TaskChannel {
  type: number;
  /** The model's name there. */
  upstreamModel: string;
}

/** What belongs to a submission that was written anew for a channel's vendor. */
export interface WrittenSubmission {
  /** More headers, as a flat list of names and values. */
  headers: readonly string[];
  /** The factor of the price for the fields as they are sent. Throws TaskRefusal. */
  factorOf(sent: JsonObject): string;
  /** The vendor's answer, with the reply in the client's form; undefined for what is no answer of such a vendor. `createdAt` is in Unix seconds. */
  answer(body: JsonObject, about: { requestId: string; createdAt: number }): SubmissionAnswer | undefined;
}

/** A request as it goes to an upstream, and what the task's row keeps of it. */
export interface Submission {
  action: string;
  /** As prices and channels know it. */
  model: string;
  /** At the upstream; `{model}` in it is the model's name there. */
  path: string;
  fields: JsonObject;
  /** True where the model's name at the upstream is one of the fields. */
  namesModel?: true;
  prompt: string;
  /** The fields of the request, and of the result before there is one, in the row. */
  properties: JsonObject;
  data: JsonObject | null;
  /** The address that is notified of each event; empty for none. */
  notifyUrl: string;
  /** True where the upstream may be given an address here to which it sends events. */
  acceptsNotifications: boolean;
  /** The user's own task that it continues: its channel is asked, and no other. */
  origin?: { taskId: string; mustHaveSucceeded: boolean };
  /** The factor of a price for each call, as decimal text. */
  callFactor: string;
  /** Present where it was written for the vendor of one channel: its answer is read by that vendor. */
  written?: WrittenSubmission;
}

/** An event of a task, as an upstream reports it; what is absent stays as it is. */
export interface TaskEvent {
  taskId: string;
  status?: TaskStatus;
  /** Percent. */
  progress?: number;
  resultUrl?: string;
  failReason?: string;
  startMs?: number;
  finishMs?: number;
  /** New fields of the row's `data`; or all of it, where it is no object. */
  data?: unknown;
}

/** An upstream's answer to a submission. */
export type SubmissionAnswer =
  | {
      isAccepted: true;
      code: number;
      /** The first event of the task. */
      event: TaskEvent;
      /** The answer for the client. */
      reply: JsonObject;
    }
  | {
      isAccepted: false;
      code: number;
      /** The upstream's message. */
      message: string;
      /** True where another channel may take it. */
      isBusy: boolean;
      reply: JsonObject;
    };

/** One request to an upstream about tasks of one channel and key. */
export interface Poll {
  method: "GET" | "POST";
  path: string;
  fields?: JsonObject;
  /** How long the answer may be, where it may have a result in it; few such polls are concurrent. */
  mostAnswerBytes?: number;
  /** The tasks about which the answer should report. */
  tasks: readonly StoredTask[];
}

export interface TaskKind {
  platform: TaskPlatform;
  operation: TaskOperation;
  /** Seconds without any event after which a task has failed. */
  silenceSeconds: number;
  /** Throws TaskRefusal. */
  submission(request: TaskRequest): Submission;
  /** The submission with the fields that come from the task that it continues. Throws TaskRefusal. */
  continued?(submission: Submission, origin: StoredTask): Submission;
  /**
   * The submission as the vendor of a channel takes it; undefined where the channel does not serve the client's form. As it is where the
   * kind has no such function. Throws TaskRefusal for what the vendor cannot do.
   */
  forChannel?(submission: Submission, request: TaskRequest, channel: TaskChannel): Submission | undefined;
  /** Undefined for what is no answer of such an upstream. `body` is that of an answer with a status of success. */
  answer(submission: Submission, body: JsonObject): SubmissionAnswer | undefined;
  /** As few requests as the upstream's API allows. */
  polls(tasks: readonly StoredTask[]): readonly Poll[];
  /** The events in an answer to a poll; undefined for what is no such answer. `status` is the HTTP status. */
  events(poll: Poll, status: number, body: unknown): readonly TaskEvent[] | undefined;
  /** A task as its owner reads it. `url` is where they may fetch its image or video; `form` that of the path, for videos. */
  view(task: StoredTask, url: string, form?: string): JsonObject;
}

const TASKS_PER_POLL = 100;

/** The tasks in groups of at most 100, each for one poll. */
export const batchesOf = (tasks: readonly StoredTask[]): StoredTask[][] =>
  Array.from({ length: Math.ceil(tasks.length / TASKS_PER_POLL) }, (_, index) =>
    tasks.slice(index * TASKS_PER_POLL, (index + 1) * TASKS_PER_POLL),
  );

/** Milliseconds of a time that upstreams give in seconds or milliseconds; 0 for none. */
export function milliseconds(value: unknown): number {
  const time = typeof value === "string" ? Number(value) : value;
  if (typeof time !== "number" || !Number.isFinite(time) || time <= 0) return 0;
  // The first moment in milliseconds that would be a year above 5000 in seconds.
  return Math.round(time < 100_000_000_000 ? time * 1000 : time);
}

/** "35%" or 35 as 35; undefined where there is no number from 0 to 100 in it. */
export function percent(value: unknown): number | undefined {
  const text = typeof value === "number" ? String(value) : typeof value === "string" ? value : "";
  const number = /^\s*(\d{1,3})(?:\.\d+)?\s*%?\s*$/.exec(text)?.[1];
  return number === undefined || Number(number) > 100 ? undefined : Number(number);
}

const FAIL_TEXTS: Readonly<Record<TaskFailCode, string>> = {
  timed_out: "The upstream did not finish it in time.",
  channel_deleted: "Its channel was deleted.",
  lost_upstream: "The upstream does not know it any more.",
  not_accepted: "The upstream did not take it.",
  interrupted: "The gateway was stopped while it was handed over.",
  unexplained: "The upstream does not say why.",
};

/** Why a task failed, as text for clients of its API: the upstream's, else those of this gateway. Empty for a task that has not failed. */
export function failText({ fail_code, fail_reason }: Pick<StoredTask, "fail_code" | "fail_reason">): string {
  if (fail_reason !== "") return fail_reason;
  return ownOf<string>(FAIL_TEXTS, fail_code) ?? fail_code;
}
