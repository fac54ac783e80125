/** docs/providers.md lists what is tested of providers, and every operation of a definition is tested. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { FormatName } from "../../server/src/dialects/dialect.ts";
import { providerRegistry } from "../../server/src/providers/registry.ts";
import {
  type Covered,
  type Elsewhere,
  coveredOf,
  providersDocument,
  WITHOUT_TYPE,
} from "../support/providers/document.ts";
import { documentedProvider } from "../support/providers/documented.ts";
import { OPERATION_CASES } from "../support/providers/operation-cases.ts";
import { ownVendors } from "../support/providers/own-vendor.ts";
import { COMPATIBLE_VENDORS } from "../support/providers/vendors.ts";

const OPERATIONS_TEST = "tests/relay/operations.test.ts";
const GATEWAY = "tests/relay/gateway-upstream.test.ts";
const MATRIX = "tests/sdk/matrix.test.ts";

const ELSEWHERE: Elsewhere = {
  1: {
    videos: "tests/relay/videos.test.ts",
    chat: MATRIX,
    completions: OPERATIONS_TEST,
    embeddings: OPERATIONS_TEST,
    images: OPERATIONS_TEST,
    image_edits: "tests/relay/multipart-forms.test.ts",
    image_variations: "tests/relay/multipart-forms.test.ts",
    speech: "tests/relay/audio.test.ts",
    transcriptions: "tests/relay/audio.test.ts",
    translations: "tests/relay/audio.test.ts",
    moderations: OPERATIONS_TEST,
    rerank: OPERATIONS_TEST,
    realtime: "tests/relay/realtime.test.ts",
    models: "server/src/composition/channel-tools.test.ts",
  },
  3: {
    videos: "server/src/providers/azure.test.ts",
    completions: "tests/relay/azure.test.ts",
    embeddings: "tests/relay/azure.test.ts",
    images: "tests/relay/azure.test.ts",
    image_edits: "tests/relay/azure.test.ts",
    speech: "tests/relay/azure.test.ts",
    transcriptions: "tests/relay/azure.test.ts",
    translations: "tests/relay/azure.test.ts",
    realtime: "tests/relay/azure.test.ts",
    models: "tests/relay/cloud-tools.test.ts",
  },
  2: { drawings: "tests/relay/image-tasks.test.ts" },
  5: { drawings: "tests/relay/image-tasks.test.ts" },
  36: { songs: "tests/relay/songs.test.ts" },
  50: { videos: "tests/relay/video-vendors.test.ts" },
  51: { videos: "tests/relay/video-vendors.test.ts" },
  52: { videos: "tests/relay/video-vendors.test.ts" },
  17: { videos: "tests/relay/film-vendors.test.ts" },
  45: { videos: "tests/relay/film-vendors.test.ts" },
  54: { videos: "tests/relay/film-vendors.test.ts" },
  55: { videos: "tests/relay/veo-and-sora.test.ts" },
  4: {
    completions: "server/src/providers/ollama.test.ts",
    models: "server/src/providers/ollama.test.ts",
  },
  8: {
    chat: "tests/relay/custom.test.ts",
    completions: "tests/relay/custom.test.ts",
    embeddings: "tests/relay/custom.test.ts",
    models: "server/src/providers/custom.test.ts",
  },
  14: { chat: MATRIX, count_tokens: OPERATIONS_TEST, models: "server/src/composition/channel-tools.test.ts" },
  24: {
    chat: MATRIX,
    videos: "tests/relay/videos.test.ts",
    count_tokens: OPERATIONS_TEST,
    embeddings: "tests/sdk/gemini-operations.test.ts",
    images: "tests/relay/imagen.test.ts",
    models: "server/src/composition/channel-tools.test.ts",
  },
  15: { embeddings: "tests/relay/native-calls.test.ts" },
  23: { images: "tests/relay/native-calls.test.ts" },
  33: { count_tokens: "tests/relay/aws.test.ts", models: "tests/relay/cloud-tools.test.ts" },
  34: { models: "server/src/providers/cohere/cohere.test.ts" },
  35: { speech: "tests/relay/minimax.test.ts", videos: "tests/relay/film-vendors.test.ts" },
  41: {
    count_tokens: "tests/relay/vertex.test.ts",
    embeddings: "tests/relay/vertex.test.ts",
    images: "tests/relay/vertex.test.ts",
    videos: "tests/relay/veo-and-sora.test.ts",
    models: "tests/relay/cloud-tools.test.ts",
  },
  59: {
    chat: GATEWAY,
    embeddings: GATEWAY,
    images: GATEWAY,
    image_edits: GATEWAY,
    models: "server/src/providers/sub2api.test.ts",
  },
  60: {
    chat: GATEWAY,
    completions: GATEWAY,
    embeddings: GATEWAY,
    images: GATEWAY,
    image_edits: GATEWAY,
    image_variations: GATEWAY,
    speech: GATEWAY,
    transcriptions: GATEWAY,
    translations: GATEWAY,
    moderations: GATEWAY,
    rerank: GATEWAY,
    realtime: "tests/relay/realtime-proxy.test.ts",
    videos: "tests/relay/veo-and-sora.test.ts",
    models: "server/src/providers/new-api.test.ts",
  },
};

/** The formats' own vendors: docs/compatibility.md has each client with each of their features. */
const IN_MATRIX: ReadonlySet<number> = new Set([1, 14, 24]);
/** Its counts are read in tests/relay/custom.test.ts. */
const CUSTOM = 8;
const ALL_FEATURES: Pick<Covered, "features" | "isCounted"> = {
  features: new Set(["tools", "pictures", "thinking", "schemas"]),
  isCounted: true,
};

