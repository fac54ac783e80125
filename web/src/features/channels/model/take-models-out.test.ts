/** Tests of removing models from a channel that another user changes at the same time: nothing saved meanwhile is lost. */
import { expect, test } from "vitest";
import { ApiError } from "../../../lib/api.ts";
import { takeModelsOut } from "./take-models-out.ts";

const refusal = (code: string) => new ApiError("refused", { status: 409, code, endpoint: "PUT /api/channel/" });

/** A channel whose models another user changes to each of `meanwhile`, between a read and the write that follows. */
function channelWith(models: string, meanwhile: readonly string[]) {
  const row = { models, revision: 1 };
  const changes = [...meanwhile];
  const sent: { models: string; revision: number }[] = [];
  const save = (next: string): void => void Object.assign(row, { models: next, revision: row.revision + 1 });
  return {
    row,
    sent,
    read: () => Promise.resolve({ ...row }),
    write: (change: { models: string; revision: number }) => {
      sent.push(change);
      const next = changes.shift();
      if (next !== undefined) save(next);
      if (change.revision !== row.revision) return Promise.reject(refusal("channel_changed"));
      save(change.models);
      return Promise.resolve({ ...row });
    },
  };
}

test("models go, with the revision that was read, and the others stay", async () => {
  const channel = channelWith("a,b,c", []);
  expect(await takeModelsOut(["b", "x"], channel)).toEqual({ models: "a,c", revision: 2 });
  expect(channel.sent).toEqual([{ models: "a,c", revision: 1 }]);
});

test("models that another user saves meanwhile are read again and kept", async () => {
  const channel = channelWith("a,b", ["a,b,c", "b,c,d"]);
  expect(await takeModelsOut(["b"], channel)).toMatchObject({ models: "c,d" });
  expect(channel.sent).toEqual([
    { models: "a", revision: 1 },
    { models: "a,c", revision: 2 },
    { models: "c,d", revision: 3 },
  ]);
});

test("after three refusals the reader is shown the last one, and nothing is written", async () => {
  const channel = channelWith("a,b", ["a,b,1", "a,b,2", "a,b,3", "a,b,4"]);
  await expect(takeModelsOut(["b"], channel)).rejects.toMatchObject({ code: "channel_changed" });
  expect([channel.sent.length, channel.row.models]).toEqual([3, "a,b,3"]);
});

test("any other refusal is final", async () => {
  const channel = channelWith("a,b", []);
  const write = (change: { models: string; revision: number }) => {
    channel.sent.push(change);
    return Promise.reject(refusal("channel_invalid"));
  };
  await expect(takeModelsOut(["b"], { read: channel.read, write })).rejects.toMatchObject({ code: "channel_invalid" });
  expect(channel.sent).toHaveLength(1);
});
