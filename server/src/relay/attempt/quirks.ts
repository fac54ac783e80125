/** Applies a provider's quirks, its deviations from its format, to the bytes of a request's body. */
import { readTopLevel } from "../../dialects/json/bytes.ts";
import { patchTopLevel } from "../../dialects/json/patch.ts";
import type { UpstreamFormat } from "../../dialects/dialect.ts";
import { parseExact } from "../../dialects/json/exact.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { Target } from "../call/target.ts";
import { type Accepted, bodyFields } from "../request/accepted.ts";
import type { Attempt } from "./attempts.ts";

/** The body to send, with its warnings. */
export type TargetBody = Pick<Target, "body" | "warnings" | "effort" | "promptTokens">;

/** A body made of the client's own: where it is no JSON inside, the error names the field. */
function parsedObject(body: Buffer, accepted: Accepted): JsonObject {
  try {
    return parseExact(body.toString("utf8")) as JsonObject;
  } catch (error) {
    bodyFields(accepted);
    throw error;
  }
}

/** Applies what differs at this provider; the body is parsed only where something does. */
export function applyQuirks(
  body: Buffer,
  { attempts, provider }: Attempt,
  dialect: UpstreamFormat,
  model: string,
): TargetBody {
  const { call, accepted } = attempts;
  const { limits, snapshot } = call.context;
  const warnings: string[] = [];
  let [patched, effort] = [body, ""];
  let parsed: JsonObject | undefined;
  for (const quirk of provider.quirks) {
    if (!quirk.appliesTo(model, accepted.operation, dialect.name)) continue;
    const fields = (parsed ??= parsedObject(patched, accepted));
    const { remove = [], set = {}, effort: named } = quirk.patch(fields, snapshot.options, model);
    effort = named ?? effort;
    if (remove.length === 0 && Object.keys(set).length === 0) continue;
    const edits = new Map<string, string | null>(remove.map((name) => [name, null]));
    for (const [name, value] of Object.entries(set)) edits.set(name, JSON.stringify(value));
    patched = patchTopLevel(patched, readTopLevel(patched.toString("latin1"), limits.jsonDepth), edits);
    parsed = undefined;
    warnings.push(`${[...edits.keys()].join(", ")} changed: ${quirk.reason}`);
  }
  return { body: patched, warnings, ...(effort === "" ? {} : { effort }) };
}
