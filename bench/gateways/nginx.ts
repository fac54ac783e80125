/** nginx as a plain reverse proxy with keep-alive upstream connections and an access log: the baseline of the benchmark. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, processIdOf, startProgram, stopProcess, waitForPort } from "../machine/children.ts";
import type { Gateway } from "./gateway.ts";

/** nginx's version, or undefined when it is not installed. Debian keeps it in /usr/sbin, which is not in every PATH. */
export function nginxVersion(): string | undefined {
  try {
    return execFileSync("sh", ["-c", "nginx -v 2>&1"], { encoding: "utf8", env: searchPath() }).trim();
  } catch {
    return undefined; // not installed: the caller says what to install
  }
}

/** Starts one worker in front of the provider. Throws when it does not listen within 5 s. */
export async function startNginx(upstreamPort: number, folder: string): Promise<Gateway> {
  const port = await freePort();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configuration(port, upstreamPort, folder));
  const child = startProgram("nginx", ["-p", folder, "-c", file, "-e", join(folder, "error.log")], {
    stdio: ["ignore", "inherit", "inherit"],
    env: searchPath(),
  });
  await waitForPort(port, child, 5_000);
  return {
    name: "nginx",
    version: nginxVersion() ?? "unknown",
    port,
    headers: {},
    processId: processIdOf(child),
    stop: () => stopProcess(child),
  };
}

function searchPath(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };
}

/**
 * The request limits of a connection are raised because the default of 1000 would make it reconnect under load; long prompts stay in memory, where
 * the default of 16 kB would write each into a file.
 */
function configuration(port: number, upstreamPort: number, folder: string): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `  ${kind}_temp_path ${join(folder, kind)};`)
    .join("\n");
  return `daemon off;
worker_processes 1;
pid ${join(folder, "nginx.pid")};
events { worker_connections 8192; }
http {
${temporary}
  access_log ${join(folder, "access.log")} combined;
  client_body_buffer_size 1m;
  keepalive_requests 100000000;
  upstream provider {
    server 127.0.0.1:${upstreamPort};
    keepalive 1024;
    keepalive_requests 100000000;
  }
  server {
    listen 127.0.0.1:${port} backlog=2048;
    location / {
      proxy_pass http://provider;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_read_timeout 300s;
    }
  }
}
`;
}
