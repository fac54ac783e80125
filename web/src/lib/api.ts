/** Calls the console API: one typed function over the contract's endpoints, and the sentence for each error. */
import type { BodyOf, DataOf, Endpoint, Envelope, ExtraOf, ParamsOf, QueryOf } from "../../../contract/src/endpoint.ts";
import type { z } from "zod";
import { hasText, language, loadTexts, translate } from "./i18n.ts";
import { REQUIRED_ACTION_ERRORS, ROLE } from "../../../contract/src/roles.ts";
import { noteLowBalance } from "./low-balance.ts";
import { expiredLoginAddress, loginAddress, secureAddress } from "./next-address.ts";
import { isLoggedOut, setViewer, viewer } from "./viewer.ts";

type AnyEndpoint = Endpoint<z.ZodType, z.ZodType, z.ZodType, z.ZodType, z.ZodType>;

/** A call that did not succeed. `message` is in the reader's language and meant to be shown. */
export class ApiError extends Error {
  /** HTTP status; 0 where no answer came. */
  readonly status: number;
  readonly code: string | undefined;
  /** The refused body or query field, to be focused. */
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly endpoint: string;
  /** What was asked for: the method, the path and the id of what it is about. A later success of the same is of the same act. */
  readonly act: string | undefined;
  /** The fields of the answer besides its message, as the endpoint's `extra` describes them. */
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    about: {
      status: number;
      code?: string | undefined;
      field?: string | undefined;
      requestId?: string | undefined;
      endpoint: string;
      act?: string | undefined;
      extra?: Readonly<Record<string, unknown>>;
    },
  ) {
    super(message);
    this.name = "ApiError";
    this.status = about.status;
    this.code = about.code;
    this.field = about.field;
    this.requestId = about.requestId;
    this.endpoint = about.endpoint;
    this.act = about.act;
    this.extra = about.extra ?? {};
  }

  /** Text for 'copy details': the request, the answer, and the id by which the server's log has it. */
  get details(): string {
    return [
      this.message,
      `${this.endpoint} -> ${this.status || "no answer"}`,
      this.code,
      this.requestId && `request id ${this.requestId}`,
    ]
      .filter(Boolean)
      .join("\n");
  }
}

type Given<Name extends string, Value> = [Value] extends [undefined]
  ? { [K in Name]?: undefined }
  : undefined extends Value
    ? { [K in Name]?: Value }
    : { [K in Name]: Value };

/** The params, query and body that the endpoint declares, and an abort signal. */
export type CallInput<E> = Given<"params", ParamsOf<E>> &
  Given<"query", QueryOf<E>> &
  Given<"body", BodyOf<E>> & { signal?: AbortSignal | undefined };

/** `data` of the envelope, the fields beside it, and the response headers (X-Total-Count of bare lists). */
export interface Answer<E> {
  data: DataOf<E>;
  extra: ExtraOf<E>;
  headers: Headers;
  message: string;
}

