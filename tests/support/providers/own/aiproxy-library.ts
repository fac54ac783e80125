/** A knowledge base of AI Proxy: one question, an answer with its documents, and failures of status 200 (tests/fixtures/providers/aiproxy-library/source.txt). */
import type { ServerResponse } from "node:http";
import type { Fields } from "../../clients/client-formats.ts";
import { type OwnVendor, type RunningVendor, type SeenVendorRequest, startHttpVendor, WORDS } from "../own-vendor.ts";
import { providerFixture } from "../fixtures.ts";

const KEY = "ap-key-of-the-test";
const LIBRARY = "4711";
const FAILURES = [
  { name: "200-key", kind: "auth" },
  { name: "200-rate", kind: "rate" },
  { name: "200-library", kind: "overloaded" },
] as const;
const KNOWN = ["model", "query", "libraryId", "stream"];
const documents = [{ title: "Manual", url: "https://docs.example/manual" }];

function bodyFault(body: Fields): string | undefined {
  const strange = Object.keys(body).find((name) => !KNOWN.includes(name));
  if (strange !== undefined) return `unknown field ${strange}`;
  if (body["libraryId"] !== LIBRARY) return "libraryId";
  return typeof body["query"] === "string" && body["query"] !== "" ? undefined : "query";
}

function answer(seen: SeenVendorRequest, response: ServerResponse, vendor: RunningVendor): void {
  const body = JSON.parse(seen.body.toString()) as Fields;
  const json = (text: string): void => void response.writeHead(200, { "content-type": "application/json" }).end(text);
  const stream = (events: readonly object[]): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(events.map((event) => `data:${JSON.stringify(event)}\n\n`).join(""));
  };
  const failing = FAILURES[vendor.failing ?? -1];
  if (failing !== undefined) {
    const text = providerFixture("aiproxy-library", `${failing.name}.json`);
    return body["stream"] === true ? stream([JSON.parse(text) as object]) : json(text);
  }
  const isAuthorised = seen.headers["authorization"] === `Bearer ${KEY}` && seen.path === "/api/library/ask";
  const fault = isAuthorised ? bodyFault(body) : "address or key";
  if (fault !== undefined) {
    vendor.complaints.push(fault);
    return json(JSON.stringify({ success: false, errCode: 400, message: fault }));
  }
  if (body["stream"] !== true) return json(JSON.stringify({ success: true, answer: WORDS, documents, errCode: 0 }));
  const piece = (content: string) => ({ content, finish: false, model: body["model"] });
  stream([piece(WORDS.slice(0, 3)), piece(WORDS.slice(3)), { content: "", finish: true, documents }]);
}

export const vendor: OwnVendor = {
  name: "AI Proxy knowledge base",
  type: 21,
  key: KEY,
  other: LIBRARY,
  model: "gpt-4o",
  takesTools: false,
  takesPictures: false,
  thinks: false,
  takesSchemas: false,
  counted: "estimated",
  failures: FAILURES,
  start: () => startHttpVendor(answer),
};
