/** Counting tokens at Bedrock: the call that would be made, in base64 (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html). */
import { numberOf } from "../../dialects/json/fields.ts";
import type { VendorOperation } from "../../dialects/vendor-operation.ts";
import type { Operation } from "../provider.ts";
import { BEDROCK_VERSION } from "./before-send.ts";

export const operations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  count_tokens: {
    // The endpoint makes it, which knows the channel.
    path: () => "",
    encodeRequest({ fields: { model: _model, stream: _stream, ...fields } }) {
      // A call needs a bound, which counts for nothing here.
      const call = { max_tokens: 1, ...fields, anthropic_version: BEDROCK_VERSION };
      return { input: { invokeModel: { body: Buffer.from(JSON.stringify(call)).toString("base64") } } };
    },
    decodeAnswer({ inputTokens }) {
      const tokens = numberOf(inputTokens);
      return tokens === undefined ? undefined : { input_tokens: tokens };
    },
  },
};
