/** The environment: defaults that are documented, and one clear line for whatever is wrong. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ENVIRONMENT_VARIABLES, SECRET_VARIABLES, readConfig } from "./config.ts";

const complaint = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

test("an empty environment gives the documented defaults", () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    dataDir: "./data",
    databaseUrl: undefined,
    answerWaitMs: 25,
    logDatabaseUrl: undefined,
    previousSecretKeys: [],
    workers: 1,
    trustedProxies: [],
    allowPrivateUpstreams: undefined,
    globalApiRateLimit: { isEnabled: true, count: 180, durationSeconds: 180 },
    limits: { bodyBytes: 33_554_432, jsonDepth: 64, headerBytes: 16_384, urlBytes: 8_192, sseLineBytes: 33_554_432 },
    timeouts: { connectMs: 10_000, firstByteStreamMs: 300_000, firstByteMs: 600_000, idleMs: 300_000 },
    shutdownGraceSeconds: 60,
    shutdownDelaySeconds: 0,
    metricsPort: undefined,
    metricsHost: "127.0.0.1",
    metricsToken: undefined,
    setupCode: undefined,
    channelTestMinutes: undefined,
    channelBalanceMinutes: undefined,
  });
});

test("an answer waits for the disk for up to a second, not at all, or always", () => {
  const waits = ["0", "1000", "always"].map((ANSWER_WAIT_MS) => readConfig({ ANSWER_WAIT_MS }).answerWaitMs);
  expect(waits).toEqual([0, 1_000, undefined]);
  for (const ANSWER_WAIT_MS of ["1001", "-1", "never"])
    expect(complaint({ ANSWER_WAIT_MS })).toBe(
      `ANSWER_WAIT_MS must be always or a whole number from 0 to 1000, not "${ANSWER_WAIT_MS}"`,
    );
});

test("backups need a folder, and have an hour, a count and a passphrase that is long enough", () => {
  expect(readConfig({ BACKUP_HOUR: "5" }).backups).toBeUndefined();
  expect(readConfig({ BACKUP_DIR: "/b" }).backups).toEqual({
    directory: "/b",
    hour: 3,
    count: 7,
    days: 0,
    passphrase: undefined,
  });
  expect(complaint({ BACKUP_DIR: "/b", BACKUP_PASSPHRASE: "too short" })).toBe(
    "BACKUP_PASSPHRASE must have 12 characters or more",
  );
});

test("backups in a bucket need a whole key, and have the server of AWS in their region where no other is named", () => {
  const key = { BACKUP_S3_ACCESS_KEY: "AK", BACKUP_S3_SECRET_KEY: "secret" };
  const BACKUP_S3_URL = "s3://my-bucket/turnpike";
  expect(readConfig({ ...key, BACKUP_S3_URL, BACKUP_S3_REGION: "eu-central-1" })).toMatchObject({
    backups: { directory: undefined, bucketUrl: BACKUP_S3_URL, count: 7 },
    s3: { endpoint: "https://s3.eu-central-1.amazonaws.com", region: "eu-central-1", isPathStyle: true },
  });
  expect(complaint({ BACKUP_S3_URL })).toBe("BACKUP_S3_URL needs BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY");
  expect(complaint({ BACKUP_S3_ACCESS_KEY: "AK" })).toBe(
    "BACKUP_S3_ACCESS_KEY is set and BACKUP_S3_SECRET_KEY is not: a key has both",
  );
  expect(complaint({ ...key, BACKUP_S3_URL: "https://bucket" })).toMatch(/^BACKUP_S3_URL must be s3:/);
});

test("an empty variable counts as unset", () =>
  expect(readConfig({ PORT: "", DATABASE_URL: "" })).toMatchObject({ port: 3000, databaseUrl: undefined }));

test("every variable is documented, and its documented default is what an empty environment means", () => {
  expect(ENVIRONMENT_VARIABLES.length).toBeGreaterThan(25);
  for (const { name, fallback, meaning } of ENVIRONMENT_VARIABLES) {
    expect(name).toMatch(/^[A-Z][A-Z\d_]+$/);
    expect(meaning.length).toBeGreaterThan(10);
    expect(readConfig({ [name]: fallback })).toEqual(readConfig({}));
  }
});

test("values are taken as they are written", () => {
  const env = {
    ALLOW_PRIVATE_UPSTREAMS: "0",
    TRUSTED_PROXIES: "10.0.0.0/8, ::1",
    WORKERS: "4",
    DATABASE_URL: "mysql://u:p@h/d",
    GLOBAL_API_RATE_LIMIT_ENABLE: "false",
    CHANNEL_TEST_FREQUENCY: "30",
    CHANNEL_UPDATE_FREQUENCY: "0",
  };
  expect(readConfig(env)).toMatchObject({
    allowPrivateUpstreams: false,
    trustedProxies: ["10.0.0.0/8", "::1"],
    workers: 4,
    globalApiRateLimit: { isEnabled: false },
    channelTestMinutes: 30,
    channelBalanceMinutes: 0,
  });
});

test("under Kubernetes the listener closes 10 s after readiness has turned red, unless another time is set", () => {
  const cluster = { KUBERNETES_SERVICE_HOST: "10.0.0.1" };
  expect(readConfig(cluster).shutdownDelaySeconds).toBe(10);
  expect(readConfig({ ...cluster, SHUTDOWN_DELAY_SECONDS: "0" }).shutdownDelaySeconds).toBe(0);
  expect(readConfig({ SHUTDOWN_DELAY_SECONDS: "3" }).shutdownDelaySeconds).toBe(3);
});

describe("a wrong value stops the start with one line that names the variable", () => {
  test.each([
    [{ PORT: "abc" }, 'PORT must be a whole number from 0 to 65535, not "abc"'],
    [{ PORT: "70000" }, 'PORT must be a whole number from 0 to 65535, not "70000"'],
    [{ PORT: "-1" }, 'PORT must be a whole number from 0 to 65535, not "-1"'],
    [{ BODY_LIMIT_BYTES: "1e6" }, 'BODY_LIMIT_BYTES must be a whole number from 1024 to 1073741824, not "1e6"'],
    [{ ALLOW_PRIVATE_UPSTREAMS: "yes" }, 'ALLOW_PRIVATE_UPSTREAMS must be 1 or 0, or unset, not "yes"'],
    [{ GLOBAL_API_RATE_LIMIT_ENABLE: "maybe" }, 'GLOBAL_API_RATE_LIMIT_ENABLE must be true or false, not "maybe"'],
    [
      { TRUSTED_PROXIES: "10.0.0.0/33" },
      'TRUSTED_PROXIES must be addresses or CIDR ranges with commas between them, not "10.0.0.0/33"',
    ],
    [{ LOG_LEVEL: "loud" }, 'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, not "loud"'],
    [{ WORKERS: "2" }, "WORKERS above 1 needs DATABASE_URL: the embedded database belongs to exactly one process"],
    [{ METRICS_PORT: "3000" }, "METRICS_PORT must differ from PORT"],
    [{ METRICS_HOST: "0.0.0.0" }, "METRICS_HOST is the address of METRICS_PORT, which is not set"],
    [
      { METRICS_HOST: "0.0.0.0", METRICS_PORT: "9100" },
      "METRICS_HOST is open to other machines: set METRICS_TOKEN, or 127.0.0.1",
    ],
    [
      { METRICS_TOKEN: "a".repeat(16), WORKERS: "2", DATABASE_URL: "mysql://u:p@h/d" },
      "METRICS_TOKEN shows one process alone; with WORKERS above 1 set METRICS_PORT, which adds all up",
    ],
  ])("%o", (env, message) => expect(complaint(env)).toBe(message));

  test("without repeating a password", () => {
    expect(complaint({ DATABASE_URL: "oracle://root:hunter2@db/x" })).toBe(
      "DATABASE_URL must be a URL that starts with postgres:// or postgresql:// or mysql:// or mariadb://",
    );
    expect(complaint({ REDIS_URL: "hunter2" })).not.toContain("hunter2");
    expect(complaint({ SETUP_CODE: "hunter2" })).toBe("SETUP_CODE must be 12 to 128 letters, digits or any of - . _ ~");
    expect(complaint({ METRICS_TOKEN: "hunter2" })).toMatch(/^METRICS_TOKEN must be 16 to 128 [^"]*$/);
  });
});

describe("a secret may stand in a file", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "turnpike-test-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileWith = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };

  const VALUES: Readonly<Record<string, string>> = {
    DATABASE_URL: "postgres://u:hunter2@h/d",
    LOG_DATABASE_URL: "mysql://u:hunter2@h/logs",
    REDIS_URL: "redis://:hunter2@h",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=hunter2",
  };

  /** What a variable needs beside it. */
  const OTHERS: Readonly<Record<string, object>> = {
    BACKUP_S3_ACCESS_KEY: { BACKUP_S3_SECRET_KEY: "s" },
    BACKUP_S3_SECRET_KEY: { BACKUP_S3_ACCESS_KEY: "a" },
  };

  test.each([...SECRET_VARIABLES])("%s, without the line end behind it", (name) => {
    const value = VALUES[name] ?? "hunter2-hunter2-hunter2-hunter2-hunter2";
    const others = OTHERS[name] ?? {};
    const wanted = readConfig({ ...others, [name]: value });
    for (const lineEnd of ["", "\n", "\r\n"])
      expect(readConfig({ ...others, [`${name}_FILE`]: fileWith(name, value + lineEnd) })).toEqual(wanted);
  });

  test("of several line ends only the last is cut, and blanks are kept", () => {
    const path = fileWith("blanks", " a key with blanks around it, and lines \n\n");
    expect(readConfig({ SECRET_KEY_FILE: path }).secretKey).toBe(" a key with blanks around it, and lines \n");
  });

  test("a list of earlier keys has commas or lines between them", () => {
    const [one, other] = ["1".repeat(32), "2".repeat(32)];
    const path = fileWith("keys", `${one}\n${other}\n`);
    expect(readConfig({ SECRET_KEY_PREVIOUS_FILE: path }).previousSecretKeys).toEqual([one, other]);
    expect(readConfig({ SECRET_KEY_PREVIOUS: `${one},${other}` }).previousSecretKeys).toEqual([one, other]);
    expect(complaint({ SECRET_KEY_PREVIOUS: `${one},hunter2` })).toBe(
      "SECRET_KEY_PREVIOUS must be keys of at least 32 characters with commas between them",
    );
  });

  test("and an empty _FILE counts as unset", () =>
    expect(readConfig({ SECRET_KEY_FILE: "", SECRET_KEY: "k" }).secretKey).toBe("k"));

  test("what is wrong with it is one line without its content", () => {
    const path = fileWith("key", "hunter2");
    expect(complaint({ SECRET_KEY: "k", SECRET_KEY_FILE: path })).toBe(
      "SECRET_KEY and SECRET_KEY_FILE are both set: keep one of them",
    );
    const none = join(folder, "none");
    expect(complaint({ SECRET_KEY_FILE: none })).toBe(`SECRET_KEY_FILE names ${none}, which does not exist`);
    expect(complaint({ SECRET_KEY_FILE: folder })).toBe(`SECRET_KEY_FILE names ${folder}, which is not a file`);
    const circle = join(folder, "circle");
    symlinkSync(circle, circle);
    expect(complaint({ SECRET_KEY_FILE: circle })).toBe(`SECRET_KEY_FILE names ${circle}, which cannot be read: ELOOP`);
    const empty = fileWith("empty", "\n");
    expect(complaint({ SECRET_KEY_FILE: empty })).toBe(`SECRET_KEY_FILE names ${empty}, which is empty`);
    const long = fileWith("long", "a".repeat(65_537));
    expect(complaint({ SECRET_KEY_FILE: long })).toBe(`SECRET_KEY_FILE names ${long}, which has more than 65536 bytes`);
    expect(complaint({ METRICS_TOKEN_FILE: path })).toMatch(/^METRICS_TOKEN must be 16 to 128 [^"]*$/);
    expect(complaint({ DATABASE_URL_FILE: path })).not.toContain("hunter2");
  });
});
