/** Generates docs/providers.md from the tables that drive the tests of providers, so that it claims only what is tested. */
import type { FormatName } from "../../../server/src/dialects/dialect.ts";
import type { Operation, Provider } from "../../../server/src/providers/provider.ts";
import { table } from "../../sdk/matrix.ts";
import type { CompatibleVendor } from "./compatible-vendor.ts";
import type { OperationCase } from "./operation-case.ts";
import type { OwnVendor } from "./own-vendor.ts";

/** Features of chat that some table has a test for. */
const FEATURES = ["tools", "pictures", "thinking", "schemas"] as const;
type Feature = (typeof FEATURES)[number];

export interface Covered {
  operations: ReadonlySet<Operation>;
  features: ReadonlySet<Feature>;
  /** True where the receipt has the vendor's own counts. */
  isCounted: boolean;
}

/** Operations whose tests are no rows of a table, by channel type, with the file that has them. */
export type Elsewhere = Readonly<Record<number, Readonly<Partial<Record<Operation, string>>>>>;

const AUDIO: readonly Operation[] = ["speech", "transcriptions", "translations"];
const FIELDS = ["completions", "embeddings", "images", "rerank", "models"] as const;

const ofCompatible = (vendor: CompatibleVendor): Covered => ({
  operations: new Set<Operation>([
    "chat",
    ...FIELDS.filter((field) => vendor[field] !== undefined),
    ...(vendor.audio === true ? AUDIO : []),
  ]),
  features: new Set<Feature>([
    ...(vendor.takesTools ? (["tools"] as const) : []),
    ...(vendor.takesPictures ? (["pictures"] as const) : []),
    ...(vendor.thinking === undefined ? [] : (["thinking"] as const)),
  ]),
  isCounted: true,
});

const ofOwn = (vendor: OwnVendor): Covered => ({
  operations: new Set<Operation>(["chat"]),
  features: new Set<Feature>([
    ...(vendor.takesTools ? (["tools"] as const) : []),
    ...(vendor.takesPictures ? (["pictures"] as const) : []),
    ...(vendor.thinks ? (["thinking"] as const) : []),
    ...(vendor.takesSchemas ? (["schemas"] as const) : []),
  ]),
  isCounted: vendor.counted !== "estimated",
});

const together = (all: readonly Covered[]): Covered => ({
  operations: new Set(all.flatMap(({ operations }) => [...operations])),
  features: new Set(all.flatMap(({ features }) => [...features])),
  isCounted: all.some(({ isCounted }) => isCounted),
});

/** What the tables hold of one channel type. */
export function coveredOf(
  type: number,
  compatible: readonly CompatibleVendor[],
  own: readonly OwnVendor[],
  cases: readonly OperationCase[],
  elsewhere: Elsewhere,
): Covered {
  const besides = cases.filter((each) => each.type === type).map(({ operation }) => operation);
  const others = Object.keys(elsewhere[type] ?? {}) as Operation[];
  return together([
    ...compatible.filter((each) => each.type === type).map(ofCompatible),
    ...own.filter((each) => each.type === type).map(ofOwn),
    { operations: new Set([...besides, ...others]), features: new Set(), isCounted: false },
  ]);
}

/** A provider's formats as the document has them; those behind the first serve clients of their own. */
const FORMAT_NAMES: Readonly<Record<FormatName, string>> = {
  "openai-chat": "chat completions",
  "openai-responses": "Responses",
  "anthropic-messages": "Messages",
  gemini: "Gemini",
  vendor: "its own",
};

const yes = (has: boolean): string => (has ? "yes" : "-");

function row({ manifest, balance }: Provider, { operations, features, isCounted }: Covered): string[] {
  const { id, name } = manifest;
  const hasChat = operations.has("chat");
  const besides = manifest.operations.filter((operation) => operation !== "chat" && operations.has(operation));
  return [
    String(id),
    name,
    hasChat ? manifest.dialects.map((format) => FORMAT_NAMES[format]).join(", ") : "-",
    ...FEATURES.map((feature) => yes(features.has(feature))),
    hasChat ? (isCounted ? "the vendor's" : "estimated") : "-",
    besides.length === 0 ? "-" : besides.map((operation) => operation.replaceAll("_", " ")).join(", "),
    yes(balance !== undefined),
  ];
}

/** Vendors that the family has no number for: name, channel type, base URL, where a chat goes then, and the page that says so. */
export const WITHOUT_TYPE = [
  [
    "Groq",
    1,
    "https://api.groq.com/openai/v1",
    "https://api.groq.com/openai/v1/chat/completions",
    "console.groq.com/docs/openai",
  ],
  [
    "GitHub Models",
    8,
    "https://models.github.ai/inference/chat/completions",
    "https://models.github.ai/inference/chat/completions",
    "docs.github.com/en/github-models/quickstart",
  ],
] as const;

/** The document; `all` are the providers by channel type with what tests hold of each. */
export function providersDocument(all: readonly (readonly [Provider, Covered])[]): string {
  const served = all.filter(([{ manifest }]) => manifest.operations.length > 0);
  const others = all.filter(([{ manifest }]) => manifest.operations.length === 0);
  return [
    "# Providers",
    "",
    "Written by `tests/relay/providers-document.test.ts` from the tables that drive the tests of providers: a cell says yes where a test over",
    "real HTTP or a real WebSocket holds it, against a fake as strict as the vendor's documentation. After a change:",
    "`UPDATE_PROVIDERS=1` and that test. The pages that the facts are from are listed in `tests/fixtures/providers/<slug>/source.txt`.",
    "",
    "Every chat is answered to clients of all four formats, whole and as a stream. Counts are the vendor's own, or estimated where it sends none.",
    "",
    'A client of a format that stands under "chat in" is handed through in it; the first one serves clients of all others. Addresses are made from the',
    "channel's base URL, whichever of the vendor's roots it ends in. Clients are translated where the base URL ends in a version of its own, where a",
    "server answers that it lacks the path (404, 405, 501 or a page) or the model, which is remembered for an hour, and where a request asks for",
    "something that the vendor does not take in the format.",
    "",
    ...table([
      ["type", "provider", "chat in", "tools", "pictures", "thinking", "JSON schema", "counts", "besides", "balance"],
      ...served.map(([provider, covered]) => row(provider, covered)),
    ]),
    "",
    "Channel types that take no calls:",
    "",
    ...others.map(
      ([{ manifest }]) =>
        `- ${manifest.id} ${manifest.name}: ${manifest.isRetired === true ? "its vendor has ended the service" : "a channel can be kept"}`,
    ),
    "",
    "Vendors with OpenAI's API and no channel type of their own in the family:",
    "",
    ...WITHOUT_TYPE.map(
      ([vendor, type, address, , page]) => `- ${vendor}: type ${type} with the base URL \`${address}\` (${page})`,
    ),
    "",
  ].join("\n");
}
