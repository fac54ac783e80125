/** The look for a newer release: the JSON of a release as GitHub gives it, from the address that an administrator set. */
import { z } from "zod";
import { AppError } from "../../../../contract/src/errors.ts";
import type { SystemInfo, UpdateCheck } from "../../../../contract/src/features/options.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import { askSite } from "./ask-site.ts";
import { untrustedForwarder } from "./untrusted-forwarder.ts";
import { compareVersions } from "./versions.ts";

const NOTES_MAX = 20_000;
const NAME_MAX = 200;

const text = z.string().nullish().catch("");
const release = z.object({ tag_name: z.string().trim().min(1).max(NAME_MAX), html_url: text, name: text, body: text });

const failed = (cause: unknown): AppError => new AppError("update_check_failed", { field: "UpdateCheckUrl", cause });

function releaseIn(body: string) {
  try {
    return release.parse(JSON.parse(body));
  } catch (error) {
    throw failed(error);
  }
}

/** What is shown as a link must be one. */
const pageOf = (address: string): string => (URL.parse(address)?.protocol === "https:" ? address : "");

/** @throws AppError update_check_off where no address is set, address_refused, update_check_failed */
export async function checkForUpdate(
  context: Pick<ConsoleContext, "relay" | "snapshot" | "site">,
): Promise<UpdateCheck> {
  const { UpdateCheckUrl } = context.snapshot.options;
  if (UpdateCheckUrl === "") throw new AppError("update_check_off", { field: "UpdateCheckUrl" });
  const found = releaseIn(await askSite(context, UpdateCheckUrl, "UpdateCheckUrl", failed));
  const current = context.site.version;
  return {
    current,
    latest: found.tag_name,
    relation: compareVersions(found.tag_name, current),
    name: (found.name ?? "").slice(0, NAME_MAX),
    notes: (found.body ?? "").slice(0, NOTES_MAX),
    url: pageOf(found.html_url ?? ""),
  };
}

/** What the server runs on. */
export async function systemInfo({
  site,
  database,
  clock,
}: Pick<ConsoleContext, "site" | "database" | "clock">): Promise<SystemInfo> {
  const proxy = await untrustedForwarder({ database, clock, trustedProxies: site.trustedProxies });
  return {
    version: site.version,
    start_time: site.startTime,
    node_version: process.version,
    database_type: database.engine,
    ...(proxy === undefined ? {} : { untrusted_proxy: { address: proxy.address, is_private: proxy.isPrivate } }),
  };
}
