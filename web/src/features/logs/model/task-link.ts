/** The way from a charge or a refund in the log to its drawing, song or video. Pure. */

/** Paths of the calls that hand a task over, and the log in which it stands. */
const LOGS = [
  { path: /^\/mj(?:-\w+)?\//, platform: "mj", to: "/midjourney" },
  { path: /^\/suno\//, platform: "suno", to: "/task" },
  { path: /^\/v1\/videos/, platform: "video", to: "/task" },
  { path: /:predictLongRunning$/, platform: "video", to: "/task" },
] as const;

/**
 * The page on which the task of a call stands; undefined where the call was none.
 * @param endpoint path of the call, as its receipt has it
 * @param platform as the event of a refund has it
 */
export function taskLog(endpoint: string | undefined, platform: unknown): (typeof LOGS)[number]["to"] | undefined {
  const log = LOGS.find((each) => each.platform === platform || each.path.test(endpoint ?? ""));
  return log?.to;
}
