/** Bedrock's last step: Claude's body in its envelope, then who is asking (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html). */
import { cloudBetas, cloudBody } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import type { BeforeSend } from "../provider.ts";
import { authorization } from "./signature.ts";

export const BEDROCK_VERSION = "bedrock-2023-05-31";

export const beforeSend: BeforeSend = async (request, { key }, call, { nowMs }) => {
  const isInvoked = call.operation === "chat" && call.dialect !== "vendor";
  const { betas, warnings } = isInvoked ? cloudBetas(call, "Bedrock") : { betas: [], warnings: [] };
  const body = isInvoked
    ? cloudBody(request.body, { version: BEDROCK_VERSION, left: ["model", "stream"], betas })
    : request.body;
  const ready = { ...request, body };
  const headers = [...request.headers, ...(await authorization(key, ready, nowMs))];
  return { ...ready, headers, ...(warnings.length === 0 ? {} : { warnings }) };
};
