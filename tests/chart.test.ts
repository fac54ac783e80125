/** The Helm chart, rendered by the engine and the functions that Helm itself uses: what it makes of its values, and what it refuses. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { ENVIRONMENT_VARIABLES, SECRET_VARIABLES, readConfig } from "../server/src/config.ts";

const CHART = "deploy/helm/turnpike";
/** Debian's packages golang-go, golang-github-masterminds-sprig-dev and golang-gopkg-yaml.v3-dev. */
const LIBRARIES = "/usr/share/gocode";
const hasGo = spawnSync("go", ["version"]).status === 0;
if (!hasGo) {
  if (process.env["REQUIRE_ALL"] === "1") throw new Error("REQUIRE_ALL=1, but there is no Go to render the chart");
  console.log("skipped: no Go to render the chart");
}

type Values = Readonly<Record<string, unknown>>;

const environmentEntry = z.looseObject({ name: z.string(), value: z.string().optional() });
const containerSchema = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).optional(),
  env: z.array(environmentEntry),
  securityContext: z.unknown(),
});
const podSchema = z.looseObject({
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.looseObject({}),
  containers: z.tuple([containerSchema]),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), annotations: z.record(z.string(), z.string()).optional() }),
  spec: z.looseObject({}).optional(),
  data: z.record(z.string(), z.string()).optional(),
});
type Manifest = z.output<typeof manifestSchema>;

const OWN_SECRET = { secret: { existing: "mine" } };
/** Every part that is off by default. */
const ALL_ON: Values = {
  ...OWN_SECRET,
  autoscaling: { enabled: true },
  networkPolicy: { enabled: true },
  metrics: { enabled: true, serviceMonitor: { enabled: true }, rules: { enabled: true } },
  ingress: { enabled: true, className: "nginx", hosts: ["gateway.example"], tls: [{ secretName: "tls" }] },
  gateway: { enabled: true, parentRefs: [{ name: "public" }], hostnames: ["gateway.example"] },
  env: { LOG_LEVEL: "debug" },
};

