/** The last step of a call to Coze: whose it is, and its files, uploaded ahead of it (coze.cn/docs/developer_guides/upload_files). */
import { randomUUID } from "node:crypto";
import { listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { uploadForm } from "../../dialects/upload-form.ts";
import type { SendTools } from "../outgoing.ts";
import type { BeforeSend, ProviderChannel } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { failure } from "./errors.ts";

interface Uploads {
  key: string;
  /** Where the vendor takes files. */
  url: string;
  tools: SendTools;
}

/** A part of a message as a call names it: a file by the id of its upload where it came with its data. */
async function uploaded(part: JsonObject, { key, url, tools }: Uploads): Promise<JsonObject> {
  if (part["data"] === undefined) return part;
  const bytes = Buffer.from(textOf(part["data"]), "base64");
  const whole = { bytes, mimeType: textOf(part["mime_type"]), name: textOf(part["name"]) };
  const form = uploadForm(whole, {}, `turnpike-${randomUUID()}`);
  const headers = ["authorization", `Bearer ${key}`, "content-type", form.mimeType];
  const answer = await tools.ask({ method: "POST", url, headers, body: form.bytes });
  const id = textOf(objectOf(answer.fields["data"])["id"]);
  if (id === "") throw new ProviderFault(failure(answer.status, answer.text));
  return { type: part["type"], file_id: id };
}

/** Content of several parts goes as the text of their list. */
async function readyMessage(message: JsonObject, uploads: Uploads): Promise<JsonObject> {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const parts = await Promise.all(content.map((part) => uploaded(objectOf(part), uploads)));
  return { ...message, content: JSON.stringify(parts) };
}

/** Calls of nobody's have a name of their own each, so that the agent remembers nothing of one for another. */
export const beforeSend: BeforeSend = async (request, { key }: ProviderChannel, _call, tools) => {
  const fields = parseObject(request.body.toString("utf8")) ?? {};
  const uploads = { key, tools, url: request.url.replace(/\/v3\/chat$/, "/v1/files/upload") };
  const messages = listOf(fields["additional_messages"]).map((message) => readyMessage(objectOf(message), uploads));
  const changed = {
    ...fields,
    user_id: textOf(fields["user_id"]) || `turnpike-${randomUUID()}`,
    additional_messages: await Promise.all(messages),
  };
  return { ...request, body: Buffer.from(JSON.stringify(changed)) };
};
