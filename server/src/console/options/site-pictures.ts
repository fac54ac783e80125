/**
 * Pictures of the site that the operator uploads: stored in the database, so that every process has them, and served under an address that changes
 * with their content. SVG is refused: it is a document that can hold scripts and addresses of other sites, and PNG or WebP of twice the size
 * shows as sharp. What no option names is not served, so that an upload alone publishes nothing.
 */
import { createHash } from "node:crypto";
import { AppError } from "../../../../contract/src/errors.ts";
import {
  SITE_PICTURE_BYTES_MAX,
  SITE_PICTURE_PATH,
  SITE_PICTURE_PIXELS_MAX,
  type SitePicture,
} from "../../../../contract/src/features/options.ts";
import { insertOrIgnore } from "../../db/portable.ts";
import { nowSeconds } from "../../util/clock.ts";
import { LruMap } from "../../util/lru.ts";
import { unknownPath } from "../http/envelope.ts";
import type { ConsoleContext } from "../http/handlers.ts";
import type { ConsoleApp } from "../http/mount.ts";
import { pictureFormat } from "./picture-format.ts";

type PictureContext = Pick<ConsoleContext, "database" | "snapshot" | "clock">;

const HASH_CHARACTERS = 32;
/** Uploads that no option names yet; older ones are deleted when another comes. */
const UNNAMED_KEPT = 8;
/** More than options can name at once. */
const CACHED = 8;
const HASH = /([0-9a-f]{32})\.(?:png|webp)$/;

/** Nothing in a picture runs, loads or is framed, also where its address is opened by itself. */
const PICTURE_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

const hashIn = (address: string): string | undefined =>
  address.startsWith(SITE_PICTURE_PATH) ? HASH.exec(address)?.[1] : undefined;

/** Hashes of the uploaded pictures that the options in force name. */
const namedHashes = ({ options }: PictureContext["snapshot"]): string[] =>
  [options.Logo, options.LogoDark, options.Favicon].flatMap((address) => hashIn(address) ?? []);

/**
 * Stores a picture.
 * @param data base64
 * @throws AppError site_picture_invalid for anything but PNG and WebP, site_picture_large beyond the bounds of bytes or pixels.
 */
export async function uploadPicture(context: PictureContext, data: string): Promise<SitePicture> {
  const { database, snapshot, clock } = context;
  const bytes = Buffer.from(data, "base64");
  if (bytes.length > SITE_PICTURE_BYTES_MAX) throw new AppError("site_picture_large", { field: "data" });
  const format = pictureFormat(bytes);
  if (format === undefined) throw new AppError("site_picture_invalid", { field: "data" });
  const { width, height, mediaType, ending } = format;
  if (Math.max(width, height) > SITE_PICTURE_PIXELS_MAX) throw new AppError("site_picture_large", { field: "data" });
  const hash = createHash("sha256").update(bytes).digest("hex").slice(0, HASH_CHARACTERS);
  const row = { hash, media_type: mediaType, created_time: nowSeconds(clock), content: bytes.toString("base64") };
  await database.kysely.transaction().execute(async (transaction) => {
    await insertOrIgnore(database, transaction, "site_pictures", row);
    // One that was uploaded before is as new as another.
    await transaction
      .updateTable("site_pictures")
      .set({ created_time: row.created_time })
      .where("hash", "=", hash)
      .execute();
    const stored = await transaction
      .selectFrom("site_pictures")
      .select("hash")
      .orderBy("created_time", "desc")
      .execute();
    const named = new Set([hash, ...namedHashes(snapshot)]);
    const left = stored.map((each) => each.hash).filter((each) => !named.has(each));
    const gone = left.slice(UNNAMED_KEPT);
    if (gone.length > 0) await transaction.deleteFrom("site_pictures").where("hash", "in", gone).execute();
  });
  return { address: `${SITE_PICTURE_PATH}${hash}.${ending}`, width, height, bytes: bytes.length };
}

interface StoredPicture {
  mediaType: string;
  bytes: Buffer<ArrayBuffer>;
}

/** Serves the pictures that options name. Each is read once: its address has its content. */
export function mountSitePictures(app: ConsoleApp, context: PictureContext): void {
  const cache = new LruMap<string, StoredPicture>(CACHED);
  const read = async (hash: string): Promise<StoredPicture | undefined> => {
    const known = cache.get(hash);
    if (known !== undefined) return known;
    const row = await context.database.kysely
      .selectFrom("site_pictures")
      .select(["media_type", "content"])
      .where("hash", "=", hash)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const picture = { mediaType: row.media_type, bytes: Buffer.from(row.content, "base64") };
    cache.set(hash, picture);
    return picture;
  };
  app.get(`${SITE_PICTURE_PATH}:name`, async (c) => {
    const hash = hashIn(c.req.path);
    const picture = hash !== undefined && namedHashes(context.snapshot).includes(hash) ? await read(hash) : undefined;
    if (picture === undefined) return unknownPath(c);
    return c.body(picture.bytes, 200, {
      "Content-Type": picture.mediaType,
      "Content-Security-Policy": PICTURE_POLICY,
      "Cache-Control": "public, max-age=31536000, immutable",
    });
  });
}
