/** Environment variables -> one typed Config, parsed once at the start by the schema below; a wrong value stops the start with one line. */
import { z } from "zod";
import { isLoopbackHost } from "../../contract/src/address.ts";
import {
  BACKUP_SECRETS,
  BACKUP_VARIABLES,
  type BackupConfig,
  type S3Config,
  backupsOf,
  refuseHalfKey,
  s3Of,
} from "./util/backup-variables.ts";
import {
  described,
  flag,
  keyList,
  optionalFlag,
  optionalSecret,
  optionalUrl,
  optionalWhole,
  rangeList,
  whole,
  wholeOr,
} from "./util/environment-kinds.ts";
import { withSecretFiles } from "./util/secret-files.ts";
import {
  type MetricExportConfig,
  TELEMETRY_VARIABLES,
  type TracingConfig,
  metricExportOf,
  tracingOf,
} from "./util/telemetry-variables.ts";

export interface RateLimitConfig {
  isEnabled: boolean;
  /** Calls allowed in one window for each client address. */
  count: number;
  durationSeconds: number;
}

export interface Config {
  port: number;
  host: string;
  dataDir: string;
  /** Absent: the embedded SQLite database in `dataDir`. */
  databaseUrl: string | undefined;
  /** A database of the usage log's own; absent: it is in the main one. */
  logDatabaseUrl: string | undefined;
  redisUrl: string | undefined;
  /** Undefined: made from the database's identity. */
  redisPrefix: string | undefined;
  secretKey: string | undefined;
  /** Keys that open what is still sealed with them; nothing new is. */
  previousSecretKeys: readonly string[];
  workers: number;
  /** Addresses and CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: readonly string[];
  /** Overrides the option AllowPrivateUpstreamsEnabled when set. */
  allowPrivateUpstreams: boolean | undefined;
  globalApiRateLimit: RateLimitConfig;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  limits: {
    bodyBytes: number;
    jsonDepth: number;
    headerBytes: number;
    urlBytes: number;
    sseLineBytes: number;
    sseBudgetBytes: number;
  };
  timeouts: {
    connectMs: number;
    /** To the first byte of a streamed answer. */
    firstByteStreamMs: number;
    /** To the first byte of an answer in one piece. */
    firstByteMs: number;
    idleMs: number;
  };
  shutdownGraceSeconds: number;
  /** How long the listener keeps accepting after readiness has turned red. */
  shutdownDelaySeconds: number;
  /** Port that serves /metrics, of all processes together. */
  metricsPort: number | undefined;
  /** Address of that port; beyond loopback it asks for the token. */
  metricsHost: string;
  /** Bearer token with which the main listener of a single process serves /metrics, too; absent: it does not. */
  metricsToken: string | undefined;
  /** Code of the set-up wizard; absent: one is made and printed. */
  setupCode: string | undefined;
  databasePoolSize: number;
  /** How long an answer waits for the disk once the operating system has its charge; undefined: until the disk has it. */
  answerWaitMs: number | undefined;
  /** False: the start waits until another program has made the schema. */
  migratesAtStart: boolean;
  /** Scheduled backups; absent: none. */
  backups: BackupConfig | undefined;
  /** For backups in a bucket; absent: no key is set. */
  s3: S3Config | undefined;
  /** A person who registers gets a token with it. */
  givesFirstToken: boolean;
  /** Overrides the option ChannelTestFrequency when set. */
  channelTestMinutes: number | undefined;
  /** Overrides the option ChannelUpdateFrequency when set. */
  channelBalanceMinutes: number | undefined;
  /** Where traces go; absent: nowhere. */
  tracing: TracingConfig | undefined;
  /** Where metrics are sent; absent: nowhere. */
  metricExport: MetricExportConfig | undefined;
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const MIB = 1024 * 1024;
const DAY_SECONDS = 86_400;
const HOUR_MS = 3_600_000;
const YEAR_MINUTES = 525_600;
/** Shorter than the time after which a charge counts as stuck. */
const MAX_ANSWER_WAIT_MS = 1_000;

/** The one list of variables; ENVIRONMENT_VARIABLES below is printed from it. */
const environmentSchema = z.object({
  PORT: whole(0, 65_535, "3000", "Port to listen on; 0 takes a free one."),
  HOST: described(z.string().prefault("127.0.0.1"), "127.0.0.1", "Address to listen on."),
  DATA_DIR: described(
    z.string().prefault("./data"),
    "./data",
    "Folder of the embedded database, the key file and the settlement journal.",
  ),
  DATABASE_URL: optionalUrl(
    ["postgres", "postgresql", "mysql", "mariadb"],
    "PostgreSQL or MySQL/MariaDB instead of the embedded SQLite database. A pooler between has to pool sessions.",
  ),
  DATABASE_POOL_SIZE: whole(2, 1000, "10", "Connections of each process to the database of DATABASE_URL."),
  ANSWER_WAIT_MS: wholeOr(
    "always",
    0,
    MAX_ANSWER_WAIT_MS,
    "25",
    "How long an answer waits for the disk once its charge is written, on the embedded database; always: until the disk has it. A killed process loses no charge at any value, a power cut what the disk had not taken ([billing](billing.md#charges-and-a-slow-disk)). PostgreSQL and MySQL commit as their own settings say.",
  ),
  LOG_DATABASE_URL: optionalUrl(
    ["postgres", "postgresql", "mysql", "mariadb", "clickhouse", "http", "https"],
    "PostgreSQL, MySQL/MariaDB or ClickHouse for the rows of the usage log alone ([log-database](log-database.md)); the ledger stays in the main database.",
  ),
  MIGRATE: described(
    z.enum(["on", "off"], "must be on or off").prefault("on"),
    "on",
    "on: a start brings the database to this program's schema. off: it waits until `turnpike migrate` has done that ([upgrading](upgrading.md)).",
  ),
  REDIS_URL: optionalUrl(
    ["redis", "rediss"],
    "Redis for limits shared between processes and faster invalidation; never needed.",
  ),
  REDIS_PREFIX: described(
    z
      .string()
      .regex(/^[\w:.-]{1,64}$/, "must have 1 to 64 letters, digits and _ : . -")
      .optional(),
    "",
    "How keys and channels in Redis begin. By default each database has its own, so that several installations can share a Redis; set it where one database is a copy of another's.",
  ),
  SECRET_KEY: described(
    z.string().optional(),
    "",
    "Encrypts keys at rest, at least 32 characters. Required with DATABASE_URL; without it a key file in DATA_DIR is made on the first start, which its owner alone may read ([in containers](../SECURITY.md#the-key-file-in-containers)).",
  ),
  SECRET_KEY_PREVIOUS: keyList(
    "Keys with commas between them that still open what was encrypted with them, while SECRET_KEY is replaced ([key rotation](command-line.md#another-secret_key)).",
  ),
  WORKERS: whole(1, 256, "1", "Identical processes to run; more than 1 needs DATABASE_URL."),
  TRUSTED_PROXIES: rangeList(
    "Addresses or CIDR ranges, with commas between them, whose X-Forwarded-For is believed. None by default.",
  ),
  ALLOW_PRIVATE_UPSTREAMS: optionalFlag(
    "1 allows and 0 forbids private addresses as channel base URLs, whatever the option AllowPrivateUpstreamsEnabled says.",
  ),
  GLOBAL_API_RATE_LIMIT_ENABLE: flag(
    "true",
    "Limits console calls: for each signed-in user, and for each client address without a session.",
  ),
  GLOBAL_API_RATE_LIMIT: whole(
    1,
    1_000_000_000,
    "180",
    "Console calls without a session from one address in one window; a signed-in user has ten times as many.",
  ),
  GLOBAL_API_RATE_LIMIT_DURATION: whole(1, DAY_SECONDS, "180", "Length of that window in seconds."),
  LOG_LEVEL: described(
    z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`).prefault("info"),
    "info",
    "Least severe level that is logged.",
  ),
  BODY_LIMIT_BYTES: whole(1024, 1024 * MIB, String(32 * MIB), "Largest request body; over it 413."),
  JSON_DEPTH_LIMIT: whole(4, 1000, "64", "Deepest nesting of a JSON body; over it 400."),
  HEADER_LIMIT_BYTES: whole(4096, MIB, "16384", "Largest request header block; over it 431."),
  URL_LIMIT_BYTES: whole(1024, MIB, "8192", "Longest request URL; over it 414."),
  SSE_LINE_LIMIT_BYTES: whole(1024, 1024 * MIB, String(32 * MIB), "Longest line of an upstream's event stream."),
  SSE_BUDGET_BYTES: whole(
    MIB,
    64 * 1024 * MIB,
    String(256 * MIB),
    "Bytes that all calls together may hold at one time, requests and answers; over it 503. A user's requests may have a quarter of it.",
  ),
  CONNECT_TIMEOUT_MS: whole(100, HOUR_MS, "10000", "Connecting to an upstream."),
  FIRST_BYTE_TIMEOUT_STREAM_MS: whole(
    100,
    24 * HOUR_MS,
    "300000",
    "Waiting for the first byte of a streamed answer; a channel may have its own (first_byte_timeout_stream_seconds).",
  ),
  FIRST_BYTE_TIMEOUT_MS: whole(100, 24 * HOUR_MS, "600000", "Waiting for the first byte of an answer in one piece."),
  IDLE_TIMEOUT_MS: whole(100, 24 * HOUR_MS, "300000", "Longest pause inside an answer."),
  SHUTDOWN_GRACE_SECONDS: whole(0, 3600, "60", "How long open answers may finish after SIGTERM."),
  SHUTDOWN_DELAY_SECONDS: optionalWhole(
    0,
    600,
    "How long new connections are still accepted after SIGTERM, while `/readyz` is red already: the time that whatever sends calls here needs to see it. 0; under Kubernetes (KUBERNETES_SERVICE_HOST is set) 10. Then SHUTDOWN_GRACE_SECONDS begins ([deployment](deployment.md#stopping-without-losing-a-call)).",
  ),
  SETUP_CODE: optionalSecret(
    12,
    "Code that the setup wizard asks for, for [scripted installations](scripted-install.md); without it one is made and printed in the wizard's address.",
  ),
  GENERATE_DEFAULT_TOKEN: flag(
    "false",
    "Gives everybody who registers a first token, limited by the account's quota alone.",
  ),
  CHANNEL_TEST_FREQUENCY: optionalWhole(
    0,
    YEAR_MINUTES,
    "Minutes between two tests of the channels, 0 for none, whatever the option ChannelTestFrequency says.",
  ),
  CHANNEL_UPDATE_FREQUENCY: optionalWhole(
    0,
    YEAR_MINUTES,
    "Minutes between two queries of the channels' balances, 0 for none, whatever the option ChannelUpdateFrequency says.",
  ),
  ...BACKUP_VARIABLES,
  METRICS_PORT: optionalWhole(1, 65_535, "Serves /metrics on this port of METRICS_HOST, of all processes together."),
  METRICS_HOST: described(
    z.string().prefault("127.0.0.1"),
    "127.0.0.1",
    "Address of METRICS_PORT. Any that is not this machine's alone asks for METRICS_TOKEN.",
  ),
  METRICS_TOKEN: optionalSecret(
    16,
    "Bearer token for /metrics: on METRICS_PORT where METRICS_HOST is not this machine's alone, and on the main listener of a single process. Without this and METRICS_PORT there is no /metrics.",
  ),
  ...TELEMETRY_VARIABLES,
});

type Environment = z.output<typeof environmentSchema>;

export interface EnvironmentVariable {
  name: string;
  /** As it would be written in the environment; empty where the variable has none. */
  fallback: string;
  meaning: string;
}

/** Every variable with its default and meaning, for `--help` and the documentation. */
export const ENVIRONMENT_VARIABLES: readonly EnvironmentVariable[] = Object.entries(environmentSchema.shape).map(
  ([name, schema]) => {
    const meta = schema.meta();
    return { name, fallback: String(meta?.["fallback"] ?? ""), meaning: String(meta?.description ?? "") };
  },
);

/** Variables whose value may hold a password: a complaint never repeats it, and a file may hold it (`SECRET_KEY_FILE`). */
export const SECRET_VARIABLES: ReadonlySet<string> = new Set([
  "SECRET_KEY",
  "SECRET_KEY_PREVIOUS",
  "DATABASE_URL",
  "LOG_DATABASE_URL",
  "REDIS_URL",
  "SETUP_CODE",
  "METRICS_TOKEN",
  ...BACKUP_SECRETS,
  "OTEL_EXPORTER_OTLP_HEADERS",
]);

type RawEnvironment = Readonly<Record<string, string | undefined>>;

function complaint(issue: z.core.$ZodIssue, env: RawEnvironment): string {
  const name = String(issue.path[0]);
  const value = SECRET_VARIABLES.has(name) ? "" : `, not ${JSON.stringify(env[name] ?? "")}`;
  return `${name} ${issue.message}${value}`;
}

function parseEnvironment(env: RawEnvironment): Environment {
  const set = withSecretFiles(env, SECRET_VARIABLES);
  const result = environmentSchema.safeParse(set);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Error(issue === undefined ? "The environment is not valid" : complaint(issue, env));
}

function refuseContradictions(environment: Environment): void {
  if (environment.WORKERS > 1 && environment.DATABASE_URL === undefined)
    throw new Error("WORKERS above 1 needs DATABASE_URL: the embedded database belongs to exactly one process");
  if (environment.LOG_DATABASE_URL !== undefined && environment.LOG_DATABASE_URL === environment.DATABASE_URL)
    throw new Error("LOG_DATABASE_URL must be another database than DATABASE_URL: the log is there without it");
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token } = environment;
  if (environment.WORKERS > 1 && token !== undefined && port === undefined)
    throw new Error("METRICS_TOKEN shows one process alone; with WORKERS above 1 set METRICS_PORT, which adds all up");
  if (port !== undefined && port === environment.PORT) throw new Error("METRICS_PORT must differ from PORT");
  if (isLoopbackHost(host)) return;
  if (port === undefined) throw new Error("METRICS_HOST is the address of METRICS_PORT, which is not set");
  if (token === undefined) throw new Error("METRICS_HOST is open to other machines: set METRICS_TOKEN, or 127.0.0.1");
}

/** Endpoints of a pod that stops are taken out of every node's tables within seconds. */
const KUBERNETES_DELAY_SECONDS = 10;

/** The variable that every container of a cluster has. */
const isUnderKubernetes = (env: RawEnvironment): boolean => (env["KUBERNETES_SERVICE_HOST"] ?? "") !== "";

/**
 * Reads the configuration from environment variables and from the files that `_FILE` variables name; an empty variable counts as unset.
 * Throws an Error whose message is one line that names the variable.
 */
export function readConfig(env: RawEnvironment): Config {
  const environment = parseEnvironment(env);
  refuseContradictions(environment);
  refuseHalfKey(environment);
  return {
    port: environment.PORT,
    host: environment.HOST,
    dataDir: environment.DATA_DIR,
    databaseUrl: environment.DATABASE_URL,
    answerWaitMs: environment.ANSWER_WAIT_MS,
    logDatabaseUrl: environment.LOG_DATABASE_URL,
    redisUrl: environment.REDIS_URL,
    redisPrefix: environment.REDIS_PREFIX,
    secretKey: environment.SECRET_KEY,
    previousSecretKeys: environment.SECRET_KEY_PREVIOUS,
    workers: environment.WORKERS,
    trustedProxies: environment.TRUSTED_PROXIES,
    allowPrivateUpstreams: environment.ALLOW_PRIVATE_UPSTREAMS,
    globalApiRateLimit: {
      isEnabled: environment.GLOBAL_API_RATE_LIMIT_ENABLE,
      count: environment.GLOBAL_API_RATE_LIMIT,
      durationSeconds: environment.GLOBAL_API_RATE_LIMIT_DURATION,
    },
    logLevel: environment.LOG_LEVEL,
    limits: {
      bodyBytes: environment.BODY_LIMIT_BYTES,
      jsonDepth: environment.JSON_DEPTH_LIMIT,
      headerBytes: environment.HEADER_LIMIT_BYTES,
      urlBytes: environment.URL_LIMIT_BYTES,
      sseLineBytes: environment.SSE_LINE_LIMIT_BYTES,
      sseBudgetBytes: environment.SSE_BUDGET_BYTES,
    },
    timeouts: {
      connectMs: environment.CONNECT_TIMEOUT_MS,
      firstByteStreamMs: environment.FIRST_BYTE_TIMEOUT_STREAM_MS,
      firstByteMs: environment.FIRST_BYTE_TIMEOUT_MS,
      idleMs: environment.IDLE_TIMEOUT_MS,
    },
    shutdownGraceSeconds: environment.SHUTDOWN_GRACE_SECONDS,
    shutdownDelaySeconds: environment.SHUTDOWN_DELAY_SECONDS ?? (isUnderKubernetes(env) ? KUBERNETES_DELAY_SECONDS : 0),
    metricsPort: environment.METRICS_PORT,
    metricsHost: environment.METRICS_HOST,
    metricsToken: environment.METRICS_TOKEN,
    setupCode: environment.SETUP_CODE,
    databasePoolSize: environment.DATABASE_POOL_SIZE,
    migratesAtStart: environment.MIGRATE === "on",
    backups: backupsOf(environment),
    s3: s3Of(environment),
    givesFirstToken: environment.GENERATE_DEFAULT_TOKEN,
    channelTestMinutes: environment.CHANNEL_TEST_FREQUENCY,
    channelBalanceMinutes: environment.CHANNEL_UPDATE_FREQUENCY,
    tracing: tracingOf(environment),
    metricExport: metricExportOf(environment),
  };
}
