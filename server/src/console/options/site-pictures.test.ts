/** Tests of uploaded pictures: PNG and WebP by their own bytes and within bounds, served by every process once an option names them, and inert. */
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SITE_PICTURE_BYTES_MAX, type SitePicture } from "../../../../contract/src/features/options.ts";
import { engines } from "../../../../tests/support/databases/databases.ts";
import { setOptions } from "../../../../tests/support/databases/options.ts";
import { type Caller, openTestConsole, type TestConsole } from "../../../../tests/support/systems/console.ts";
import { pictureFormat } from "./picture-format.ts";

const PATH = "/api/option/picture";

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length);
  head.write(type, 4, "latin1");
  return Buffer.concat([head, data, Buffer.alloc(4)]);
}

/** The checksums are left out: nothing here draws it. */
function png(width: number, height: number, extraBytes = 0): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const pixels = deflateSync(Buffer.alloc(16));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", Buffer.concat([pixels, Buffer.alloc(extraBytes)])),
    Buffer.from([0, 0, 0, 0, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82]),
  ]);
}

function webp(form: string, fields: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(`WEBP${form}`, "latin1"), Buffer.alloc(4), fields]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from("RIFF"), size, body]);
}
const lossy = Buffer.concat([Buffer.alloc(3), Buffer.from([0x9d, 0x01, 0x2a, 40, 0, 30, 0])]);
const lossless = Buffer.from([0x2f, 39, 0x40, 7, 0, 0, 0, 0, 0, 0]);
const extended = Buffer.from([0, 0, 0, 0, 39, 0, 0, 29, 0, 0]);

it("knows the size of each form by its bytes, and no picture by anything else", () => {
  expect(pictureFormat(png(40, 30))).toEqual({ ending: "png", mediaType: "image/png", width: 40, height: 30 });
  for (const [form, fields] of [
    ["VP8 ", lossy],
    ["VP8L", lossless],
    ["VP8X", extended],
  ] as const)
    expect(pictureFormat(webp(form, fields))).toMatchObject({ ending: "webp", width: 40, height: 30 });
  for (const bytes of [
    Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
    Buffer.from("GIF89a".padEnd(80, "x")),
    png(0, 30),
    png(40, 30).subarray(0, -1),
    Buffer.concat([png(40, 30), Buffer.from("<script>alert(1)</script>")]),
    Buffer.concat([webp("VP8X", extended), Buffer.from("more")]),
    webp("ICCP", extended),
    Buffer.alloc(0),
  ])
    expect(pictureFormat(bytes)).toBeUndefined();
});

describe.each(await engines())("pictures of the site on %s", (engine) => {
  let site: TestConsole;
  let root: Caller;
  beforeAll(async () => {
    site = await openTestConsole(engine);
    root = await site.person(100);
  });
  afterAll(() => site.close());

  const upload = (bytes: Buffer) => root.data<SitePicture>("POST", PATH, { data: bytes.toString("base64") });

  it("serves a picture under its content's address once an option names it, to everybody and inert", async () => {
    const bytes = png(64, 64);
    const made = await upload(bytes);
    expect(made).toMatchObject({ width: 64, height: 64, bytes: bytes.length });
    expect(made.address).toMatch(/^\/api\/site\/picture\/[0-9a-f]{32}\.png$/);
    const get = () => fetch(site.url + made.address);
    expect((await get()).status).toBe(404);
    await setOptions(site.foundation, { LogoDark: made.address });
    const answer = await get();
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes);
    const header = (name: string) => answer.headers.get(name);
    expect([header("content-type"), header("x-content-type-options")]).toEqual(["image/png", "nosniff"]);
    expect(header("content-security-policy")).toBe("default-src 'none'; sandbox; frame-ancestors 'none'");
    expect(header("cache-control")).toContain("immutable");
    await setOptions(site.foundation, { LogoDark: "" });
    expect((await get()).status).toBe(404);
  });

  it("refuses what is no picture or too large, and what is not the super administrator's session", async () => {
    const send = (who: Caller, bytes: Buffer) => who.call("POST", PATH, { data: bytes.toString("base64") });
    expect((await send(root, Buffer.from("<svg/>"))).body).toMatchObject({
      code: "site_picture_invalid",
      field: "data",
    });
    expect((await send(root, png(2049, 8))).body.code).toBe("site_picture_large");
    expect((await send(root, png(8, 8, SITE_PICTURE_BYTES_MAX))).body.code).toBe("site_picture_large");
    expect((await send(await site.person(10), png(8, 8))).status).toBe(403);
  });

  it("keeps the named pictures and the latest uploads, and deletes older ones", async () => {
    const named = await upload(png(100, 1));
    await setOptions(site.foundation, { Logo: named.address });
    for (let width = 101; width < 115; width += 1) await upload(png(width, 1));
    const rows = await site.foundation.database.kysely.selectFrom("site_pictures").select("hash").execute();
    expect(rows.length).toBeLessThanOrEqual(10);
    expect((await fetch(site.url + named.address)).status).toBe(200);
  });
});
