/** Tests of deploy/ and docs/deployment.md: a hardened unit, proxies that load, and the program's own variables and times. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ENVIRONMENT_VARIABLES, SECRET_VARIABLES, readConfig } from "../server/src/config.ts";
import { SERVER_FLAGS } from "../tools/setup/runtime.mjs";
import { canStart, programOf } from "./support/databases/own-engines.ts";

const UNIT = "deploy/turnpike.service";
const MONITORING = "compose.monitoring.yml";
const COMPOSE = readdirSync("deploy").filter((name) => name.startsWith("compose") && name !== MONITORING);
const read = (path: string): string => readFileSync(path, "utf8");

const ANALYZER = "systemd-analyze";
const hasAnalyzer = spawnSync(ANALYZER, ["--version"]).status === 0;

/** What Node and the C library read. */
const OF_THE_RUNTIME = ["NODE_ENV", "NODE_COMPILE_CACHE", "MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_"];
const KNOWN = new Set([
  ...ENVIRONMENT_VARIABLES.map(({ name }) => name),
  ...[...SECRET_VARIABLES].map((name) => `${name}_FILE`),
  ...OF_THE_RUNTIME,
]);

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "turnpike-deploy-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The first block of this language in docs/deployment.md. */
function block(language: string): string {
  const text = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(read("docs/deployment.md"))?.[1];
  if (text === undefined) throw new Error(`docs/deployment.md has no block of ${language}`);
  return text;
}

const { shutdownDelaySeconds, shutdownGraceSeconds } = readConfig({});
const LEAST_STOP_SECONDS = shutdownDelaySeconds + shutdownGraceSeconds + 5;

