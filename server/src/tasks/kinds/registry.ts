/** The list of kinds of tasks by platform. Separate from kind.ts, which every kind imports. */
import type { TaskPlatform } from "../../../../contract/src/tasks.ts";
import { ownOf } from "../../dialects/json/fields.ts";
import { image } from "./image.ts";
import type { TaskKind } from "./kind.ts";
import { song } from "./song.ts";
import { video } from "./video.ts";

export const TASK_KINDS = { mj: image, suno: song, video } as const satisfies Readonly<Record<TaskPlatform, TaskKind>>;
export type ServedPlatform = keyof typeof TASK_KINDS;

/** Undefined for a platform that this version does not know. */
export const kindOf = (platform: string): TaskKind | undefined => ownOf<TaskKind>(TASK_KINDS, platform);
