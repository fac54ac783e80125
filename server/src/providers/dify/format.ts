/** The format of Dify's apps (docs.dify.ai/api-reference): a question there, and always events back, for agents give nothing else. */
import {
  type FilePart,
  type AudioPart,
  type ImagePart,
  type JsonObject,
  type NeutralPart,
  type NeutralRequest,
  TranslationFault,
  type Warn,
} from "../../dialects/neutral/neutral.ts";
import { checkForApp, conversationText } from "../../dialects/app-request.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { ProviderChannel } from "../provider.ts";
import { createDecoder } from "./format-stream.ts";

const FILE_TYPES = { image: "image", file: "document", audio: "audio" } as const;

type Attached = ImagePart | FilePart | AudioPart;

const isAttached = (part: NeutralPart): part is Attached =>
  part.kind === "image" || part.kind === "file" || part.kind === "audio";

/** A file at its address, or with its data: before-send.ts uploads those and puts their ids in the place. */
function fileOf(part: Attached): JsonObject {
  const type = FILE_TYPES[part.kind];
  if (part.source.kind === "url") return { type, transfer_method: "remote_url", url: part.source.url };
  const { data, mimeType } = part.source;
  const name = part.kind === "file" && part.name !== undefined ? { name: part.name } : {};
  return { type, transfer_method: "local_file", data, mime_type: mimeType, ...name };
}

function encodeRequest(kind: string, request: NeutralRequest, warn: Warn): JsonObject {
  checkForApp(request, "Dify", warn);
  const files = request.messages.flatMap(({ parts }) => parts.filter(isAttached).map(fileOf));
  if (kind === "workflow" && files.length > 0)
    throw new TranslationFault(
      "messages",
      "The Dify workflow behind this name takes files in variables of its own only.",
    );
  const query = conversationText(request);
  const base = { response_mode: "streaming", user: request.user ?? "", ...(files.length === 0 ? {} : { files }) };
  // Without a conversation of its own to go on with: every call brings all of its turns.
  if (kind === "completion" || kind === "workflow") return { inputs: { query }, ...base };
  return { inputs: {}, query, auto_generate_name: false, ...base };
}

export const format = ({ other, baseUrl }: ProviderChannel) =>
  vendorFormat({
    encodeRequest: (request, warn) => encodeRequest(other, request, warn),
    // Every answer is asked for as events; a body in one piece is an error or nothing of theirs.
    decodeAnswer: () => undefined,
    createDecoder: () => createDecoder(baseUrl),
  });
