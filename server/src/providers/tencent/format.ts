/** Hunyuan's own format (cloud.tencent.com/document/product/1729/105701), put together from its halves. */
import { vendorFormat } from "../../dialects/vendor-format.ts";
import { decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";
import { createDecoder } from "./format-stream.ts";

const own = vendorFormat({ encodeRequest, decodeAnswer, createDecoder });

export const format = () => own;
