/** Warns the client of cache breakpoints that the upstream does not support, since its costs depend on them; part of the hub. */
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

/** Warns of breakpoints that are not sent: of all if `isTaken` is absent. */
export function warnOfCacheMarks(
  request: NeutralRequest,
  warn: Warn,
  reason = OWN_CACHE,
  isTaken: (each: Markable, isInResult: boolean) => boolean = () => false,
): void {
  for (const [each, isInResult] of markable(request))
    if (each.cache !== undefined && !isTaken(each, isInResult)) return warn("cache_control", reason);
}