describe("the systemd unit", () => {
  const values = (name: string): string[] =>
    [...read(UNIT).matchAll(new RegExp(`^#?${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

  test.skipIf(!hasAnalyzer)("is shut in: its exposure is under 2.0 of 10", () => {
    const { status, stdout, stderr } = spawnSync(
      ANALYZER,
      ["security", "--offline=true", "--threshold=20", "--no-pager", UNIT],
      { encoding: "utf8" },
    );
    expect(stderr).toBe("");
    expect(stdout).toMatch(/Overall exposure level for turnpike.service: 1\.\d/);
    expect(status).toBe(0);
  });

  test("sets variables of the program alone, and they are read", () => {
    const set = values("Environment").flatMap((line) => line.split(" "));
    const names = set.map((pair) => pair.split("=")[0] ?? "");
    expect(names).toContain("SECRET_KEY_FILE");
    expect(names.filter((name) => !KNOWN.has(name))).toEqual([]);
    const env = Object.fromEntries(set.filter((pair) => !pair.includes("%d")).map((pair) => pair.split("=")));
    expect(readConfig(env)).toMatchObject({ dataDir: "/var/lib/turnpike", host: "127.0.0.1", port: 3000 });
  });

  test("waits for streams, and leaves the workers to their parent", () => {
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(LEAST_STOP_SECONDS);
    expect(values("KillMode")).toEqual(["mixed"]);
    expect(values("ExecStart")[0]).toBe(`/usr/bin/${imageCommand().join(" ")}`);
  });
});

const imageCommand = (): string[] =>
  JSON.parse(/^CMD (\[.*\])$/m.exec(read("deploy/Dockerfile"))?.[1] ?? "[]") as string[];

/** The lines of a service in a compose file, and the variables that it sets. */
function serviceIn(name: string, service: string): { lines: string; variables: string[] } {
  const lines = new RegExp(`\\n {2}${service}:\\n((?: {4,}.*\\n)+)`).exec(read(`deploy/${name}`))?.[1] ?? "";
  const set = /(?:^|\n) {4}environment:\n((?: {6}.*\n)+)/.exec(lines)?.[1] ?? "";
  return { lines, variables: [...set.matchAll(/^ {6}([A-Z_]+):/gm)].map(([, variable = ""]) => variable) };
}

describe("containers", () => {
  test.each(COMPOSE)("%s sets variables of the program alone, writes no root, and waits for streams", (name) => {
    const { lines: service, variables: names } = serviceIn(name, "turnpike");
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((variable) => !KNOWN.has(variable))).toEqual([]);
    for (const line of ["read_only: true", 'cap_drop: ["ALL"]', '"no-new-privileges:true"', "init: true"])
      expect(service).toContain(line);
    const graceSeconds = Number(/stop_grace_period: (\d+)s/.exec(service)?.[1]);
    expect(graceSeconds).toBeGreaterThan(LEAST_STOP_SECONDS);
  });

  test("the image runs a numeric account of group 0 and what `npm start` runs, and its health check asks /livez", () => {
    const text = read("deploy/Dockerfile");
    expect(text).toMatch(/^USER 1000:0$/m);
    expect(/HEALTHCHECK[\s\S]*?CMD (.*)$/m.exec(text)?.[1]).toContain("/livez");
    expect(imageCommand()).toEqual(["node", ...SERVER_FLAGS, "server/dist/main.mjs"]);
  });
});

describe("monitoring beside the containers", () => {
  test("gives Turnpike a port of metrics that Prometheus asks with the token, and no way in from other machines", () => {
    const { variables, lines } = serviceIn(MONITORING, "turnpike");
    expect(variables).toEqual(["METRICS_PORT", "METRICS_HOST", "METRICS_TOKEN"]);
    const port = /METRICS_PORT: "(\d+)"/.exec(lines)?.[1];
    const scrape = read("deploy/prometheus/prometheus.yml");
    expect(scrape).toContain(`targets: ["turnpike:${port}"]`);
    expect(scrape).toContain("credentials_file: /run/secrets/metrics_token");
    expect(serviceIn(MONITORING, "prometheus").lines).toContain('secrets: ["metrics_token"]');
    const ports = [...read(`deploy/${MONITORING}`).matchAll(/^ +ports: (.*)$/gm)].map(([, text = ""]) => text);
    expect(ports.length).toBeGreaterThan(0);
    for (const text of ports) expect(text).toMatch(/^\["127\.0\.0\.1:\d+:\d+"\]$/);
  });

  test("pins its images, has no password of its own, and mounts files that are there", () => {
    const text = read(`deploy/${MONITORING}`);
    for (const [, image = ""] of text.matchAll(/image: (.*)/g)) expect(image).toMatch(/:v?\d+\.\d+\.\d+$/);
    for (const [, value = ""] of text.matchAll(/(?:PASSWORD|TOKEN): (.*)/g)) expect(value).toMatch(/^\$\{\w+:\?set it/);
    const mounted = [...text.matchAll(/[" ](\.\/[\w./-]+):/g)].map(([, path = ""]) => join("deploy", path));
    expect(mounted.length).toBe(3);
    for (const path of mounted) expect([path, existsSync(path)]).toEqual([path, true]);
    // The folder that the provider of dashboards reads is the one that the file is mounted into.
    const folderOfDashboards = /path: (\S+)/.exec(read("deploy/grafana/provisioning/dashboards/turnpike.yml"))?.[1];
    expect(text).toContain(`./grafana/turnpike.json:${folderOfDashboards}/turnpike.json:ro`);
  });
});

describe("proxies in front of several processes", () => {
  test.skipIf(!canStart("caddy"))("Caddy takes the block", () => {
    const path = join(folder(), "Caddyfile");
    writeFileSync(path, block("caddyfile"));
    const json = execFileSync(programOf("caddy"), ["adapt", "--config", path, "--adapter", "caddyfile", "--validate"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: folder(), XDG_DATA_HOME: folder(), XDG_CONFIG_HOME: folder() },
    });
    expect(json).toContain('"uri":"/readyz"');
  });

  test.skipIf(!canStart("nginx"))("nginx takes the block", () => {
    const place = folder();
    const server = "server { listen 127.0.0.1:65000; location / { proxy_pass http://turnpike; } }";
    const config = `pid ${place}/pid; error_log stderr; events {}\nhttp { access_log off; ${block("nginx")} ${server} }`;
    writeFileSync(join(place, "nginx.conf"), config);
    const { status, stderr } = spawnSync(programOf("nginx"), ["-t", "-p", place, "-c", join(place, "nginx.conf")], {
      encoding: "utf8",
    });
    expect([status, stderr.includes("test is successful")]).toEqual([0, true]);
  });
});
