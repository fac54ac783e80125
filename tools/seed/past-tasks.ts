/** Writes past tasks in their final state into the table, with the charge of each in ledger and log. */
import { NO_USAGE } from "../../contract/src/pricing/usage.ts";
import { chargeDetail } from "../../server/src/billing/charge-detail.ts";
import type { Foundation } from "../../server/src/composition/foundation.ts";
import { LOG_TYPE } from "../../contract/src/constants.ts";
import { BLANK_ENTRY } from "../../server/src/billing/log-row.ts";
import { newRequestId } from "../../server/src/http/request-id.ts";
import { type TaskCharge, isFinished } from "../../contract/src/tasks.ts";
import { settleEnded } from "../../server/src/tasks/refunds.ts";
import { taskOf } from "../../server/src/tasks/store.ts";
import type { SeedTask } from "./scenario.ts";
import type { Caller } from "./history.ts";

const QUOTA_PER_USD = 500_000;

/** The channel that has the task's model, and that model. */
const MODELS: Readonly<Record<string, string>> = {
  SWAP_FACE: "swap_face",
  MUSIC: "suno_music",
  LYRICS: "suno_lyrics",
  GENERATE: "sora-2",
  REMIX: "sora-2",
};
const modelOf = ({ platform, action }: SeedTask): string =>
  MODELS[action] ?? (platform === "mj" ? `mj_${action.toLowerCase()}` : action);

/** Path of the call that handed it over. */
const PATHS: Readonly<Record<SeedTask["platform"], (action: string) => string>> = {
  mj: (action) => `/mj/submit/${action}`,
  suno: (action) => `/suno/submit/${action}`,
  video: (action) => (action === "remix" ? "/v1/videos/video_1/remix" : "/v1/videos"),
};
const pathOf = ({ platform, action }: SeedTask): string => PATHS[platform](action.toLowerCase());

const songsOf = ({ songs = [] }: SeedTask, media: string, id: string) =>
  songs.map(({ title, tags, tune, seconds }, index) => ({
    id: `${id}-${index + 1}`,
    title,
    audio_url: tune === undefined ? "" : `${media}/tune-${tune}.wav`,
    video_url: "",
    image_url: "",
    image_large_url: "",
    status: tune === undefined ? "streaming" : "complete",
    model_name: "chirp-v3-5",
    metadata: { tags, ...(seconds === undefined ? {} : { duration: seconds }) },
  }));

function dataOf(task: SeedTask, media: string, id: string): unknown {
  const { platform, songs, lyrics, status, video, promptEn = "" } = task;
  if (songs !== undefined) return songsOf(task, media, id);
  if (lyrics !== undefined) return { id, status: "complete", ...lyrics };
  if (video !== undefined)
    return {
      id,
      object: "video",
      model: "sora-2",
      status: status.toLowerCase(),
      size: video.size,
      seconds: String(video.seconds),
    };
  if (platform !== "mj") return null;
  const buttons = task.picture?.startsWith("grid") === true ? ["U1", "U2", "U3", "U4", "V1", "V2", "V3", "V4"] : [];
  return {
    prompt_en: promptEn,
    description: "Submit success",
    state: "",
    custom_id: "",
    bot_type: "MID_JOURNEY",
    buttons: buttons.map((label) => ({ customId: `MJ::JOB::${label}::${id}`, emoji: "", label, type: 2, style: 2 })),
    mask_base64: "",
    properties: { finalPrompt: promptEn || task.prompt },
  };
}

/** Where the result is fetched at the fake upstream; "" where there is none. */
function resultOf({ picture, songs }: SeedTask, media: string): string {
  if (picture !== undefined) return `${media}/${picture}`;
  const tune = songs?.[0]?.tune;
  return tune === undefined ? "" : `${media}/tune-${tune}.wav`;
}

interface Place {
  foundation: Foundation;
  /** Of the fake upstream. */
  media: string;
  nowMs: number;
}

interface Charged {
  requestId: string;
  channelId: number;
  quota: number;
  atS: number;
}

/** Seconds of a video, each at the model's price; anything else is charged once. */
const factorOf = ({ video }: SeedTask): number => video?.seconds ?? 1;

/** Where the task's money is before anything goes back. */
function chargeOf({ status, usd }: SeedTask): TaskCharge {
  if (status === "") return "pending";
  if (status !== "FAILURE") return "charged";
  return usd > 0 ? "refund_due" : "uncharged";
}

