/** Routes the relay's requests: a call goes through the pipeline, a list or a refusal is answered at once. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { HeldRefusals } from "../cache/held-refusals.ts";
import { Conversations } from "../channels/conversations.ts";
import { ChannelLatencies } from "../channels/latencies.ts";
import type { TestKind } from "../../../contract/src/channels/channel-tests.ts";
import type { RouteExplanation } from "../../../contract/src/features/routing.ts";
import { MissingFormats } from "../channels/health.ts";
import { BudgetShares, ByteBudget } from "../upstream/budget.ts";
import { createClientAddress } from "./admission/caller.ts";
import { DIALECTS } from "../dialects/registry.ts";
import { Call } from "./call/call.ts";
import type { RelayContext, RelayDeps } from "./call/context.ts";
import { answerListing, clientDialect } from "./listings.ts";
import { BackgroundRuns } from "./call/background-runs.ts";
import { FlushQueue, PacedWork, Places } from "./call/queues.ts";
import { OpenCalls, RunningCalls } from "./call/open-calls.ts";
import {
  type Endpoint,
  RESPONSES,
  type RelayPath,
  dialectAt,
  findPath,
  isHandshake,
  isRelayPath,
  isResponsesUrl,
  routeOf,
} from "./request/paths.ts";
import { taskApiAt, taskApiOf } from "./request/task-paths.ts";
import { type TaskAnswer, type TaskQuestion, askOfTask } from "./tasks/ask.ts";
import { envelopeOf } from "./tasks/envelopes.ts";
import type { TaskEndpoint } from "./tasks/reads.ts";
import { WaitingCalls } from "./call/waiting-calls.ts";
import { UnpaidCalls } from "./call/unpaid-calls.ts";
import { type ProbeResult, probe } from "./probe.ts";
import type { SnapshotChannel } from "../snapshot/snapshot.ts";
import { RealtimeSessions } from "./realtime/realtime.ts";
import { ResponsesSockets } from "./responses-socket/sockets.ts";
import { type AskedCall, explainRoute } from "./routing/explain.ts";
import { RelayError } from "./call/relay-error.ts";
import { runCall, runSession, runStored, runTask } from "./relay.ts";
import { writePreflight, writeRelayError } from "./call/respond.ts";

export interface Relay {
  /** True for requests that are the relay's; asked before anything else on the listener. */
  handles(url: string, method: string): boolean;
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** True for handshakes of WebSockets that the relay takes; others are requests like any. */
  upgrades(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Where such a call would go now; nothing is sent and nothing counted. */
  explainRoute(asked: AskedCall): RouteExplanation;
  /**
   * Ends the open WebSockets and what is made in the background behind their answers, after `graceSeconds` at once; resolves when everything
   * they used is posted.
   */
  endSessions(graceSeconds?: number): Promise<void>;
  /** Ends the open answers with an error that says so, once `graceSeconds` are over; gives what calls that off. */
  endCallsAfter(graceSeconds: number): () => void;
  /** Asks a channel's upstream of its tasks. Rejects where there is no answer. */
  askOfTask(channel: SnapshotChannel, question: TaskQuestion): Promise<TaskAnswer>;
  /** Tests a channel with one short call of the model's kind, which is not charged. Rejects with faults of this program alone. */
  probe(channel: SnapshotChannel, model: string, kind?: TestKind, signal?: AbortSignal): Promise<ProbeResult>;
}

function pathFor(context: RelayContext, method: string, url: string): RelayPath | RelayError {
  if (url.length > context.limits.urlBytes) return new RelayError("url_too_long");
  const path = findPath(method, url);
  // At this status alone Codex continues over HTTP at once (openai/codex issue 43353), also where a proxy took the handshake out of its socket.
  if (path.kind === "wrong_method" && method === "GET" && isResponsesUrl(url))
    return new RelayError("upgrade_required");
  if (path.kind === "wrong_method") return new RelayError("method_not_allowed", { allowedMethods: path.allowed });
  const asked = `${method} ${url.split("?")[0]}`;
  if (path.kind === "unknown") return new RelayError("invalid_url", { message: `Invalid URL (${asked})` });
  if (path.kind === "unimplemented")
    return new RelayError("api_not_implemented", {
      message: `This gateway does not serve ${asked}: API not implemented`,
    });
  return path;
}

/** The path of a WebSocket that is served here. */
function realtimeAt({ method, url }: IncomingMessage): Endpoint | undefined {
  const path = findPath(method ?? "", url ?? "");
  return path.kind === "call" && path.operation === "realtime" ? path : undefined;
}

