/** Fields that an upstream does not take, dropped with a warning: cache breakpoints, and too long ids of users; part of the hub. */
import type { CacheMark, NeutralPart, NeutralRequest, NeutralTool, Warn } from "./neutral.ts";

/** Why most upstreams take none. */
const OWN_CACHE = "the vendor keeps its cache by itself";

type Markable = (NeutralPart | NeutralTool) & { cache?: CacheMark };

/** All parts of a request that may have a breakpoint; `isInResult` for a tool's result. */
function* markable({
  system,
  tools,
  messages,
}: NeutralRequest): Generator<readonly [each: Markable, isInResult: boolean]> {
  for (const each of [...system, ...tools]) yield [each, false];
  for (const { parts } of messages)
    for (const part of parts) {
      yield [part, false];
      if (part.kind === "tool_result") for (const inner of part.parts) yield [inner, true];
    }
}

/** Warns of breakpoints that are not sent, since costs depend on them: of all if `isTaken` is absent. */
export function warnOfCacheMarks(
  request: NeutralRequest,
  warn: Warn,
  reason = OWN_CACHE,
  isTaken: (each: Markable, isInResult: boolean) => boolean = () => false,
): void {
  for (const [each, isInResult] of markable(request))
    if (each.cache !== undefined && !isTaken(each, isInResult)) return warn("cache_control", reason);
}

/** OpenAI's `user` (github.com/maximhq/bifrost/pull/1000); Claude Code's names are about 200 characters long. */
export const OPENAI_USER_LENGTH = 64;

/** The client's id of its own user if the vendor accepts it. It only helps the vendor to distinguish users, so one that is too long is dropped. */
export function fittingUser(user: string | undefined, most: number, warn: Warn): string | undefined {
  if (user === undefined || user.length <= most) return user;
  warn("user", `the vendor takes names of up to ${most} characters`);
  return undefined;
}
