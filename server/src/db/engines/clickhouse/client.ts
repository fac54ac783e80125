/** ClickHouse's HTTP interface: one statement a request, with credentials in headers, limits of time, and answers of bounded size. */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Dispatcher } from "undici";
import { Pool } from "../../../upstream/undici.ts";
import { safeInteger } from "../../bindable.ts";
import { timeoutError, type TimeLimits } from "../time-limits.ts";
import type { ClickhouseAddress } from "./address.ts";

type ClickhouseRow = Record<string, unknown>;

export interface ClickhouseClient {
  /** Runs a SELECT and gives its rows. */
  select(statement: string): Promise<ClickhouseRow[]>;
  /** Runs a statement that has no rows. */
  run(statement: string): Promise<void>;
  /** Writes lines of JSON, one object each, into a table. */
  insert(table: string, columns: readonly string[], lines: string): Promise<void>;
  /** How many connections are open, and how many requests wait for one. */
  figures(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
}

/** A statement that ClickHouse refused. Its number is one of system.errors; -1 where none came. */
export class ClickhouseError extends Error {
  readonly number: number;
  readonly code: string;

  constructor(number: number, code: string, message: string) {
    super(message);
    this.name = "ClickhouseError";
    this.number = number;
    this.code = code;
  }
}

/** Like those of the other servers, which have 30 s too. */
const STATEMENT_SECONDS = 30;
/** Characters of a statement: some thousand places of rows. ClickHouse's own limit is 262,144. */
const MOST_STATEMENT = 1_048_576;
/** A page of the export has 500 rows, of some kilobytes each. */
const MOST_ANSWER_BYTES = 256 * 1024 * 1024;
const MOST_FAILURE_BYTES = 65_536;
const MOST_REASON = 200;
/** Shorter than a server keeps a connection: 3 s before version 22, then 10 s (`keep_alive_timeout`). */
const KEEP_ALIVE_MS = 2_500;
/** Below this a body goes as it is. */
const LEAST_TO_COMPRESS = 8_192;
/** TOO_MANY_SIMULTANEOUS_QUERIES of clickhouse.com/docs: it refuses every statement for now. */
const TOO_MANY = 202;
const OK = 200;
const MESSAGE = /^Code: (\d+)[.,]\s*(.*)/s;

const compress = promisify(gzip);

/** Headers carry bytes: a password beyond ASCII goes as its UTF-8. */
const headerText = (text: string): string => Buffer.from(text, "utf8").toString("latin1");

interface Sent {
  statement?: string;
  body: string | Buffer;
  headers?: Record<string, string>;
}

interface Answered {
  status: number;
  text: string;
}

/** Sends a request and reads the whole answer. Rejects with a ClickhouseError where that is too large, and with what the dispatcher says. */
function send(dispatcher: Dispatcher, request: Dispatcher.DispatchOptions, totalMs: number): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const parts: Buffer[] = [];
  let [status, bytes] = [0, 0];
  let sent: Dispatcher.DispatchController | undefined;
  let failure: Error | undefined;
  const giveUp = (error: Error): void => {
    failure = error;
    reject(error);
    sent?.abort(error);
  };
  // A request may wait for a connection, and is given up there too.
  const timer = setTimeout(() => giveUp(timeoutError("ClickHouse does not answer")), totalMs);
  dispatcher.dispatch(request, {
    onRequestStart(controller) {
      sent = controller;
      if (failure !== undefined) controller.abort(failure);
    },
    onResponseStart(_controller, statusCode) {
      status = statusCode;
    },
    onResponseData(_controller, part) {
      bytes += part.length;
      if (bytes <= (status === OK ? MOST_ANSWER_BYTES : MOST_FAILURE_BYTES)) parts.push(part);
      else giveUp(new ClickhouseError(-1, "CLICKHOUSE_TOO_LARGE", "ClickHouse's answer is too large"));
    },
    onResponseEnd: () => resolve({ status, text: Buffer.concat(parts).toString("utf8") }),
    onResponseError: (_controller, error) => reject(error),
  });
  return promise.finally(() => clearTimeout(timer));
}

