/** Bedrock's own format, Converse (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html), put together from its halves. */
import { vendorFormat } from "../../dialects/vendor-format.ts";
import type { ProviderChannel } from "../provider.ts";
import { decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";
import { traitsOf } from "./models.ts";

export const format = (_channel: ProviderChannel, model: string) =>
  vendorFormat({
    encodeRequest,
    decodeAnswer,
    createDecoder: () => createDecoder(traitsOf(model).streamsWholeInput),
  });
