/** The image, built into a folder: any account of group 0 starts it on a read-only root without a network, and it answers calls. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openImage, playImage, whyNoImage } from "./support/operators/image-root.ts";
import { until, watched } from "./support/systems/processes.ts";
import { MODELS, makeSite } from "./support/systems/site.ts";

const reason = whyNoImage();
if (reason !== undefined) {
  if (process.env["REQUIRE_ALL"] === "1") throw new Error(`REQUIRE_ALL=1, but ${reason}`);
  console.log(`skipped: ${reason}`);
}

/** An account that no file names, as OpenShift chooses one. */
const ACCOUNT = 1_000_660_000;
const PORT = 3000;
const UPSTREAM_PORT = 3999;
const ANSWER = {
  id: "1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hello from afar" } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const UPSTREAM = `require("http").createServer((q,a)=>{q.resume();a.writeHead(200,{"content-type":"application/json"}).end(process.argv[1])}).listen(${UPSTREAM_PORT},"127.0.0.1")`;

describe.skipIf(reason !== undefined)("the image", () => {
  test(
    "is ready and answers a call as an unknown account of group 0, on a read-only root, without a network",
    { timeout: 180_000 },
    async () => {
      const root = mkdtempSync(join(tmpdir(), "turnpike-image-"));
      chmodSync(root, 0o755);
      onTestFinished(() => rmSync(root, { recursive: true, force: true }));
      const image = playImage(root, process.cwd());
      const site = await makeSite("sqlite", { upstreamUrl: `http://127.0.0.1:${UPSTREAM_PORT}`, quotas: [10 ** 9] });
      onTestFinished(() => site.remove());
      for (const name of readdirSync(site.place.config.dataDir)) {
        if (name.endsWith(".sock") || name.endsWith(".lock")) continue;
        cpSync(join(site.place.config.dataDir, name), join(root, "data", name), { recursive: true });
        chownSync(join(root, "data", name), ACCOUNT, 0);
      }
      const opened = await openImage(root, image, process.cwd(), ACCOUNT);
      onTestFinished(() => opened.end());
      const start = ([program = "", ...words]: readonly string[]) =>
        watched(spawn(program, words, { stdio: ["ignore", "pipe", "pipe"] }));
      const ask = ([program = "", ...words]: readonly string[]) => spawnSync(program, words, { encoding: "utf8" });
      start([...opened.within, process.execPath, "-e", UPSTREAM, JSON.stringify(ANSWER)]);
      const { DATA_DIR: _folder, ...env } = site.env;
      const inside = opened.inside({ ...env, LOG_LEVEL: "warn" });
      const server = start([...inside, ...image.command]);
      const output: string[] = [];
      for (const stream of [server.stdout, server.stderr])
        stream?.on("data", (part: Buffer) => output.push(part.toString()));

      const curl = (...words: string[]) => ask([...opened.within, "curl", "-s", "-m", "10", ...words]);
      await until(
        () => {
          if (server.exitCode !== null) throw new Error(output.join(""));
          return curl(`http://127.0.0.1:${PORT}/readyz`, "-o", "/dev/null", "-w", "%{http_code}").stdout === "200";
        },
        "the image to be ready",
        60_000,
      );
      expect(ask([...inside, ...image.healthCheck]).status).toBe(0);
      const body = JSON.stringify({ model: MODELS.fixed, messages: [{ role: "user", content: "hello" }] });
      const key = `Authorization: Bearer ${site.people[0]?.key}`;
      const call = curl(
        `http://127.0.0.1:${PORT}/v1/chat/completions`,
        "-H",
        key,
        "-H",
        "Content-Type: application/json",
        "-d",
        body,
      );
      expect(call.stdout).toContain("hello from afar");
      expect(curl(`http://127.0.0.1:${PORT}/`).stdout).toContain("<!doctype html>");

      const who = ask([
        ...inside,
        "bash",
        "-c",
        'id -u; id -g; cd "$(dirname "$(mktemp -u)")"; touch a /data/a && echo written; touch /app/a /usr/a; cat /proc/net/route | wc -l; grep -c CapEff:.*[1-9a-f] /proc/self/status',
      ]);
      expect(who.stdout.trim().split("\n")).toEqual([String(ACCOUNT), "0", "written", "1", "0"]);
      expect(who.stderr.match(/Read-only file system/g)).toHaveLength(2);
      const elsewhere = ask([...inside, ...image.healthCheck.map((word) => word.replaceAll("$PORT", "1"))]);
      expect(elsewhere.status, "the health check of a port where nothing listens").not.toBe(0);
    },
  );
});