/** What a status other than 200 says. The sentence is cut: it repeats the statement. */
function refusalOf(status: number, text: string): ClickhouseError {
  const [, number, reason = ""] = MESSAGE.exec(text) ?? [];
  const line = reason.replaceAll(/\s+/g, " ").slice(0, MOST_REASON);
  if (number === undefined) {
    // A proxy's own answer, or no ClickHouse at all.
    const code = status >= 502 && status <= 504 ? "CLICKHOUSE_AWAY" : "CLICKHOUSE_HTTP";
    return new ClickhouseError(-1, code, `ClickHouse's HTTP interface answers with status ${status}`);
  }
  const code = Number(number) === TOO_MANY ? "CLICKHOUSE_AWAY" : `CLICKHOUSE_${number}`;
  return new ClickhouseError(Number(number), code, `ClickHouse refuses a statement with code ${number}: ${line}`);
}

const TIMEOUTS: ReadonlySet<unknown> = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/** The failures of the way there, with codes that database drivers have for theirs. */
function lostOf(error: unknown): unknown {
  const code: unknown = error instanceof Error && "code" in error ? error.code : "";
  if (TIMEOUTS.has(code)) return timeoutError("ClickHouse does not answer");
  if (typeof code !== "string" || !code.startsWith("UND_ERR_")) return error;
  return Object.assign(new Error("The connection to ClickHouse was lost", { cause: error }), { code: "ECONNRESET" });
}

interface Answer {
  meta: readonly { name: string; type: string }[];
  data: readonly (readonly unknown[])[];
}

const IS_LARGE_INTEGER = /^U?Int64$/;

/** Integers of 64 bits come as text. */
const cellOf = (cell: unknown, type: string): unknown =>
  IS_LARGE_INTEGER.test(type) && typeof cell === "string" ? safeInteger(cell) : cell;

/** Rows out of the format JSONCompact: clickhouse.com/docs/interfaces/formats/JSONCompact. */
function rowsOf(text: string): ClickhouseRow[] {
  // An answer that broke off in the middle is no JSON.
  const { meta, data } = JSON.parse(text) as Answer;
  return data.map((cells) =>
    Object.fromEntries(meta.map(({ name, type }, index) => [name, cellOf(cells[index], type)])),
  );
}

export interface ClientOptions {
  address: ClickhouseAddress;
  connections: number;
  limits: TimeLimits;
}

/** Opens nothing yet: the first statement connects. Every method rejects with a ClickhouseError, or with the error of the way there. */
export function createClickhouseClient({ address, connections, limits }: ClientOptions): ClickhouseClient {
  const { origin, user, password, database } = address;
  const { connectMs, answerMs } = limits;
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    connect: { timeout: connectMs },
    headersTimeout: answerMs,
    bodyTimeout: answerMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
  const credentials = { "X-ClickHouse-User": headerText(user), "X-ClickHouse-Key": headerText(password) };
  const pathOf = (statement: string | undefined): string => {
    const parameters = new URLSearchParams({ database });
    // The status is that of the whole answer, which the server keeps until it is complete.
    parameters.set("wait_end_of_query", "1");
    parameters.set("max_execution_time", String(STATEMENT_SECONDS));
    parameters.set("max_query_size", String(MOST_STATEMENT));
    if (statement !== undefined) parameters.set("query", statement);
    return `/?${parameters.toString()}`;
  };
  const ask = async ({ statement, body, headers = {} }: Sent): Promise<string> => {
    const request = { path: pathOf(statement), method: "POST", headers: { ...credentials, ...headers }, body } as const;
    const { status, text } = await send(pool, request, connectMs + answerMs).catch((error: unknown) => {
      throw lostOf(error);
    });
    if (status !== OK) throw refusalOf(status, text);
    return text;
  };
  return {
    select: async (statement) => rowsOf(await ask({ body: `${statement} format JSONCompact` })),
    run: async (statement) => void (await ask({ body: statement })),
    insert: async (table, columns, lines) => {
      const statement = `insert into ${table} (${columns.join(", ")}) format JSONEachRow`;
      const isSmall = lines.length < LEAST_TO_COMPRESS;
      const body = isSmall ? lines : await compress(lines, { level: 1 });
      await ask({ statement, body, headers: isSmall ? {} : { "Content-Encoding": "gzip" } });
    },
    figures: () => {
      const { connected, free, pending } = pool.stats;
      return { open: connected, idle: free, waiting: pending };
    },
    close: () => pool.destroy(),
  };
}
