/** Tests of attached files: what is taken for what, what a model reads, how they count and are sent, and what a stored chat keeps. */
import { expect, test } from "vitest";
import {
  attachmentKind,
  attachmentTokens,
  isOtherSound,
  KEPT_CHARACTERS,
  partOf,
  readsAttachment,
  withinKept,
  withType,
} from "./attachments.ts";
import { beginConversation, type Message, said } from "./conversation.ts";

test.each([
  ["a.pdf", "application/pdf", "pdf", false],
  ["a.PDF", "", "pdf", false],
  ["a.mp3", "audio/mpeg", "audio", false],
  ["a.wav", "audio/x-wav", "audio", false],
  ["a.ogg", "audio/ogg", undefined, true],
  ["a.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document", undefined, false],
])("%s of the type '%s' is attached as %s", (name, type, kind, isSound) => {
  expect(attachmentKind({ name, type })).toBe(kind);
  expect(isOtherSound({ name, type })).toBe(isSound);
});

test("a model reads PDF where it sees pictures, and sound where its list says so; where nothing is listed both may be tried", () => {
  const text = { input_modalities: ["text"] as const };
  const seeing = { input_modalities: ["text", "image"] as const };
  const hearing = { input_modalities: ["text", "audio"] as const };
  const reads = (entry?: { input_modalities: readonly ("text" | "image" | "audio")[] }) => {
    const listed = entry && { input_modalities: [...entry.input_modalities] };
    return [readsAttachment(listed, "pdf"), readsAttachment(listed, "audio")];
  };
  expect([reads(text), reads(seeing), reads(hearing), reads()]).toEqual([
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ]);
});

test("tokens follow the pages of a PDF and the seconds of sound", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const pdf = { name: "a.pdf", type: "application/pdf" };
  expect(attachmentTokens(pdf, bytes("/Type /Pages /Type /Page\n/Type/Page "))).toBe(4000);
  expect(attachmentTokens(pdf, new Uint8Array(120_000))).toBe(6000);
  const wav = new Uint8Array(320_000);
  new DataView(wav.buffer).setUint32(28, 32_000, true);
  expect(attachmentTokens({ name: "a.wav", type: "audio/wav" }, wav)).toBe(320);
  expect(attachmentTokens({ name: "a.mp3", type: "audio/mpeg" }, new Uint8Array(160_000))).toBe(320);
});

test("they are sent as parts of the chat format, and by name once they are no longer kept", () => {
  const url = withType({ name: "a.pdf", type: "" }, "data:application/octet-stream;base64,QUJD");
  const pdf = { kind: "pdf", name: "a.pdf", bytes: 3, tokens: 1 } as const;
  expect(partOf({ ...pdf, url })).toEqual({
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QUJD" },
  });
  const sound = withType({ name: "a.wav", type: "audio/x-wav" }, "data:audio/x-wav;base64,QUJD");
  expect(partOf({ ...pdf, kind: "audio", url: sound })).toEqual({
    type: "input_audio",
    input_audio: { data: "QUJD", format: "wav" },
  });
  expect(partOf(pdf)).toEqual({ type: "text", text: "[The file a.pdf is no longer attached.]" });
});

test("a stored chat keeps its newest files whole and the names of the others", () => {
  const file = (name: string, length: number) => ({
    kind: "pdf" as const,
    name,
    bytes: 1,
    tokens: 1,
    url: "x".repeat(length),
  });
  const asked = (id: string, name: string): Message => ({
    ...said(id, "user", name, 1),
    attachments: [file(name, KEPT_CHARACTERS / 2)],
  });
  const begun = beginConversation("c", { userId: 1, group: "", model: "m", system: "" });
  const full = {
    ...begun,
    lanes: begun.lanes.map((lane) => ({
      ...lane,
      messages: [asked("1", "old"), asked("2", "newer"), asked("3", "newest")],
    })),
  };
  const files = withinKept(full).lanes[0]?.messages.flatMap(({ attachments = [] }) => attachments) ?? [];
  expect(files.map(({ name, url }) => [name, url !== undefined])).toEqual([
    ["old", false],
    ["newer", true],
    ["newest", true],
  ]);
});
