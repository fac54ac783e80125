/** Cohere's own chat, version 2 (docs.cohere.com/reference/chat), put together from its halves. */
import { textOf } from "../../dialects/json/fields.ts";
import { vendorFormat } from "../../dialects/vendor-format.ts";
import { decodeAnswer, isBrokenEnd } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";

const own = vendorFormat({
  encodeRequest,
  decodeAnswer,
  createDecoder,
  isErrorBody: (fields) => isBrokenEnd(textOf(fields["finish_reason"])),
});

export const format = () => own;
