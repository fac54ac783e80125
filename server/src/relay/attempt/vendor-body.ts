/** A call beside chat in a vendor's own format: made from OpenAI's request, whatever the client's format is; part of step 5. */
import { defined, objectOf } from "../../dialects/json/fields.ts";
import { parseExactObject } from "../../dialects/json/exact.ts";
import { openAiChatDialect } from "../../dialects/openai-chat/openai-chat.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { pictureAddresses, withPictureBytes } from "../../dialects/openai-chat/operations/images.ts";
import type { OperationAnswer, OperationCall } from "../../dialects/neutral/operation-codec.ts";
import {
  type OperationRequest,
  type RequestFile,
  type VendorOperation,
  isBinary,
} from "../../dialects/vendor-operation.ts";
import type { AddressedPictures, Target } from "../call/target.ts";
import { answerReader } from "../metering/reported-usage.ts";
import type { Accepted } from "../request/accepted.ts";
import type { RequestForm } from "../request/multipart-form.ts";
import type { TargetBody } from "./quirks.ts";

/** What is known of OpenAI's request: its body, and how its answer becomes that of a client of another format. */
type MadeForOpenAi = TargetBody & Pick<Target, "operationCall">;

type VendorBody = TargetBody &
  Pick<Target, "operationCall" | "polling" | "pictures" | "meteredFields"> & { contentType: string };

function ofForm({ parts }: RequestForm, body: Buffer, model: string): OperationRequest {
  const fields: Record<string, unknown> = {};
  const files: Record<string, RequestFile> = {};
  for (const part of parts) {
    const bytes = body.subarray(part.valueStart, part.valueEnd);
    if (part.isFile) files[part.name] = { bytes, name: part.fileName, mimeType: part.mimeType };
    else fields[part.name] = part.text;
  }
  return { fields: { ...fields, model }, files };
}

/** OpenAI's request as the vendor's operation takes it. */
const requestOf = ({ form, body: sent }: Accepted, body: Buffer, model: string): OperationRequest =>
  form === undefined
    ? { fields: objectOf(parseExactObject(body.toString("utf8"))), files: {} }
    : ofForm(form, sent, model);

const DATED: ReadonlySet<string> = new Set(["completions", "images", "image_edits", "image_variations"]);

/** The vendor's answer as the client gets it: OpenAI's, or that of another format made from it. */
function answerOf(
  operation: Accepted["operation"],
  made: ReturnType<VendorOperation["decodeAnswer"]>,
  inner: OperationCall | undefined,
): OperationAnswer | undefined {
  if (made === undefined) return undefined;
  if (isBinary(made)) return { rawUsage: undefined, encode: () => made };
  if (inner !== undefined) return inner.answer(made);
  const read = answerReader(operation, openAiChatDialect)?.(made) ?? { rawUsage: made["usage"] };
  // A vendor that counts nothing is counted here.
  if (operation === "embeddings")
    return {
      ...read,
      encode: ({ inputTokens: count }) => ({ usage: { prompt_tokens: count, total_tokens: count }, ...made }),
    };
  if (!DATED.has(operation)) return { ...read, encode: () => made };
  // OpenAI's answer says when it was made, which few vendors say.
  return { ...read, encode: (_usage, { createdAt }) => ({ created: createdAt, ...made }) };
}

/** Pictures to fetch, where the vendor gives addresses and the client wants bytes. */
function picturesOf(own: VendorOperation, request: OperationRequest): AddressedPictures | undefined {
  if (own.givesAddresses !== true || request.fields["response_format"] !== "b64_json") return undefined;
  const addressesIn = (answer: JsonObject): readonly string[] => {
    const made = own.decodeAnswer(answer, request);
    return made === undefined || isBinary(made) ? [] : pictureAddresses(made);
  };
  return { addressesIn, found: new Map() };
}

/** Throws TranslationFault where the vendor cannot do what was asked. */
export function vendorBody(
  accepted: Accepted,
  own: VendorOperation,
  made: MadeForOpenAi,
  upstreamModel: string,
): VendorBody {
  const warnings = [...made.warnings];
  const request = requestOf(accepted, made.body, upstreamModel);
  const encoded = own.encodeRequest(request, (field, reason) => void warnings.push(`${field}: ${reason}`));
  const [body, contentType] = isBinary(encoded)
    ? [encoded.bytes, encoded.mimeType]
    : [Buffer.from(JSON.stringify(encoded)), "application/json"];
  const pictures = picturesOf(own, request);
  const decoded = (answer: JsonObject): ReturnType<VendorOperation["decodeAnswer"]> => {
    const read = own.decodeAnswer(answer, request);
    return pictures === undefined || read === undefined || isBinary(read)
      ? read
      : withPictureBytes(read, pictures.found);
  };
  const operationCall: OperationCall = {
    fields: request.fields,
    answer: (fields) => answerOf(accepted.operation, decoded(fields), made.operationCall),
    ...(own.decodeBytes === undefined
      ? {}
      : {
          answerOfBytes: (bytes) => answerOf(accepted.operation, own.decodeBytes?.(bytes, request), made.operationCall),
        }),
  };
  return {
    body,
    warnings,
    operationCall,
    contentType,
    meteredFields: request.fields,
    ...defined({ polling: own.polling, pictures }),
  };
}