describe.skipIf(!hasGo)("the chart", () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "turnpike-chart-"));
    const env = {
      ...process.env,
      GO111MODULE: "off",
      GOFLAGS: "",
      GOPATH: LIBRARIES,
      GOCACHE: join(tmpdir(), "turnpike-go"),
    };
    execFileSync("go", ["build", "-o", join(folder, "render"), "tests/support/operators/render-chart.go"], { env });
  }, 240_000);
  afterAll(() => rmSync(folder, { recursive: true }));

  const run = (values: Values) =>
    spawnSync(join(folder, "render"), [CHART], { input: JSON.stringify(values), encoding: "utf8" });

  function rendered(values: Values): Manifest[] {
    const { status, stdout, stderr } = run(values);
    expect([status, stderr]).toEqual([0, ""]);
    return z.array(manifestSchema).parse(JSON.parse(stdout));
  }

  const named = (manifests: readonly Manifest[], kind: string): Manifest => {
    const found = manifests.find((manifest) => manifest.kind === kind);
    if (found === undefined) throw new Error(`the chart made no ${kind}`);
    return found;
  };

  const podOf = ({ spec }: Manifest) =>
    z
      .object({ template: z.object({ spec: podSchema }) })
      .loose()
      .parse(spec).template.spec;

  test("makes with its defaults what serves, a budget, and a job that migrates before", () => {
    const kinds = rendered(OWN_SECRET).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["Job", "PodDisruptionBudget", "Service", "ServiceAccount", "StatefulSet"]);
  });

  test("makes every further part when it is asked for, each of an API that clusters serve", () => {
    const versions = rendered(ALL_ON).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
    expect(versions.sort()).toEqual([
      "apps/v1 StatefulSet",
      "autoscaling/v2 HorizontalPodAutoscaler",
      "batch/v1 Job",
      "gateway.networking.k8s.io/v1 HTTPRoute",
      "monitoring.coreos.com/v1 PrometheusRule",
      "monitoring.coreos.com/v1 ServiceMonitor",
      "networking.k8s.io/v1 Ingress",
      "networking.k8s.io/v1 NetworkPolicy",
      "policy/v1 PodDisruptionBudget",
      "v1 Service",
      "v1 ServiceAccount",
    ]);
  });

  test.each(["StatefulSet", "Job"])("every pod of the %s is shut in", (kind) => {
    const pod = podOf(named(rendered(ALL_ON), kind));
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 1000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  });

  test("sets variables of the program alone, which it reads, and waits longer than the program does", () => {
    const pod = podOf(named(rendered(ALL_ON), "StatefulSet"));
    const { env } = pod.containers[0];
    const known = new Set(ENVIRONMENT_VARIABLES.map(({ name }) => name));
    expect(env.filter(({ name }) => !known.has(name))).toEqual([]);
    const secrets = env.filter(({ value }) => value === undefined).map(({ name }) => name);
    expect(secrets.filter((name) => !SECRET_VARIABLES.has(name))).toEqual([]);
    const stand = {
      DATABASE_URL: "postgres://a",
      SECRET_KEY: "k".repeat(40),
      METRICS_TOKEN: "t".repeat(20),
      REDIS_URL: "redis://a",
    };
    const config = readConfig({
      ...stand,
      ...Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
    });
    expect(config).toMatchObject({
      migratesAtStart: false,
      shutdownDelaySeconds: 10,
      metricsHost: "0.0.0.0",
      logLevel: "debug",
    });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(
      config.shutdownDelaySeconds + config.shutdownGraceSeconds + 5,
    );
  });

  test("keeps the journal on a volume of each pod, and surges where there is none", () => {
    expect(named(rendered(OWN_SECRET), "StatefulSet").spec).toHaveProperty("volumeClaimTemplates");
    const { spec } = named(rendered({ ...OWN_SECRET, persistence: { enabled: false } }), "Deployment");
    expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } });
    expect(spec).not.toHaveProperty("volumeClaimTemplates");
  });

  test("the embedded database has one pod, which migrates itself, and no budget", () => {
    const manifests = rendered({ ...OWN_SECRET, database: "embedded", replicas: 1 });
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(["Service", "ServiceAccount", "StatefulSet"]);
    const { env } = podOf(named(manifests, "StatefulSet")).containers[0];
    expect(env).toContainEqual({ name: "MIGRATE", value: "on" });
    expect(env.map(({ name }) => name)).not.toContain("DATABASE_URL");
  });

  test("the job stops an upgrade that running pods do not survive, unless that is wanted", () => {
    const commandOf = (values: Values) => podOf(named(rendered(values), "Job")).containers[0].command?.join(" ") ?? "";
    expect(commandOf(OWN_SECRET)).toMatch(/migrate --check; \[ \$\? -le 1 \] && exec .* migrate$/);
    expect(commandOf({ ...OWN_SECRET, migration: { allowDowntime: true } })).not.toContain("--check");
    expect(named(rendered(OWN_SECRET), "Job").metadata.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
  });

  test("an image is named by its digest where there is one", () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const { image } = podOf(named(rendered({ ...OWN_SECRET, image: { digest } }), "StatefulSet")).containers[0];
    expect(image).toBe(`turnpike@${digest}`);
  });

  test("a secret of the chart is there before the job, and stays when the release is deleted", () => {
    const { metadata, data } = named(rendered({ secret: { create: true, databaseUrl: "postgres://a" } }), "Secret");
    expect(metadata.annotations).toMatchObject({ "helm.sh/hook-weight": "-10", "helm.sh/resource-policy": "keep" });
    expect(Buffer.from(data?.["SECRET_KEY"] ?? "", "base64").length).toBeGreaterThanOrEqual(32);
  });

  test.each<[string, Values, string]>([
    ["no secret", {}, "secret.existing must name a secret"],
    ["several pods on the embedded database", { ...OWN_SECRET, database: "embedded" }, "admits one pod"],
    [
      "the embedded database without a volume",
      { ...OWN_SECRET, database: "embedded", replicas: 1, persistence: { enabled: false } },
      "persistence.enabled",
    ],
    ["a made secret without its database", { secret: { create: true } }, "secret.databaseUrl is needed"],
    [
      "a monitor without metrics",
      { ...OWN_SECRET, metrics: { serviceMonitor: { enabled: true } } },
      "need metrics.enabled",
    ],
  ])("%s is refused with the value's name", (_name, values, reason) => {
    const { status, stderr } = run(values);
    expect(status).not.toBe(0);
    expect(stderr).toContain(reason);
  });
});

/** The names of all values, with their parents'. */
const namesIn = (properties: Readonly<Record<string, unknown>>, before = ""): string[] =>
  Object.entries(properties).flatMap(([name, each]) => {
    const inner = z
      .object({ properties: z.record(z.string(), z.unknown()).optional() })
      .loose()
      .parse(each).properties;
    return inner === undefined ? [`${before}${name}`] : namesIn(inner, `${before}${name}.`);
  });

test("the schema of the values knows every value of values.yaml, and no other", () => {
  const schema = z
    .object({ properties: z.record(z.string(), z.unknown()), additionalProperties: z.literal(false) })
    .loose()
    .parse(JSON.parse(readFileSync(`${CHART}/values.schema.json`, "utf8")));
  const text = readFileSync(`${CHART}/values.yaml`, "utf8");
  const listed = namesIn(schema.properties).filter((name) => name !== "global");
  const missing = listed.filter((name) => !new RegExp(`\\b${name.split(".").at(-1)}:`).test(text));
  expect(missing).toEqual([]);
  const first = [...text.matchAll(/^([a-zA-Z]+):/gm)].map(([, name = ""]) => name);
  expect(first.filter((name) => schema.properties[name] === undefined)).toEqual([]);
});
