/** The last step of a call to Dify: whose it is, and its files, uploaded ahead of it (docs.dify.ai/api-reference/files/upload-file). */
import { randomUUID } from "node:crypto";
import { listOf, objectOf, parseObject, textOf } from "../../dialects/json/fields.ts";
import type { JsonObject } from "../../dialects/neutral/neutral.ts";
import type { SendTools } from "../outgoing.ts";
import type { BeforeSend, ProviderChannel } from "../provider.ts";
import { ProviderFault } from "../provider-fault.ts";
import { failure } from "./errors.ts";

/** Types whose files end otherwise than their type says. */
const ENDINGS: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "text/plain": "txt", "audio/mpeg": "mp3" };

const endingOf = (mimeType: string): string => ENDINGS[mimeType] ?? mimeType.replace(/^.*\//, "").replace(/\W.*$/, "");

/** A form of the file and whose it is, as `multipart/form-data` (RFC 7578). */
function formOf(file: JsonObject, user: string): { type: string; body: Buffer } {
  const boundary = `turnpike-${randomUUID()}`;
  const mimeType = textOf(file["mime_type"]);
  const name = (textOf(file["name"]) || `file.${endingOf(mimeType)}`).replaceAll(/["\r\n\\]/g, "_");
  const part = (disposition: string): string => `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${part('name="user"')}\r\n${user}\r\n`),
    Buffer.from(`${part(`name="file"; filename="${name}"`)}content-type: ${mimeType}\r\n\r\n`),
    Buffer.from(textOf(file["data"]), "base64"),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}

/** The file as a call names it: by the id of its upload where it came with its data. */
async function uploaded(
  file: JsonObject,
  user: string,
  root: string,
  key: string,
  tools: SendTools,
): Promise<JsonObject> {
  if (file["data"] === undefined) return file;
  const { type, body } = formOf(file, user);
  const headers = ["authorization", `Bearer ${key}`, "content-type", type];
  const answer = await tools.ask({ method: "POST", url: `${root}/files/upload`, headers, body });
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
