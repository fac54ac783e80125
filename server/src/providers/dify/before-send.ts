/** The last step of a call to Dify: whose it is, and its files, uploaded ahead of it (docs.dify.ai/api-reference/files/upload-file). */
import { randomUUID } from "node:crypto";
import { listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import { uploadForm } from "../../dialects/upload-form.ts";
import type { SendTools } from "../outgoing.ts";
import type { BeforeSend, ProviderChannel } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { failure } from "./errors.ts";

/** The file as a call names it: by the id of its upload where it came with its data. */
async function uploaded(
  file: JsonObject,
  user: string,
  root: string,
  key: string,
  tools: SendTools,
): Promise<JsonObject> {
  if (file["data"] === undefined) return file;
  const bytes = Buffer.from(textOf(file["data"]), "base64");
  const whole = { bytes, mimeType: textOf(file["mime_type"]), name: textOf(file["name"]) };
  const form = uploadForm(whole, { user }, `turnpike-${randomUUID()}`);
  const headers = ["authorization", `Bearer ${key}`, "content-type", form.mimeType];
  const answer = await tools.ask({ method: "POST", url: `${root}/files/upload`, headers, body: form.bytes });
  const id = textOf(answer.fields["id"]);
  if (id === "") throw new ProviderFault(failure(answer.status, answer.text));
  return { type: file["type"], transfer_method: "local_file", upload_file_id: id };
}

/** Everything behind the address of an app of any kind is beside it. */
const rootOf = (url: string): string => url.replace(/\/(?:chat-messages|completion-messages|workflows\/run)$/, "");

/** Calls of nobody's have a name of their own each, so that the app remembers nothing of one for another. */
export const beforeSend: BeforeSend = async (request, { key }: ProviderChannel, _call, tools) => {
  const fields = parseObject(request.body.toString("utf8")) ?? {};
  const user = textOf(fields["user"]) || `turnpike-${randomUUID()}`;
  const root = rootOf(request.url);
  const files = await Promise.all(
    listOf(fields["files"]).map((file) => uploaded(objectOf(file), user, root, key, tools)),
  );
  const changed = { ...fields, user, ...(files.length === 0 ? {} : { files }) };
  return { ...request, body: Buffer.from(JSON.stringify(changed)) };
};
