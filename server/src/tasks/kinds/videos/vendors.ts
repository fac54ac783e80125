/** The list of vendors of videos, by channel type and by the format in a task's row. */
import type { VideoFormat, VideoProperties } from "../../../../../contract/src/tasks.ts";
import { objectOf, parseObject, textOf } from "../../../dialects/json/fields.ts";
import type { StoredTask } from "../kind.ts";
import { doubaoVideos } from "./doubao.ts";
import { geminiVideos } from "./gemini.ts";
import { hailuoVideos } from "./hailuo.ts";
import { jimengVideos } from "./jimeng.ts";
import { klingVideos } from "./kling.ts";
import { openAiVideos } from "./openai.ts";
import type { VideoTask, VideoVendor } from "./vendor.ts";
import { vertexVideos } from "./vertex.ts";
import { viduVideos } from "./vidu.ts";
import { wanVideos } from "./wan.ts";

const VENDORS: readonly VideoVendor[] = [
  openAiVideos,
  geminiVideos,
  klingVideos,
  jimengVideos,
  viduVideos,
  doubaoVideos,
  hailuoVideos,
  wanVideos,
  vertexVideos,
];

const byType = new Map(VENDORS.flatMap((vendor) => vendor.channelTypes.map((type) => [type, vendor] as const)));
const byFormat = new Map<string, VideoVendor>(VENDORS.map((vendor) => [vendor.format, vendor]));

/** The vendor behind channels of a type; undefined where they make no videos. */
export const vendorOfType = (channelType: number): VideoVendor | undefined => byType.get(channelType);

/** Rows of versions before this one have OpenAI's or Gemini's alone. */
const formatOf = (value: unknown): VideoFormat => byFormat.get(textOf(value))?.format ?? "openai";

/** What a task keeps of its request. */
export function videoProperties(task: Pick<StoredTask, "properties">): VideoProperties {
  const { format, seconds, size, mode, poll } = parseObject(task.properties) ?? {};
  const known = Object.entries(objectOf(poll)).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return {
    format: formatOf(format),
    seconds: typeof seconds === "number" ? seconds : 0,
    size: textOf(size),
    ...(typeof mode === "string" ? { mode } : {}),
    ...(known.length === 0 ? {} : { poll: Object.fromEntries(known) }),
  };
}

/** A stored task with its properties read, and its vendor. */
export function ofVendor(task: StoredTask): { vendor: VideoVendor; task: VideoTask } {
  const properties = videoProperties(task);
  return { vendor: byFormat.get(properties.format) ?? openAiVideos, task: { ...task, properties } };
}
