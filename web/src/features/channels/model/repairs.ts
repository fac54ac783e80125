/** The table of failed tests by their meaning: the kind, the fields of the form that may be wrong, and whether every other test would fail so. Pure. */
import type { TestFailure } from "../../../../../contract/src/channels/channel-tests.ts";
import { networkMeaning } from "../../../../../contract/src/channels/network-failures.ts";
import type { ProviderRow } from "../../../../../contract/src/channels/provider-row.ts";
import type { FieldName } from "./form.ts";

/** Failures by their repair; each kind but `unknown` has a sentence `matrix.words.<kind>` in the texts. */
export type FailureKind =
  | "key"
  | "forbidden"
  | "account"
  | "limit"
  | "model"
  | "path"
  | "address"
  | "certificate"
  | "no_tls"
  | "format"
  | "operation"
  | "timeout"
  | "ability"
  | "unknown";

interface Row {
  /** The fields that may be wrong, the likeliest first; none where nothing in the form is. */
  fields: readonly FieldName[];
  concernsAll: boolean;
}

const REPAIRS: Readonly<Record<FailureKind, Row>> = {
  key: { fields: ["key"], concernsAll: true },
  forbidden: { fields: ["key"], concernsAll: false },
  account: { fields: ["key"], concernsAll: true },
  limit: { fields: [], concernsAll: false },
  model: { fields: ["models"], concernsAll: false },
  path: { fields: ["base_url", "models"], concernsAll: false },
  address: { fields: ["base_url"], concernsAll: true },
  certificate: { fields: ["base_url"], concernsAll: true },
  no_tls: { fields: ["base_url"], concernsAll: true },
  format: { fields: ["base_url"], concernsAll: false },
  operation: { fields: ["models"], concernsAll: false },
  timeout: { fields: ["setting"], concernsAll: false },
  ability: { fields: [], concernsAll: false },
  unknown: { fields: [], concernsAll: false },
};

const BY_CODE: Readonly<Partial<Record<TestFailure["code"], FailureKind>>> = {
  connect: "address",
  connect_timeout: "address",
  address_refused: "address",
  timeout: "timeout",
  idle_timeout: "timeout",
  unreadable_answer: "format",
  operation_not_served: "operation",
  not_streamed: "ability",
  no_tool_call: "ability",
};

const BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: "key",
  402: "account",
  403: "forbidden",
  404: "path",
  408: "timeout",
  429: "limit",
  504: "timeout",
};

/**
 * What upstreams say of an account without credit, whatever the status: OpenAI with 429
 * (https://platform.openai.com/docs/guides/error-codes), Anthropic with 400, DeepSeek with 402.
 */
const NO_CREDIT =
  /insufficient[_ ](?:quota|balance|credit|funds)|exceeded your current quota|credit balance is too low|余额不足|欠费/i;
/** A model that the upstream does not know, or does not offer to this key; other 404s are of the path. */
const NO_MODEL =
  /\bmodel\b.*(?:not (?:be )?found|not exist|not supported|unknown)|(?:no such|unknown|invalid) model|^model: /i;
const MODEL_STATUSES = [400, 404, 422];
/**
 * What other gateways of this API family say, whatever the status, of a model that no channel of the key's group has, or that has no price there:
 * it is of no use in this channel until their operator mends that.
 */
const NO_MODEL_BEHIND =
  /no (?:available|distributor) .{0,20}channel|no channel is available|无可用渠道|(?:price|ratio).{0,20}not (?:set|configured)|has no price|倍率或价格未配置/i;

function kindOfStatus(status: number, message: string): FailureKind {
  if (NO_CREDIT.test(message)) return "account";
  if (MODEL_STATUSES.includes(status) && NO_MODEL.test(message)) return "model";
  if (NO_MODEL_BEHIND.test(message)) return "model";
  return BY_STATUS[status] ?? "unknown";
}

/** The kind of a failure. */
function kindOfFailure({ code, values }: TestFailure): FailureKind {
  if (code === "upstream_status") return kindOfStatus(Number(values["status"]), String(values["message"] ?? ""));
  const meaning = code === "connect" ? networkMeaning(String(values["reason"])) : undefined;
  if (meaning === "no_tls") return "no_tls";
  if (meaning?.startsWith("certificate") === true) return "certificate";
  return BY_CODE[code] ?? "unknown";
}

export interface Repair extends Row {
  failure: FailureKind;
}

/** Fields that every provider's form shows. */
const ALWAYS: ReadonlySet<FieldName> = new Set(["key", "models", "setting"]);

/** Where a failure is repaired, in fields that the form of this provider shows. */
export function repairOf(failure: TestFailure, provider: ProviderRow | undefined): Repair {
  const kind = kindOfFailure(failure);
  const has = (name: FieldName): boolean =>
    ALWAYS.has(name) || provider?.fields.some((field) => field.name === name) === true;
  const { fields, concernsAll } = REPAIRS[kind];
  return { failure: kind, concernsAll, fields: fields.filter(has) };
}
