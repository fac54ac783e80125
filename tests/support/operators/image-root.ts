/**
 * The image without a container engine: the steps of the Dockerfile's last stage played into a folder, and processes in it that are as shut
 * in as a cluster has them: an account of group 0, a read-only root, no network but loopback.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  lstatSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { watched } from "../systems/processes.ts";

/** What the base image has: a Debian, of which this machine's stands here, and Node, of which the pinned one does. */
const BASE_FOLDERS = ["usr", "bin", "sbin", "lib", "lib64", "etc"];
const NAMESPACES = ["--mount", "--net", "--pid", "--ipc", "--fork", "--kill-child"];

/** Why this machine cannot do it; undefined where it can. */
export function whyNoImage(): string | undefined {
  if (process.getuid?.() !== 0) return "only root may choose the account that the image runs as";
  const { status, stderr } = spawnSync("unshare", [...NAMESPACES, "true"], { encoding: "utf8" });
  return status === 0 ? undefined : `the kernel gives no namespaces: ${stderr.trim()}`;
}

interface ImageStep {
  instruction: string;
  words: string;
}

/** The instructions of the last stage, with continued lines joined. */
function lastStage(dockerfile: string): ImageStep[] {
  const lines = dockerfile
    .replace(/^#.*\n/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n");
  const steps = lines.flatMap((line) => {
    const [, instruction = "", words = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return instruction === "" ? [] : [{ instruction, words }];
  });
  return steps.slice(steps.findLastIndex(({ instruction }) => instruction === "FROM") + 1);
}

export interface ImageRoot {
  env: Readonly<Record<string, string>>;
  command: readonly string[];
  healthCheck: readonly string[];
  workFolder: string;
}

const jsonWords = (words: string): string[] => JSON.parse(/\[.*\]$/.exec(words)?.[0] ?? "[]") as string[];

/** Files of the first stage are those of this checkout, which has the same packages and the console built. */
function copyStep(root: string, checkout: string, words: string, workFolder: string): void {
  const [source = "", target = ""] = words.replace("--from=build ", "").split(" ");
  const from = join(checkout, source.replace("/app", ""));
  const to = join(root, workFolder, target);
  // The packages are 600 MB: they are mounted where the process starts.
  if (source.endsWith("/node_modules")) mkdirSync(to, { recursive: true });
  else cpSync(from, target.endsWith("/") ? join(to, source.split("/").at(-1) ?? "") : to, { recursive: true });
}

/** Plays the steps into `root`. Throws for an instruction that it does not know, so that none is left out unseen. */
export function playImage(root: string, checkout: string): ImageRoot {
  let workFolder = "/";
  const env: Record<string, string> = {};
  const ends: Record<string, readonly string[]> = {};
  for (const { instruction, words } of lastStage(readFileSync(join(checkout, "deploy/Dockerfile"), "utf8"))) {
    if (instruction === "ENV")
      for (const pair of words.trim().split(/\s+/)) env[pair.split("=")[0] ?? ""] = pair.split("=")[1] ?? "";
    else if (instruction === "WORKDIR") mkdirSync(join(root, (workFolder = words)), { recursive: true });
    else if (instruction === "COPY") copyStep(root, checkout, words, workFolder);
    else if (instruction === "RUN") playRun(root, words);
    else if (instruction === "CMD" || instruction === "HEALTHCHECK") ends[instruction] = jsonWords(words);
    else if (!["ARG", "LABEL", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"].includes(instruction))
      throw new Error(`the image's step ${instruction} is not known here`);
  }
  makeBase(root);
  return { env, command: ends["CMD"] ?? [], healthCheck: ends["HEALTHCHECK"] ?? [], workFolder };
}

/** The only RUN of the stage makes /data. */
function playRun(root: string, words: string): void {
  const match = /^mkdir (\S+) && chown (\d+):(\d+) \1 && chmod (\d+) \1$/.exec(words);
  if (match === null) throw new Error(`the image's RUN is not known here: ${words}`);
  const [, path = "", user = "", group = "", mode = ""] = match;
  mkdirSync(join(root, path));
  chownSync(join(root, path), Number(user), Number(group));
  chmodSync(join(root, path), Number.parseInt(mode, 8));
}

function makeBase(root: string): void {
  for (const name of BASE_FOLDERS) {
    if (!existsSync(`/${name}`)) continue;
    if (lstatSync(`/${name}`).isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), join(root, name));
    else mkdirSync(join(root, name));
  }
  for (const name of ["proc", "dev", "tmp", "node"]) mkdirSync(join(root, name));
}

/** Mounts of the image, inside of the new namespaces; then it waits, as that is what keeps them. */
function mountScript(root: string, checkout: string, node: string): string {
  const bind = (from: string, to: string) =>
    `mount --bind ${from} ${root}${to} && mount -o remount,bind,ro ${root}${to}`;
  const base = BASE_FOLDERS.filter((name) => existsSync(`/${name}`) && !lstatSync(`/${name}`).isSymbolicLink());
  return [
    "set -e",
    "mount --make-rprivate /",
    `mount --bind ${root} ${root}`,
    ...base.map((name) => bind(`/${name}`, `/${name}`)),
    bind(dirname(node), "/node"),
    bind(join(checkout, "node_modules"), "/app/node_modules"),
    `mount --bind ${root}/data ${root}/data`,
    `mount -t tmpfs tmpfs ${root}/tmp`,
    `mount -t proc proc ${root}/proc`,
    `mount -t tmpfs tmpfs ${root}/dev && for each in null zero random urandom; do touch ${root}/dev/$each; mount --bind /dev/$each ${root}/dev/$each; done`,
    `mount -o remount,bind,ro ${root}`,
    "ip link set lo up",
    "echo ready",
    "exec sleep 600",
  ].join("\n");
}

/** A process that holds the image's namespaces; `within` is what stands before a command to run it in its network, `inside` in all of it. */
export async function openImage(root: string, image: ImageRoot, checkout: string, account: number) {
  const holder: ChildProcess = watched(
    spawn("unshare", [...NAMESPACES, "bash", "-c", mountScript(root, checkout, process.execPath)], {
      stdio: ["ignore", "pipe", "pipe"],
    }),
  );
  const complaints: Buffer[] = [];
  holder.stderr?.on("data", (part: Buffer) => complaints.push(part));
  await new Promise<void>((resolve, reject) => {
    holder.stdout?.once("data", () => resolve());
    holder.once("exit", () =>
      reject(new Error(`the image's root cannot be mounted: ${Buffer.concat(complaints).toString()}`)),
    );
  });
  // The child of unshare is the first process of the new namespaces.
  const pid = execFileSync("pgrep", ["-P", String(holder.pid)], { encoding: "utf8" }).trim();
  const within = ["nsenter", "-t", pid, "-n"];
  const variables = Object.entries({ ...image.env, PATH: "/node:/usr/local/bin:/usr/bin:/bin", HOME: "/" });
  const inside = (extra: Readonly<Record<string, string>>): string[] => [
    ..."nsenter -n -m -p -i -t".split(" "),
    pid,
    "env",
    "-i",
    ...[...variables, ...Object.entries(extra)].map(([name, value]) => `${name}=${value}`),
    "/usr/sbin/chroot",
    root,
    ...`setpriv --reuid=${account} --regid=0 --clear-groups --no-new-privs bash -c`.split(" "),
    `cd ${image.workFolder} && exec "$@"`,
    "image",
  ];
  return { within, inside, end: () => void holder.kill("SIGKILL") };
}
