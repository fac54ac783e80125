/** Wenxin's own format (cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t), put together from its halves. */
import { vendorFormat } from "../../dialects/vendor-format.ts";
import { createDecoder, decodeAnswer } from "./format-answer.ts";
import { encodeRequest } from "./format-request.ts";

const own = vendorFormat({ encodeRequest, decodeAnswer, createDecoder });

export const format = () => own;
