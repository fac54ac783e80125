/** A log row leads to the log of its task: by the path of the call, or by what a refund says. */
import { expect, test } from "vitest";
import { taskLog } from "./log-row.ts";

test.each([
  ["/mj/submit/imagine", undefined, "/midjourney"],
  ["/mj-fast/mj/submit/blend", undefined, "/midjourney"],
  ["/suno/submit/music", undefined, "/task"],
  ["/v1/videos", undefined, "/task"],
  ["/v1beta/models/veo-3.0:predictLongRunning", undefined, "/task"],
  [undefined, "mj", "/midjourney"],
  [undefined, "video", "/task"],
  ["/v1/chat/completions", undefined, undefined],
  [undefined, undefined, undefined],
])("%s, %s", (endpoint, platform, expected) => expect(taskLog(endpoint, platform)).toBe(expected));
