/** Reads cassettes of vcr (YAML files with requests and answers), as pydantic-ai and others record their tests. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Fields, fieldsOf, listOf } from "../../tests/support/clients/client-formats.ts";
import { type Recording, placeOf } from "./recording.ts";

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

function headerOf(headers: Fields, name: string): string {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return textOf(Array.isArray(found) ? found[0] : found);
}

/** The answer's bytes as they are without their encoding; undefined where the cassette has none, or still compressed. */
function bytesOf(response: Fields): Buffer | undefined {
  if (response["parsed_body"] !== undefined) return Buffer.from(JSON.stringify(response["parsed_body"]));
  const held = fieldsOf(response["body"])["string"];
  if (typeof held === "string") return Buffer.from(held);
  if (!(held instanceof Uint8Array)) return undefined;
  const isGzip = held[0] === 0x1f && held[1] === 0x8b;
  return isGzip ? undefined : Buffer.from(held);
}

function requestOf(request: Fields): Fields {
  if (request["parsed_body"] !== undefined) return fieldsOf(request["parsed_body"]);
  const held = request["body"];
  const text = held instanceof Uint8Array ? Buffer.from(held).toString("utf8") : textOf(held);
  try {
    return fieldsOf(JSON.parse(text));
  } catch {
    return {}; // a form or a file: no chat
  }
}

const STREAM_TYPES = /event-stream|eventstream|ndjson|stream\+json/;

function recordingOf(interaction: Fields, source: string, name: string): Recording | undefined {
  const request = fieldsOf(interaction["request"]);
  const response = fieldsOf(interaction["response"]);
  const place = placeOf(textOf(request["uri"]).replace(/#stream$/, ""));
  const body = bytesOf(response);
  const asked = requestOf(request);
  if (place === undefined || body === undefined || body.length === 0 || request["method"] !== "POST") return undefined;
  const contentType = headerOf(fieldsOf(response["headers"]), "content-type");
  const model = place.model || textOf(asked["model"]) || "gpt-4o";
  const status = Number(fieldsOf(response["status"])["code"] ?? 200);
  // A stream kept as an object has lost its bytes: the tool that recorded it put the first event there.
  const isStream = STREAM_TYPES.test(contentType);
  if (isStream && response["parsed_body"] !== undefined && status < 400) return undefined;
  return { ...place, source, name, model, status, isStream, contentType: contentType || "application/json", body };
}

/** The chats that a cassette holds. Throws for a file that is no YAML. */
export function cassetteRecordings(file: string, source: string, name: string): Recording[] {
  const text = readFileSync(file, "utf8");
  if (!text.includes("interactions:")) return [];
  const cassette = fieldsOf(parse(text, { schema: "yaml-1.1", maxAliasCount: -1, logLevel: "silent" }));
  return listOf(cassette["interactions"]).flatMap((each, index) => {
    const recording = recordingOf(fieldsOf(each), source, `${name}#${index}`);
    return recording === undefined ? [] : [recording];
  });
}