/** Posts what the task was charged, as the relay does once the upstream has taken it. */
async function writeCharge(
  { billing, snapshot }: Foundation,
  task: SeedTask,
  caller: Caller,
  charged: Charged,
): Promise<void> {
  const { requestId, channelId, quota: charge, atS: createdAt } = charged;
  const { userId, tokenId, isLimited: isTokenLimited } = caller;
  const model = modelOf(task);
  const log = {
    ...BLANK_ENTRY,
    type: LOG_TYPE.consumption,
    requestId,
    createdAt,
    userId,
    username: caller.username,
    tokenId,
    tokenName: caller.tokenName,
    channelId,
    modelName: model,
    groupName: "default",
    quota: charge,
    ip: "127.0.0.1",
    useTimeMs: 640,
    other: JSON.stringify({
      endpoint: pathOf(task),
      model_price: task.usd / factorOf(task),
      ...(task.video === undefined ? {} : { call_factor: String(factorOf(task)) }),
      group_ratio: 1,
      admin_info: { use_channel: [channelId] },
    }),
  };
  const hold = await billing.hold({ requestId, userId, tokenId, amount: charge, isTokenLimited });
  await billing.settle(hold, {
    requestId,
    userId,
    tokenId,
    channelId,
    model,
    groupName: "default",
    charge,
    isTokenLimited,
    promptTokens: 0,
    completionTokens: 0,
    createdAt,
    detail: chargeDetail({
      usage: { ...NO_USAGE, callFactor: String(factorOf(task)) },
      price: { kind: "per_call", price: String(task.usd / factorOf(task)) },
      groupRatio: "1",
      quotaPerUnit: String(QUOTA_PER_USD),
      priceVersion: snapshot.priceVersion,
      model,
      namedModel: model,
    }),
    log,
  });
}

async function writeTask({ foundation, media, nowMs }: Place, task: SeedTask, caller: Caller, place: number) {
  const { database, snapshot } = foundation;
  const model = modelOf(task);
  const channelId = snapshot.channels().find(({ models }) => models.has(model))?.id ?? 0;
  const requestId = newRequestId();
  const submitMs = nowMs - task.minutesAgo * 60_000;
  const quota = Math.round(task.usd * QUOTA_PER_USD);
  const finishMs = task.seconds === undefined ? 0 : submitMs + task.seconds * 1000;
  const id =
    task.status === "" || task.code === 24 || task.failCode === "interrupted"
      ? ""
      : `${task.platform === "video" ? "video_" : ""}${(1_700_000_000_000 + place * 77_003_159).toString(task.platform === "mj" ? 10 : 36)}`;
  const atS = Math.floor(submitMs / 1000);
  const charge = chargeOf(task);
  if (quota > 0 && charge !== "pending")
    await writeCharge(foundation, task, caller, { requestId, channelId, quota, atS });
  await database.kysely
    .insertInto("tasks")
    .values({
      created_at: atS,
      updated_at: Math.floor((finishMs || nowMs) / 1000),
      platform: task.platform,
      action: task.action,
      task_id: id,
      request_id: requestId,
      user_id: caller.userId,
      token_id: caller.tokenId,
      channel_id: channelId,
      model,
      quota: charge === "pending" ? 0 : quota,
      charge,
      code: task.code ?? (id === "" ? 0 : 1),
      status: task.status,
      progress: isFinished(task.status) ? 100 : (task.progress ?? 0),
      prompt: task.prompt,
      result_url: resultOf(task, media),
      fail_code: task.failCode ?? "",
      fail_reason: task.failReason ?? "",
      submit_time_ms: submitMs,
      start_time_ms: task.status === "NOT_START" ? 0 : submitMs + 900,
      finish_time_ms: Math.round(finishMs),
      notify_url: "",
      notify_hash: "",
      properties: JSON.stringify(task.video === undefined ? null : { format: "openai", ...task.video }),
      data: JSON.stringify(dataOf(task, media, id)),
      // They are never polled, so they stay as they are.
      next_poll_time: 0,
      silent_polls: 0,
      deleted_at: null,
    })
    .execute();
  const written = charge === "refund_due" ? await taskOf(foundation, requestId) : undefined;
  if (written !== undefined) await settleEnded({ ...foundation, clock: () => finishMs }, written);
}

/** Writes the tasks, each under the first token of its user; those of missing users are skipped. */
export async function writeTasks(
  foundation: Foundation,
  tasks: readonly SeedTask[],
  callers: readonly Caller[],
  adminName: string,
  upstreamUrl: string,
): Promise<void> {
  const place: Place = { foundation, media: `${upstreamUrl}/media`, nowMs: Date.now() };
  for (const [index, task] of tasks.entries()) {
    const caller = callers.find(({ username }) => username === (task.of ?? adminName));
    if (caller !== undefined) await writeTask(place, task, caller, index);
  }
}