const own = await ownVendors();
const covered = providerRegistry().all.map((provider) => {
  const { id } = provider.manifest;
  const held = coveredOf(id, COMPATIBLE_VENDORS, own, OPERATION_CASES, ELSEWHERE);
  const isCounted = held.isCounted || id === CUSTOM;
  return [provider, IN_MATRIX.has(id) ? { ...held, ...ALL_FEATURES } : { ...held, isCounted }] as const;
});

test("every operation of every manifest is held by a test", () => {
  const missing = covered.flatMap(([{ manifest }, { operations }]) =>
    manifest.operations.filter((operation) => !operations.has(operation)).map((each) => `${manifest.slug}: ${each}`),
  );
  expect(missing).toEqual([]);
});

/** Ollama has a format of its own beside them, which the table of such vendors drives. */
const NATIVE_FORMATS: Readonly<Record<number, string>> = { 4: "tests/relay/native-formats.test.ts" };

test("every format that a vendor serves beside its first one is held by a test", () => {
  const held = (type: number): FormatName[] =>
    COMPATIBLE_VENDORS.filter((vendor) => vendor.type === type).flatMap(({ responses, anthropicMessages }) => [
      ...(responses === undefined ? [] : (["openai-responses"] as const)),
      ...(anthropicMessages === undefined ? [] : (["anthropic-messages"] as const)),
    ]);
  const missing = covered.flatMap(([{ manifest }]) =>
    (manifest.partialFormats ?? [])
      .filter((name) => NATIVE_FORMATS[manifest.id] === undefined && !held(manifest.id).includes(name))
      .map((name) => `${manifest.slug}: ${name}`),
  );
  expect(missing).toEqual([]);
});

test("the files that hold them elsewhere are there", () => {
  const files = new Set([...Object.values(ELSEWHERE), NATIVE_FORMATS].flatMap((each) => Object.values(each)));
  expect([...files].filter((file) => !existsSync(new URL(`../../${file}`, import.meta.url)))).toEqual([]);
});

test.each(WITHOUT_TYPE)("%s by type %s at %s: a chat goes to %s", (_vendor, type, baseUrl, address) => {
  const provider = providerRegistry().byType(type);
  if (provider === undefined) throw new Error(`there is no type ${type}`);
  expect(documentedProvider(provider).url("/v1/chat/completions", { baseUrl })).toBe(address);
});

test("the document says what is held", () => {
  const file = new URL("../../docs/providers.md", import.meta.url);
  const document = providersDocument(covered);
  if (process.env["UPDATE_PROVIDERS"] === "1") writeFileSync(file, document);
  expect(readFileSync(file, "utf8")).toBe(document);
});
