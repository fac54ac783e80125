/** A real nginx or Caddy of a test's own, on free ports and a folder that is removed with it. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { programOf } from "../databases/own-engines.ts";
import { until, watched } from "./processes.ts";

export interface ReverseProxy {
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

export interface ReloadableNginx extends ReverseProxy {
  /** Puts another content in the place of the `http` block; connections that are open end as they began. */
  reload(http: string): Promise<void>;
}

const TEMPORARY = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true));
    socket.once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

/** Runs a proxy with the configuration in this folder until the port answers. Throws with its own output if it does not start. */
async function start(name: string, args: readonly string[], folder: string, port: number) {
  // Certificates and state that Caddy keeps belong to the test as well.
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder };
  const child = watched(spawn(programOf(name), args, { env, stdio: ["ignore", "ignore", "pipe"] }));
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await until(async () => child.exitCode !== null || (await answers(port)), name);
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${said}`);
    return { stop, child };
  } catch (error) {
    await stop();
    throw error;
  }
}

function nginxFolder(processes: string) {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-nginx-"));
  const temporary = TEMPORARY.map((name) => `${name}_temp_path ${join(folder, name)};`).join(" ");
  const main = `daemon off; ${processes} pid ${join(folder, "pid")}; error_log stderr warn;`;
  const events = "events { worker_connections 4096; }";
  const file = join(folder, "nginx.conf");
  const write = (http: string): Promise<void> =>
    writeFile(file, `${main}\n${events}\nhttp {\naccess_log off; ${temporary}\n${http}\n}\n`);
  return { folder, write, args: ["-c", file, "-p", folder] };
}

/** Starts an nginx of one process with this content of its `http` block. */
export async function startNginx(http: string, port: number): Promise<ReverseProxy> {
  const { folder, write, args } = nginxFolder("master_process off;");
  await write(http);
  return start("nginx", args, folder, port);
}

/** Starts an nginx that reads its configuration again, which takes a parent and a worker. It is ended by its parent's SIGTERM alone. */
export async function startReloadableNginx(http: string, port: number): Promise<ReloadableNginx> {
  const { folder, write, args } = nginxFolder(`worker_processes 1; user ${userInfo().username};`);
  await write(http);
  const { child, stop } = await start("nginx", args, folder, port);
  return {
    async reload(content) {
      await write(content);
      child.kill("SIGHUP");
    },
    async stop() {
      child.kill("SIGTERM");
      await new Promise((resolve) => (child.exitCode === null ? child.once("close", resolve) : resolve(undefined)));
      await stop();
    },
  };
}

/** Starts a Caddy with these sites; it listens nowhere else. */
export async function startCaddy(sites: string, port: number): Promise<ReverseProxy> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-caddy-"));
  const file = join(folder, "Caddyfile");
  await writeFile(file, `{\n  admin off\n  auto_https disable_redirects\n}\n${sites}\n`);
  return start("caddy", ["run", "--config", file, "--adapter", "caddyfile"], folder, port);
}