const callAt = (context: RelayContext, request: IncomingMessage, response: ServerResponse, endpoint: Endpoint): Call =>
  new Call(context, request, response, {
    operation: endpoint.operation,
    dialect: envelopeOf(taskApiFor(endpoint)) ?? DIALECTS[endpoint.dialect],
    route: routeOf(request.url ?? "/"),
  });

/** The task API whose error format a path has; the studio's page reads the console's. */
const taskApiFor = ({ task, isPlayground }: Endpoint) =>
  task === undefined || isPlayground === true ? undefined : taskApiOf(task);

const isTask = (path: RelayPath): path is TaskEndpoint => path.kind === "call" && path.task !== undefined;

/** Answers a request that is the relay's. */
function handle(context: RelayContext, request: IncomingMessage, response: ServerResponse): void {
  const [asked, url] = [request.method ?? "GET", request.url ?? "/"];
  // The same answer, of which node sends the head alone (RFC 9110, 9.3.2).
  const method = asked === "HEAD" ? "GET" : asked;
  if (method === "OPTIONS") return writePreflight(response);
  const path = pathFor(context, method, url);
  if (path instanceof RelayError)
    return writeRelayError(
      response,
      context.newRequestId(),
      path,
      method === "GET",
      envelopeOf(taskApiAt(url)) ?? clientDialect(request, dialectAt(url)),
    );
  if (path.kind === "call" && path.operation === "realtime")
    return writeRelayError(response, context.newRequestId(), new RelayError("upgrade_required"), true);
  if (isTask(path)) return void runTask(callAt(context, request, response, path), path);
  if (path.kind === "call") return void runCall(callAt(context, request, response, path), path);
  if (path.kind === "stored_response") return void runStored(callAt(context, request, response, RESPONSES), path);
  return void answerListing(context, request, response, path);
}

/** How much of it one relay does at a time. */
const [RECORDINGS_AT_ONCE, PICTURES_AT_ONCE, VIDEOS_AT_ONCE] = [4, 32, 32];

/** What every call of a new relay shares. */
function newContext(deps: RelayDeps): RelayContext {
  const budget = deps.budget ?? new ByteBudget(deps.limits.sseBudgetBytes);
  return {
    ...deps,
    budget,
    requestShares: new BudgetShares(budget),
    tokenCalls: new OpenCalls({ ...deps, kind: "token" }),
    channelCalls: new OpenCalls({ ...deps, kind: "channel" }),
    missingFormats: new MissingFormats(),
    channelLatencies: new ChannelLatencies(),
    conversations: new Conversations(deps.cache),
    running: new RunningCalls(),
    backgroundRuns: new BackgroundRuns({ store: deps.backgroundResponses, logger: deps.logger }),
    unpaidCalls: new UnpaidCalls(),
    waitingCalls: new WaitingCalls(),
    heldRefusals: new HeldRefusals(),
    flushQueue: new FlushQueue(),
    largeWork: new PacedWork(),
    recordingReads: new Places(RECORDINGS_AT_ONCE),
    pictureFetches: new Places(PICTURES_AT_ONCE),
    videoFetches: new Places(VIDEOS_AT_ONCE),
    clientAddress: createClientAddress(deps.trustedProxies),
  };
}

/** Builds the relay from its parts. */
export function createRelay(deps: RelayDeps): Relay {
  const context = newContext(deps);
  const sessions = new RealtimeSessions(runSession);
  const sockets = new ResponsesSockets({ context, endpoint: RESPONSES, runCall });
  return {
    upgrades: (request) =>
      isHandshake(request) &&
      (request.url?.length ?? 0) <= context.limits.urlBytes &&
      (realtimeAt(request) !== undefined || isResponsesUrl(request.url ?? "")),
    upgrade(request, socket, head) {
      const path = realtimeAt(request);
      if (path === undefined) void sockets.admit(request, socket, head);
      else sessions.run(context, request, path, socket, head);
    },
    explainRoute: (asked) => explainRoute(context, asked),
    endSessions: (graceSeconds = 0) =>
      Promise.all([
        sessions.end(graceSeconds),
        sockets.end(graceSeconds),
        context.backgroundRuns.end(graceSeconds),
      ]).then(() => undefined),
    endCallsAfter(graceSeconds) {
      const timer = setTimeout(() => context.running.stopAll(), graceSeconds * 1000);
      return () => clearTimeout(timer);
    },
    handles: (url) => isRelayPath(url),
    handle: (request, response) => handle(context, request, response),
    askOfTask: (channel, question) => askOfTask(context, channel, question),
    probe: (channel, model, kind, signal) => probe(context, channel, model, kind, signal),
  };
}
