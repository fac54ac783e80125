/** Where the fake upstream's pictures, tunes and its video are fetched: `/media/grid-3.png`, `/media/picture-3.png`, `/media/tune-3.wav`, `/media/waves.webm`, which every video of it is. */
import { readFileSync } from "node:fs";
import { openAiChatVendor } from "../openai/chat.ts";
import type { SeenRequest } from "../plan.ts";
import type { Vendor } from "../vendor.ts";
import { picture } from "./picture.ts";
import { tune } from "./sound.ts";

export const MEDIA_PATHS =
  /^\/(?:media\/(?:(grid|picture|tune)-(\d{1,4})\.(?:png|wav)|waves\.webm)|v1\/videos\/[^/]+\/content)$/;

const TYPES: Readonly<Record<string, string>> = { png: "image/png", wav: "audio/wav", webm: "video/webm" };

const pathOf = ({ path }: SeenRequest): string => path.split("?")[0] ?? "";

/** The file of a path of `MEDIA_PATHS`. */
function fileOf(path: string): Buffer {
  const [, kind, number] = MEDIA_PATHS.exec(path) ?? [];
  const seed = Number(number);
  if (kind === "tune") return tune(seed);
  if (kind !== undefined) return picture(seed, kind === "grid");
  return readFileSync(new URL("waves.webm", import.meta.url));
}

export const mediaVendor: Vendor = {
  ...openAiChatVendor,
  refuseKey: () => undefined,
  refuse: () => undefined,
  contentType: (seen) => TYPES[pathOf(seen).split(".").at(-1) ?? ""] ?? "video/webm",
  page: (seen) => fileOf(pathOf(seen)),
};
