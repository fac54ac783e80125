/** Bedrock's last step: the body in its envelope, then who is asking (docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html). */
import { cloudBody } from "../../dialects/anthropic-messages/vendors/cloud.ts";
import { siteHeaders } from "../../dialects/anthropic-messages/vendors/site-settings.ts";
import type { BeforeSend, ProviderCall } from "../provider.ts";
import { authorization } from "./signature.ts";

export const BEDROCK_VERSION = "bedrock-2023-05-31";

/** Betas that Bedrock has: it refuses the whole call over another one, and clients name those of the vendor's own API with every call. */
const BETAS =
  /^(?:computer-use|token-efficient-tools|interleaved-thinking|fine-grained-tool-streaming|output-128k|dev-full-thinking|context-1m|context-management|effort|tool-search-tool|tool-examples|compact)-\d{4}-\d\d-\d\d$/i;

const listIn = (header: string | undefined): string[] =>
  (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** The site's betas for a model as they are; of the client's those that Bedrock has. */
function betasOf({ headers, site }: ProviderCall): { betas: string[]; left: string[] } {
  const ofSite = siteHeaders(site)["anthropic-beta"];
  if (ofSite !== undefined) return { betas: listIn(ofSite), left: [] };
  const given = listIn(headers["anthropic-beta"]);
  return { betas: given.filter((each) => BETAS.test(each)), left: given.filter((each) => !BETAS.test(each)) };
}

export const beforeSend: BeforeSend = async (request, { key }, call, { nowMs }) => {
  const isChat = call.operation === "chat";
  const { betas, left } = isChat ? betasOf(call) : { betas: [], left: [] };
  const body = isChat
    ? cloudBody(request.body, { version: BEDROCK_VERSION, left: ["model", "stream"], betas })
    : request.body;
  const ready = { ...request, body };
  const headers = [...request.headers, ...(await authorization(key, ready, nowMs))];
  const warnings = left.map((name) => `anthropic-beta: Bedrock has no ${name}`);
  return { ...ready, headers, ...(warnings.length === 0 ? {} : { warnings }) };
};
