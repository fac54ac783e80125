/** Gemini's generateContent request -> neutral (ai.google.dev/api/generate-content#request-body). */
import type { PathInfo } from "../neutral/info.ts";
import { readConfig, unknownConfig } from "./settings-decode.ts";
import { ContentsReader, readSystem } from "./messages-decode.ts";
import { objectAt, pick, spellings, textAt } from "./fields.ts";
import { readToolConfig, readTools } from "./tools.ts";
import { defined, unknownNames } from "../json/fields.ts";
import { type JsonObject, type NeutralRequest, TranslationFault } from "../neutral/neutral.ts";
import { isKeptOf } from "../neutral/privacy.ts";

const READ = spellings([
  "contents",
  "systemInstruction",
  "generationConfig",
  "tools",
  "toolConfig",
  "cachedContent",
  "continuationToken",
  "labels",
  "serviceTier",
  "model",
]);

/** What stands on the vendor's side and cannot be read from here. */
const STORED = ["cachedContent", "continuationToken"] as const;

function refuseStored(fields: JsonObject): void {
  for (const name of STORED) {
    if (pick(fields, name) === undefined) continue;
    throw new TranslationFault(
      name,
      `${name} names something kept by Google, which the model behind this name cannot read.`,
    );
  }
}

function serviceTierOf(fields: JsonObject): string | undefined {
  const tier = textAt(pick(fields, "serviceTier"), "serviceTier")?.toLowerCase();
  return tier === undefined || tier === "unspecified" ? undefined : tier;
}

/** Throws TranslationFault with the path of what is malformed or would change the answer. */
export function decodeRequest(fields: JsonObject, path: PathInfo): NeutralRequest {
  refuseStored(fields);
  const config = objectAt(pick(fields, "generationConfig"), "generationConfig") ?? {};
  const reader = new ContentsReader();
  reader.read(pick(fields, "contents"));
  if (reader.messages.length === 0) throw new TranslationFault("contents", "contents holds no parts.");
  const metadata = objectAt(pick(fields, "labels"), "labels");
  // Vendors of other formats store nothing by default, or are asked not to.
  const isKept = isKeptOf(fields);
  const unknown = unknownNames(fields, READ).filter((name) => !(name === "store" && isKept === false));
  const droppedTools: string[] = [];
  const drop = (path: string): void => void droppedTools.push(path);
  const tools = readTools(pick(fields, "tools"), drop);
  return {
    model: path.model,
    isStream: path.isStream,
    system: readSystem(pick(fields, "systemInstruction")),
    messages: reader.messages,
    ...readToolConfig(pick(fields, "toolConfig"), tools, drop),
    ...readConfig(config),
    ...defined({ metadata, serviceTier: serviceTierOf(fields), isKept }),
    unknownFields: [...unknown, ...unknownConfig(config), ...droppedTools, ...reader.unknownFields],
  };
}
