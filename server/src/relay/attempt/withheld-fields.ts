/** Fields of a request that a channel's settings withhold, and calls that it does not take for one of them; part of step 5. */
import { TranslationFault } from "../../dialects/neutral/neutral.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { WithheldField } from "../../snapshot/channel-setting.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { isObject } from "../../util/json-read.ts";
import { canSearch } from "../../dialects/openai-chat/request-encode.ts";
import type { ProviderManifest } from "../../providers/provider.ts";
import { type Accepted, requestField } from "../request/accepted.ts";

const REASON = "its channel leaves it out";

/** What a request's fields become, with the warnings of those that are left out: undefined stands for a field that goes. */
export interface Withheld {
  edits: ReadonlyMap<string, JsonObject | undefined>;
  warnings: readonly string[];
}

const NOTHING: Withheld = Object.freeze({ edits: new Map(), warnings: [] });

function withoutOption(options: unknown): JsonObject | undefined {
  if (!isObject(options) || !("include_obfuscation" in options)) return undefined;
  const { include_obfuscation: _left, ...rest } = options as JsonObject;
  return rest;
}

/** What stays behind of the fields that `read` gives, at this channel. */
export function withheldFields(
  { setting: { withheld } }: Pick<SnapshotChannel, "setting">,
  read: (name: string) => unknown,
): Withheld {
  if (withheld === undefined) return NOTHING;
  const edits = new Map<string, JsonObject | undefined>();
  const warnings: string[] = [];
  const leave = (field: WithheldField, name: string, value: JsonObject | undefined): void => {
    edits.set(name, value);
    warnings.push(`${field}: ${REASON}`);
  };
  for (const field of withheld) {
    if (field !== "include_obfuscation") {
      if (read(field) !== undefined) leave(field, field, undefined);
      continue;
    }
    const options = withoutOption(read("stream_options"));
    if (options !== undefined) leave(field, "stream_options", options);
  }
  return { edits, warnings };
}

/**
 * Throws TranslationFault for a call that names a place for inference where the channel does not let that through: who asks that words stay
 * somewhere must not find them elsewhere, so another channel is tried (platform.claude.com/docs/en/build-with-claude/data-residency).
 */
export function refuseInferenceGeo(accepted: Accepted, { setting }: Pick<SnapshotChannel, "setting">): void {
  if (setting.refusesInferenceGeo !== true) return;
  const value = requestField(accepted, "inference_geo");
  if (value !== undefined && value !== null)
    throw new TranslationFault("inference_geo", "no channel of this model lets it through");
}

/**
 * Throws TranslationFault for a search that a request of chat completions asks for, where the vendor is known to read past the field in
 * this format, or is not known to search where the gateway can: another format of it may search, and who asks for one must not get an answer that was never looked up.
 */
export function refuseUnservedSearch(
  accepted: Accepted,
  { webSearch, name }: Pick<ProviderManifest, "webSearch" | "name">,
  model: string,
  isMadeHere: boolean,
): void {
  if ((webSearch ?? (isMadeHere ? "none" : undefined)) !== "none" || accepted.operation !== "chat" || canSearch(model))
    return;
  if (isObject(requestField(accepted, "web_search_options")))
    throw new TranslationFault("web_search_options", `${name} has no web search in chat completions`);
}
