/** Tests of media from results that upstreams wrote: only addresses a player may have, only fields of the right kind. */
import { describe, expect, test } from "vitest";
import { durationText, lyricsOf, mediaAddress, songsOf, videoFactsOf, videoOf } from "./media.ts";

const SITE = "https://gate.example";

describe("an address that is played or shown", () => {
  test.each([
    ["https://cdn.example/a.mp3", "https://cdn.example/a.mp3"],
    ["/mj/image/7", "https://gate.example/mj/image/7"],
    ["//cdn.example/a.png", undefined],
    ["<img src=x onerror=ran()>", undefined],
    ["HTTPS://cdn.example/a.png", "https://cdn.example/a.png"],
    ["javascript:alert(1)", undefined],
    [" JaVaScRiPt:alert(1)", undefined],
    ["data:text/html,<script>ran()</script>", undefined],
    ["blob:https://gate.example/1", undefined],
    ["file:///etc/passwd", undefined],
    ["https://", undefined],
    ["", undefined],
    [{ toString: (): string => "https://cdn.example" }, undefined],
  ])("%s", (given, expected) => expect(mediaAddress(given, SITE)).toBe(expected));
});

test("songs are read field by field, whatever else stands there", () => {
  const [song, second] = songsOf(
    [
      { id: "s1", title: "Ferry", audio_url: "https://cdn.example/1.mp3", metadata: { duration: 187.4, tags: "folk" } },
      { title: 5, audio_url: "javascript:ran()", metadata: "none" },
      { title: "Without sound", audio_url: null, metadata: { duration: -1 } },
      null,
      "song",
    ],
    SITE,
  );
  expect(song).toEqual({
    id: "s1",
    title: "Ferry",
    tags: "folk",
    seconds: 187.4,
    audio: "https://cdn.example/1.mp3",
    video: undefined,
  });
  expect(second).toMatchObject({ title: "Without sound", audio: undefined, seconds: undefined });
  expect(songsOf({ title: "no list" }, SITE)).toEqual([]);
  expect(songsOf(null, SITE)).toEqual([]);
});

test("only a video is one, whatever address another kind has", () => {
  expect(videoOf({ platform: "video", resultUrl: "https://cdn.example/v.webm" }, SITE)).toBe(
    "https://cdn.example/v.webm",
  );
  expect(videoOf({ platform: "mj", resultUrl: "https://cdn.example/v.mp4" }, SITE)).toBe("https://cdn.example/v.mp4");
  expect(videoOf({ platform: "mj", resultUrl: "javascript:ran()" }, SITE)).toBeUndefined();
  expect(videoOf({ platform: "video", resultUrl: "javascript:ran()" }, SITE)).toBeUndefined();
  expect(videoOf({ platform: "suno", resultUrl: "https://cdn.example/v.webm" }, SITE)).toBeUndefined();
});

test("a video says by whom it is made, how long and how; whatever else stands there, nothing", () => {
  const properties = { format: "kling", seconds: 10, size: "16:9", mode: "pro, sound", poll: { task: "text2video" } };
  expect(videoFactsOf({ platform: "video", properties })).toEqual({
    vendor: "kling",
    seconds: 10,
    details: ["16:9", "pro, sound"],
  });
  expect(videoFactsOf({ platform: "video", properties: { format: 5, seconds: -1, size: null } })).toEqual({
    vendor: "",
    seconds: undefined,
    details: [],
  });
  expect(videoFactsOf({ platform: "video", properties: null })).toBeUndefined();
  expect(videoFactsOf({ platform: "suno", properties })).toBeUndefined();
});

test("lyrics are a text with a title", () => {
  expect(lyricsOf({ title: "Ferry", text: "Over the river" })).toEqual({ title: "Ferry", text: "Over the river" });
  expect(lyricsOf({ text: 5 })).toBeUndefined();
  expect(lyricsOf([{ text: "a song" }])).toBeUndefined();
  expect(lyricsOf("text")).toBeUndefined();
});

test("lengths of songs are minutes and seconds", () => {
  expect([durationText(187.4), durationText(59.6), durationText(5)]).toEqual(["3:07", "1:00", "0:05"]);
});
