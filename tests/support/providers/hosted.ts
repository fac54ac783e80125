/** Vendors that host another's format: their fakes check the host's own address, envelope and key, and the fake upstream the rest. */
import type { ServerResponse } from "node:http";
import type { UpstreamErrorKind } from "../../../server/src/providers/provider.ts";
import type { Plan, SeenRequest } from "../../fake-upstream/plan.ts";
import { play } from "../../fake-upstream/play.ts";
import type { Vendor } from "../../fake-upstream/vendor.ts";
import { type Fields, HAS_RESULT, fieldsOf } from "../clients/client-formats.ts";
import { type RunningVendor, type SeenVendorRequest, THOUGHT, WORDS, startHttpVendor } from "./own-vendor.ts";

/** A request as the format's owner would have got it. */
export interface Hosted {
  vendor: Vendor;
  path: string;
  json: Fields;
  /** What that owner wants to see of headers, in place of the host's own. */
  headers?: Readonly<Record<string, string>>;
  /** As that owner counts an answer with WORDS. */
  usage: unknown;
  asksThinking?: boolean;
}

/** A documented failure: how it is answered, and what it comes to. */
export interface HostedFailure {
  name: string;
  kind: UpstreamErrorKind;
  status: number;
  body: string;
  headers?: Readonly<Record<string, string>>;
}

/** Reads a request; a text says what in it the host does not have. */
export type ReadHosted = (request: SeenVendorRequest) => Hosted | string;

/** How an answer is sent; as the format's owner sends it if absent. */
export type SendHosted = (response: ServerResponse, hosted: Hosted, seen: SeenRequest, plan: Plan) => void;

export const jsonIn = (request: SeenVendorRequest): Fields => {
  try {
    return fieldsOf(JSON.parse(request.body.toString("utf8")));
  } catch {
    return {};
  }
};

const seenAs = ({ method, ...request }: SeenVendorRequest, { path, json, headers }: Hosted): SeenRequest => ({
  method,
  path,
  headers: headers ?? request.headers,
  body: Buffer.from(JSON.stringify(json)),
  json,
  wasAborted: false,
  abortedAtMs: 0,
});

function planOf({ deed, call }: RunningVendor, { body }: SeenRequest, { usage, asksThinking }: Hosted): Plan {
  const calls = deed === "call" && !HAS_RESULT.test(body.toString("utf8"));
  const said = calls
    ? { text: "", toolCalls: [{ name: call.name, arguments: JSON.stringify(call.arguments) }] }
    : { text: WORDS };
  return { ...said, usage, ...(asksThinking === true && !calls ? { reasoning: THOUGHT } : {}) };
}

const asOwnerSends: SendHosted = (response, { vendor }, seen, plan) =>
  void play(plan, seen, response, vendor, { models: [], refusal: undefined });

/** Starts the fake. A request that the host or the format's owner would refuse is a complaint, and answered as an error. */
export function startHosted(
  failures: readonly HostedFailure[],
  read: ReadHosted,
  send: SendHosted = asOwnerSends,
): ReturnType<typeof startHttpVendor> {
  return startHttpVendor((request, response, running) => {
    const failure = running.failing === undefined ? undefined : failures[running.failing];
    if (failure !== undefined) {
      const headers = { "content-type": "application/json", ...failure.headers };
      return void response.writeHead(failure.status, headers).end(failure.body);
    }
    const hosted = read(request);
    const seen = typeof hosted === "string" ? undefined : seenAs(request, hosted);
    const fault =
      typeof hosted === "string" || seen === undefined ? String(hosted) : hosted.vendor.refuse(seen)?.message;
    if (fault === undefined && typeof hosted !== "string" && seen !== undefined)
      return send(response, hosted, seen, planOf(running, seen, hosted));
    running.complaints.push(String(fault));
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify({ error: { message: fault } }));
  });
}
