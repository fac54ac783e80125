/**
 * Headers of an upstream call beside those of its provider: the caller, the channel's header override, and the mark against loops of
 * gateways. They are added last, behind signatures, so that the operator's own override all others.
 */
import { isIP } from "node:net";
import { type HeaderRule, passesByPattern } from "../../../../contract/src/channels/header-override.ts";
import type { SnapshotChannel } from "../../snapshot/snapshot.ts";
import { classifyAddress } from "../../upstream/address.ts";
import { hopsHeader } from "../admission/loop-detection.ts";
import type { Call } from "../call/call.ts";
import type { AttemptSpan } from "../call/spans.ts";
import type { Target } from "../call/target.ts";
import { agentHeaders } from "./coding-agents.ts";

/**
 * What Node's own `fetch` says of itself (nodejs.org/api/globals.html#fetch): true of this program, and nothing that an upstream would know it
 * by. Sent where no agent's and no operator's stands in its place.
 */
export const NEUTRAL_USER_AGENT = "node";

/** Types of channels whose upstream is another gateway of this family: 60 is new-api. */
const GATEWAY_TYPES: ReadonlySet<number> = new Set([60]);

/** Names that lead to the own network: without a dot, or below a domain that is no public one (RFC 6761, RFC 6762, RFC 8375). */
const LOCAL_NAME = /^[^.]+$|\.(?:localhost|local|internal|lan|intranet|home\.arpa)$/i;

/** Whether the mark against loops goes to this address: it would tell any other server that a gateway asks. */
export function leadsToGateway(
  { type, setting }: Pick<SnapshotChannel, "type" | "setting">,
  url: string,
  ownAddress: string,
): boolean {
  if (setting.sendsHops !== undefined) return setting.sendsHops;
  const host = URL.parse(url)?.hostname ?? "";
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare) === 0 ? LOCAL_NAME.test(bare) : classifyAddress(bare) === "private") return true;
  return GATEWAY_TYPES.has(type) || (ownAddress !== "" && host === URL.parse(ownAddress)?.hostname);
}

/** What a header may hold; a key that is a document has line ends. */
// oxlint-disable-next-line no-control-regex
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;
const UNSENDABLE_KEYS = new WeakSet<SnapshotChannel>();

/** A value of the operator's own, with the key in it; undefined for a key that no header can hold. */
function fixedValue({ key }: Pick<SnapshotChannel, "key">, value: string): string | undefined {
  const filled = value.replaceAll("{api_key}", () => key);
  return SENDABLE.test(filled) ? filled : undefined;
}

/** Says once for each channel of a snapshot that its key cannot stand in a header. */
function noteUnsendable({ context }: Call, channel: SnapshotChannel, header: string): void {
  if (UNSENDABLE_KEYS.has(channel)) return;
  UNSENDABLE_KEYS.add(channel);
  const text = "a header override is left out: its {api_key} has characters that no header can have";
  context.logger.warn({ channelId: channel.id, header }, text);
}

/** The rule's value for this call; undefined where it has none. */
function valueOf(
  call: Call,
  channel: SnapshotChannel,
  rule: Exclude<HeaderRule, { kind: "passed" }>,
): string | undefined {
  if (rule.kind === "copied") {
    const value = call.request.headers[rule.from];
    return value === undefined || String(value).trim() === "" ? undefined : String(value);
  }
  const value = fixedValue(channel, rule.value);
  if (value === undefined) noteUnsendable(call, channel, rule.name);
  return value;
}

/** The same for a question that no client asks (a balance, a list of models, the state of a task): the operator's own values alone. */
export function headersWithoutClient(channel: Pick<SnapshotChannel, "key" | "headers">): readonly string[] {
  const added = new Map([["user-agent", NEUTRAL_USER_AGENT]]);
  for (const rule of channel.headers ?? []) {
    const value = rule.kind === "fixed" ? fixedValue(channel, rule.value) : undefined;
    if (rule.kind === "fixed" && value !== undefined) added.set(rule.name, value);
  }
  return [...added].flat();
}

function applyRules(call: Call, channel: SnapshotChannel, into: Map<string, string>): void {
  const { headers: rules = [] } = channel;
  const passed = rules.filter((rule) => rule.kind === "passed");
  if (passed.length > 0) {
    for (const [name, value] of Object.entries(call.request.headers))
      if (passesByPattern(name) && passed.some(({ isPassed }) => isPassed(name))) into.set(name, String(value));
  }
  for (const rule of rules) {
    const value = rule.kind === "passed" ? undefined : valueOf(call, channel, rule);
    if (rule.kind !== "passed" && value !== undefined) into.set(rule.name, value);
  }
}

/** What is known of the way to an upstream. */
interface Way {
  /** The upstream speaks the client's format. */
  isOwnFormat: boolean;
  isGateway: boolean;
}

const NO_AGENT: ReturnType<typeof agentHeaders> = Object.freeze([]);
const NEUTRAL_HEADERS: readonly string[] = Object.freeze(["user-agent", NEUTRAL_USER_AGENT]);

/** The headers to add, as a flat list of names in small letters and values. */
export function addedHeaders(call: Call, channel: SnapshotChannel, { isOwnFormat, isGateway }: Way): readonly string[] {
  const agent = isOwnFormat && channel.setting.hidesAgents !== true ? agentHeaders(call.request.headers) : NO_AGENT;
  // Of most calls nothing else is known, and no map is needed.
  if (agent.length === 0 && channel.headers === undefined)
    return isGateway ? ["user-agent", NEUTRAL_USER_AGENT, ...hopsHeader(call)] : NEUTRAL_HEADERS;
  const added = new Map([["user-agent", NEUTRAL_USER_AGENT]]);
  for (const [name, value] of agent) added.set(name, value);
  if (channel.headers !== undefined) applyRules(call, channel, added);
  if (isGateway) added.set(...hopsHeader(call));
  return [...added].flat();
}

/** The headers of an attempt, with its place in the trace where the channel's upstream is to continue that. */
export function withTrace(
  call: Call,
  { channel }: Pick<Target, "channel">,
  span: AttemptSpan | undefined,
  headers: string[],
): string[] {
  if (call.spans === undefined || span === undefined || channel.setting.sendsTraceContext !== true) return headers;
  return withAdded(headers, ["traceparent", call.spans.traceparentFor(span)]);
}

/** Headers with others in the place of those of the same names. Both are flat lists; names of `added` are in small letters. */
export function withAdded(headers: readonly string[], added: readonly string[]): string[] {
  const all: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const name = headers[index] ?? "";
    if (!isNamed(added, name.toLowerCase())) all.push(name, headers[index + 1] ?? "");
  }
  all.push(...added);
  return all;
}

function isNamed(headers: readonly string[], name: string): boolean {
  for (let index = 0; index < headers.length; index += 2) if (headers[index] === name) return true;
  return false;
}