function pathOf(endpoint: AnyEndpoint, params: unknown, query: unknown): string {
  const values = (params ?? {}) as Record<string, unknown>;
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

function requestHeaders(hasBody: boolean): Record<string, string> {
  const user = viewer();
  return {
    Accept: "application/json",
    ...(hasBody ? { "Content-Type": "application/json" } : {}),
    // The server compares it with the session, so a stale tab of another user cannot act.
    "New-Api-User": String(user?.id ?? -1),
  };
}

const STATUS_MESSAGES: Record<number, string> = {
  401: "expired",
  405: "demo_site",
  429: "too_many_requests",
  500: "internal",
};

/**
 * The translated sentence of an error code, with the reason, what an upstream did and the place in JSON text that its values name;
 * undefined where there is none. The texts of error-codes must be loaded.
 */
export function refusalText(code: string, values: Envelope<unknown>["values"] = {}): string | undefined {
  const { failure, reason, line, path } = values;
  const failed = `channels:failures.${failure}`;
  if (failure !== undefined && hasText(failed, values)) return translate(failed, values);
  const key = `error-codes:${reason === undefined ? code : `reason.${reason}`}`;
  if (!hasText(key, values)) return undefined;
  const problem = translate(key, values);
  return line === undefined
    ? problem
    : translate(`error-codes:place.${path ? "path" : "line"}`, { ...values, problem });
}

/** Administrators run the server: they are not referred to an administrator. */
const isAdministrator = (): boolean => (viewer()?.role ?? 0) >= ROLE.admin;

/** The sentence for a failed call: our translation of its code or status, else 'error: {message}'. */
function messageOf(status: number, { code, message, values }: Envelope<unknown>): string {
  const byStatus = status === 500 && isAdministrator() ? "internal_own" : STATUS_MESSAGES[status];
  if (byStatus !== undefined) return translate(`errors:${byStatus}`);
  // A code's general sentence is used only where the server sent no more precise one of its own, or its values.
  const isBetter = message === "" || values !== undefined || language() !== "en";
  const sentence = code !== undefined && isBetter ? refusalText(code, values) : undefined;
  if (sentence !== undefined) return sentence;
  // What the server refuses by a code is a sentence for its reader; any other message is shown as what went wrong.
  if (status >= 400 && !(code && message)) return translate("errors:other", { message: message || String(status) });
  return message || translate("errors:unknown");
}

const MINUTE_S = 60;

/** Says when a call may be repeated, rounded up. */
const tooFastText = (seconds: number): string =>
  seconds < MINUTE_S * 2
    ? translate("errors:too_many_requests_seconds", { count: Math.ceil(seconds) })
    : translate("errors:too_many_requests_minutes", { count: Math.ceil(seconds / MINUTE_S) });

let isLeaving = false;

/** Ends the session by `act`. Pending calls that are refused because of it do not count as an expired login. */
export async function leaveBy(act: () => Promise<void>): Promise<void> {
  isLeaving = true;
  try {
    await act();
  } catch (error) {
    isLeaving = false;
    throw error;
  }
}

/** Redirects to a page that leads back here; `user` is remembered from now on. */
function leaveFor(addressOf: (here: string) => string, user: unknown): void {
  if (isLeaving) return;
  setViewer(user);
  const { pathname, search, hash } = location;
  const address = addressOf(pathname + search + hash);
  if (address.split("?")[0] === pathname) return;
  // Several calls are refused together; a second navigation would only abort the first.
  isLeaving = true;
  location.assign(address);
}

const REQUIRED: ReadonlySet<string | undefined> = new Set(Object.values(REQUIRED_ACTION_ERRORS));

/**
 * What a refusal says of the person and not of the call. 401: the stored user is stale, the login page says so. A code of what has to be done
 * first: the page for it.
 */
function leaveIfPersonal(status: number, code: string | undefined): void {
  const user = viewer();
  // The view of a user is over; the administrator returns to where they began it.
  if (user?.seen !== undefined && (status === 401 || code === "view_ended"))
    leaveFor(() => `/user/${user.id}`, user.seen.by);
  // Logged out in another tab, the person knows that it is over.
  else if (status === 401) leaveFor(isLoggedOut() ? loginAddress : expiredLoginAddress, null);
  else if (user !== null && REQUIRED.has(code)) leaveFor(secureAddress, { ...user, required_action: code ?? "" });
}

/** What the viewer may do has changed since they logged in: menus follow what the server says of the account now. */
export async function learnPermissions(): Promise<void> {
  const user = viewer();
  if (user === null) return;
  const response = await fetch("/api/user/self", { headers: requestHeaders(false), credentials: "same-origin" });
  const { data } = await readEnvelope(response);
  const { admin_permissions } = (data ?? {}) as { admin_permissions?: unknown };
  if (Array.isArray(admin_permissions)) setViewer({ ...user, admin_permissions: admin_permissions.map(String) });
}

const isAbort = (cause: unknown): boolean => cause instanceof DOMException && cause.name === "AbortError";

/** Throws the AbortError of a call that is given up while its answer comes: that is no refusal. */
async function readEnvelope(response: Response): Promise<Envelope<unknown> & Record<string, unknown>> {
  const body: unknown = await response.json().catch((cause: unknown) => {
    if (isAbort(cause)) throw cause;
  });
  if (typeof body !== "object" || body === null) return { success: false, message: response.statusText };
  const record = body as Record<string, unknown>;
  return {
    ...record,
    success: record["success"] === true,
    message: typeof record["message"] === "string" ? record["message"] : "",
  };
}

/** Access rules for which a 401 is a regular answer and not an ended session. */
const PUBLIC_ACCESS = new Set(["public", "optional", "signed"]);

interface Input {
  params?: unknown;
  query?: unknown;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** Of which act a call is: the same call about the same thing, whatever else it says. */
function actOf(endpoint: AnyEndpoint, { params, body }: Input): string {
  const id = typeof body === "object" && body !== null && "id" in body ? ` #${String(body.id)}` : "";
  return `${endpoint.method} ${pathOf(endpoint, params, undefined)}${id}`;
}

const successListeners = new Set<(act: string) => void>();

/** Calls `listener` with the act of every call that succeeds, until the function that is returned is called. */
export function onCallSucceeded(listener: (act: string) => void): () => void {
  successListeners.add(listener);
  return () => successListeners.delete(listener);
}

async function sendOnce(endpoint: AnyEndpoint, name: string, input: Input): Promise<Response> {
  const hasBody = input.body !== undefined;
  try {
    const response = await fetch(pathOf(endpoint, input.params, input.query), {
      method: endpoint.method,
      headers: requestHeaders(hasBody),
      credentials: "same-origin",
      ...(hasBody ? { body: JSON.stringify(input.body) } : {}),
      ...(input.signal ? { signal: input.signal } : {}),
    });
    noteLowBalance(response.headers.get("turnpike-low-balance"));
    return response;
  } catch (cause) {
    if (isAbort(cause)) throw cause;
    throw new ApiError(translate("errors:unreachable"), { status: 0, endpoint: name, act: actOf(endpoint, input) });
  }
}

/** A longer wait is reported as an error instead of being waited for. */
const LONGEST_WAIT_S = 5;

/** Seconds after which the server accepts the call again; undefined where it does not say. */
function retryAfterOf(response: Response): number | undefined {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined;
}

/** Resolves after `seconds`. Rejects with the signal's reason once it is aborted. */
function pause(seconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}

/** The server refuses a call over the rate limit before doing anything, so any call may be repeated once after the wait. */
async function send(endpoint: AnyEndpoint, name: string, input: Input): Promise<Response> {
  const response = await sendOnce(endpoint, name, input);
  const seconds = response.status === 429 ? retryAfterOf(response) : undefined;
  if (seconds === undefined || seconds > LONGEST_WAIT_S) return response;
  await pause(seconds, input.signal);
  return sendOnce(endpoint, name, input);
}

/** The error of an answer that is not `success: true`. */
async function refusal(
  endpoint: AnyEndpoint,
  input: Input,
  response: Response,
  envelope: Envelope<unknown> & Record<string, unknown>,
): Promise<ApiError> {
  if (!PUBLIC_ACCESS.has(endpoint.access)) leaveIfPersonal(response.status, envelope.code);
  // The refusal is what has to be shown; where the account cannot be read now, the menus stay as they were.
  if (envelope.code === "permission_withheld") await learnPermissions().catch(() => undefined);
  // The translations of error codes load only now; without them, the server's own text is shown.
  const texts = envelope.values?.["failure"] === undefined ? [] : ["channels"];
  await loadTexts("error-codes", ...texts).catch(() => undefined);
  const seconds = response.status === 429 ? retryAfterOf(response) : undefined;
  const message = seconds ? tooFastText(seconds) : messageOf(response.status, envelope);
  return new ApiError(message, {
    status: response.status,
    code: envelope.code,
    field: envelope.field,
    requestId: response.headers.get("x-oneapi-request-id") ?? undefined,
    endpoint: `${endpoint.method} ${endpoint.path}`,
    act: actOf(endpoint, input),
    extra: envelope,
  });
}

/** Calls an endpoint whose answer is a stream and gives it unread. Throws ApiError where the server refuses by an envelope. */
export async function openStream<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<Response> {
  const response = await send(endpoint, `${endpoint.method} ${endpoint.path}`, input);
  const isEnvelope = response.headers.get("content-type")?.startsWith("application/json") === true;
  if (!response.ok || isEnvelope) throw await refusal(endpoint, input, response, await readEnvelope(response));
  return response;
}

/**
 * Calls an endpoint and returns the whole answer. Throws ApiError for anything that is not `success: true`;
 * a 401 also sends the browser to /login?expired=true.
 * @example const { data } = await callFull(listTokens, { query: { p: 1, size: 20 } });
 */
export async function callFull<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<Answer<E>> {
  const name = `${endpoint.method} ${endpoint.path}`;
  const response = await send(endpoint, name, input);
  const envelope = await readEnvelope(response);
  if (!response.ok || !envelope.success) throw await refusal(endpoint, input, response, envelope);
  for (const listener of successListeners) listener(actOf(endpoint, input));
  // The server encodes every answer by the same contract schema, so its shape is the endpoint's.
  return {
    data: envelope.data as DataOf<E>,
    extra: envelope as ExtraOf<E>,
    headers: response.headers,
    message: envelope.message,
  };
}

/**
 * Calls an endpoint and returns its `data`.
 * @example const token = await call(getToken, { params: { id: 3 } });
 */
export async function call<E extends AnyEndpoint>(endpoint: E, input: CallInput<E>): Promise<DataOf<E>> {
  return (await callFull(endpoint, input)).data;
}
