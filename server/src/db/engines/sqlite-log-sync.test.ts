/** The sync of the write-ahead log: one at a time, shared by those who wait; after an error everything is written another way. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { LogSync } from "./sqlite-log-sync.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "turnpike-sync-"))));
afterAll(() => rm(folder, { recursive: true }));

test("those who come during a sync share the next one, which begins behind it", async () => {
  const path = join(folder, "log");
  await writeFile(path, "written");
  const sync = new LogSync(path, () => Promise.reject(new Error("not needed")));
  const first = sync.sync();
  await new Promise((resolve) => setImmediate(resolve)); // It has begun.
  const [second, third] = [sync.sync(), sync.sync()];
  expect(second).not.toBe(first);
  expect(third).toBe(second);
  await Promise.all([first, second, third]);
  expect(sync.sync()).not.toBe(second);
  await sync.close();
});

test("after an error each sync mends, until that succeeds", async () => {
  const path = join(folder, "late");
  let mends = 0;
  const sync = new LogSync(path, async () => {
    mends += 1;
    if (mends === 1) throw new Error("still refused");
  });
  await expect(sync.sync()).rejects.toThrow("ENOENT");
  await expect(sync.sync()).rejects.toThrow("still refused");
  await sync.sync();
  expect(mends).toBe(2);
  await writeFile(path, "written");
  await sync.sync();
  expect(mends).toBe(2);
  await sync.close();
});
