/** A vendor with a format, calls and tokens of its own, for the tests of the provider interface (no such vendor exists). */
import { createHmac } from "node:crypto";
import { listOf, objectOf, parseObject, textOf } from "../../../server/src/dialects/json/fields.ts";
import { readFailure, withKind } from "../../../server/src/dialects/neutral/failure.ts";
import type { NeutralEvent } from "../../../server/src/dialects/neutral/neutral.ts";
import { vendorFormat } from "../../../server/src/dialects/vendor-format.ts";
import type { VendorOperation } from "../../../server/src/dialects/vendor-operation.ts";
import { defineProvider } from "../../../server/src/providers/define.ts";
import { malformedKey, keyParts } from "../../../server/src/providers/provider-fault.ts";
import type { BeforeSend, Operation, UpstreamFailure } from "../../../server/src/providers/provider.ts";

// Its format: `{say, last}` goes there; `{text, tokens}` or lines of it come back. A model named `socket` is reached by WebSocket.

const usageOf = (tokens: unknown) => ({ prompt_tokens: tokens, completion_tokens: 2 });

const own = vendorFormat({
  encodeRequest: ({ messages, isStream }) => ({
    say: messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "text" ? [part.text] : []))),
    streamed: isStream,
  }),
  decodeAnswer: ({ text, tokens }) =>
    typeof text === "string"
      ? { id: "z-1", choices: [{ parts: [{ kind: "text", text }], finish: "stop" }], rawUsage: usageOf(tokens) }
      : undefined,
  createDecoder: () => ({
    push(_event, data): NeutralEvent[] {
      const { text, tokens, last } = parseObject(data) ?? {};
      const words: NeutralEvent[] = [{ kind: "text", choice: 0, text: textOf(text) }];
      if (last !== true) return words;
      return [
        ...words,
        { kind: "finish", choice: 0, reason: "stop" },
        { kind: "usage", raw: usageOf(tokens) },
        { kind: "end" },
      ];
    },
  }),
});

const format = () => own;
const isLastMessage = (text: string): boolean => parseObject(text)?.["last"] === true;

// Its failures, which come with a status of success: `{"fault": "no such key"}`.

const STATUSES: Readonly<Record<string, number>> = { token_expired: 401, busy: 503 };

const isFailure = (text: string): boolean => text.includes('"fault"');

function failure(status: number, body: string): UpstreamFailure {
  const code = /"fault"\s*:\s*"(\w+)"/.exec(body)?.[1] ?? "";
  return withKind({ ...readFailure(STATUSES[code] ?? status, body), code }, { token_expired: "auth" });
}

/** Its calls beside chat: vectors, pictures as a task, speech in hexadecimal, and recordings as bytes. */
const ownOperations: Readonly<Partial<Record<Operation, VendorOperation>>> = {
  embeddings: {
    path: (model) => `/vectors/${model}`,
    encodeRequest: ({ fields }, warn) => {
      if (fields["user"] !== undefined) warn("user", "the vendor knows none");
      return { texts: fields["input"] };
    },
    decodeAnswer: ({ vectors, counted }) => ({
      object: "list",
      data: listOf(vectors).map((embedding, index) => ({ object: "embedding", index, embedding })),
      usage: { prompt_tokens: counted, total_tokens: counted },
    }),
  },
  images: {
    path: () => "/draw",
    encodeRequest: ({ fields }) => ({ what: fields["prompt"] }),
    decodeAnswer: ({ url }) => (typeof url === "string" ? { created: 1, data: [{ url }] } : undefined),
    polling: {
      next: ({ task, url }) => (typeof task === "string" && url === undefined ? `/task/${task}` : undefined),
      everyMs: 5,
      limitMs: 5_000,
    },
  },
  speech: {
    path: () => "/speak",
    encodeRequest: ({ fields }) => ({ words: fields["input"] }),
    decodeAnswer: ({ audio }) => ({ bytes: Buffer.from(textOf(audio), "hex"), mimeType: "audio/mpeg" }),
  },
  transcriptions: {
    path: (model) => `/listen?model=${model}`,
    encodeRequest: ({ files }) => ({ bytes: files["file"]?.bytes ?? Buffer.alloc(0), mimeType: "audio/wav" }),
    decodeAnswer: (answer) => ({ text: textOf(objectOf(answer["result"])["text"]) }),
  },
};

/** Its last step: a token in exchange for the key, and the request's length under the key's secret. */
const beforeSend: BeforeSend = async (request, channel, { model }, tools) => {
  const [id = "", secret = ""] = keyParts(channel.key);
  if (secret === "") throw malformedKey("the key must be id|secret");
  const token = await tools.accessToken("chat", async () => {
    const { fields } = await tools.ask({ method: "POST", url: `${channel.baseUrl}/token?id=${id}`, headers: [] });
    return { token: textOf(fields["token"]), lifetimeSeconds: 3600 };
  });
  const signature = createHmac("sha256", secret).update(request.body).digest("hex");
  const headers = [...request.headers, "authorization", token, "x-signature", signature];
  return { ...request, headers, url: model === "socket" ? request.url.replace(/^http/, "ws") : request.url };
};

export const zenith = defineProvider({
  id: 4713,
  slug: "zenith",
  name: "Zenith",
  defaultBaseUrl: "https://api.zenith.example",
  dialects: ["vendor"],
  models: ["zenith-1"],
  operations: ["chat", "embeddings", "images", "speech", "transcriptions", "models"],
  keyForms: [["id", "secret"]],
  keyHeader: "",
  paths: { chat: "/chat" },
  failure,
  isFailure,
  format,
  isLastMessage,
  ownOperations,
  beforeSend,
});
