/** OpenAI's own realtime client, unmodified, through a proxy that ends TLS and the relay: text, audio, transcripts, and failures. */
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import OpenAI from "openai";
import { OpenAIRealtimeWebSocket } from "openai/realtime/websocket";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TEST_KEY, until } from "../support/relay/harness.ts";
import { SOUND, SPOKEN_USAGE, TRANSCRIPT_USAGE, WRITTEN_USAGE } from "../fake-upstream/openai/realtime-session.ts";
import { type OperationScene, openOperations } from "./operation-scene.ts";
import { Talker, type TlsProxy, startTlsProxy } from "./realtime-client.ts";

const MODEL = "gpt-realtime";
const WORDS = 'Zwölf "Boxkämpfer"\n jagen\t你好 🙂';

let scene: OperationScene;
let proxy: TlsProxy;

beforeEach(async () => {
  scene = await openOperations(1);
  proxy = await startTlsProxy(scene.relay.url);
});
afterEach(async () => {
  proxy.close();
  await scene.close();
});

const talker = (asked: ConstructorParameters<typeof Talker>[2] = { model: MODEL }, key = `sk-${TEST_KEY}`): Talker =>
  new Talker(proxy, key, asked);

test("an answer in text", async () => {
  scene.upstream.plan({ text: WORDS, chunks: 7 });
  const client = talker();
  await client.heard("session.created");
  client.library.send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"] } });
  const { session } = await client.heard("session.updated");
  expect(session).toMatchObject({ output_modalities: ["text"] });
  client.library.send({
    type: "conversation.item.create",
    item: { type: "message", role: "user", content: [{ type: "input_text", text: "Say it." }] },
  });
  await client.heard("conversation.item.done");
  client.library.send({ type: "response.create" });
  const { response } = await client.heard("response.done");
  expect(client.joined("response.output_text.delta")).toBe(WORDS);
  expect(response).toMatchObject({ status: "completed", usage: WRITTEN_USAGE });
  // (15 + 7 x 4) x 2
  expect(scene.charges).toEqual([86]);
});

test("answers in sound, one after the other", async () => {
  scene.upstream.plan({ text: WORDS });
  const client = talker();
  for (const round of [1, 2]) {
    client.library.socket.once("open", () => client.library.send({ type: "response.create" }));
    if (round === 2) client.library.send({ type: "response.create" });
    const { response } = await client.heard("response.done", round);
    expect(response.usage).toEqual(SPOKEN_USAGE);
  }
  const sounds = client.events.flatMap((event) => (event.type === "response.output_audio.delta" ? [event.delta] : []));
  expect(sounds).toEqual([SOUND, SOUND]);
  expect(client.joined("response.output_audio_transcript.delta")).toBe(WORDS + WORDS);
  // (10 x 0.1 + 19 heard x 8 + 11 + 15 said x 16 + 5 x 4) x 2
  expect(scene.charges).toEqual([848, 848]);
});

test("a session that only transcribes, whose model comes after its beginning", async () => {
  scene.upstream.plan({ text: WORDS });
  const client = talker({ intent: "transcription" });
  await client.heard("session.created");
  const transcription = { model: "gpt-4o-transcribe" };
  client.library.send({
    type: "session.update",
    session: { type: "transcription", audio: { input: { transcription } } },
  });
  await client.heard("session.updated");
  client.library.send({ type: "input_audio_buffer.append", audio: SOUND });
  client.library.send({ type: "input_audio_buffer.commit" });
  const { transcript, usage } = await client.heard("conversation.item.input_audio_transcription.completed");
  expect([transcript, usage]).toEqual([WORDS, TRANSCRIPT_USAGE]);
  // (3 + 14 x 2.4 + 9 x 4) x 1.25, rounded
  expect(scene.charges).toEqual([91]);
});

test("an error of the upstream is one of the library's kind, and the session continues", async () => {
  const client = talker();
  await client.heard("session.created");
  client.library.send({ type: "session.update", session: {} as never });
  await until(() => client.errors.length > 0);
  expect(client.errors.splice(0)).toMatchObject([{ error: { code: "missing_required_parameter" } }]);
  client.library.send({ type: "response.create" });
  await client.heard("response.done");
});

test("what the gateway ends is the library's kind of error, with the request id and a code", async () => {
  const client = talker();
  await client.heard("session.created");
  const codes: number[] = [];
  client.library.socket.on("close", (code) => codes.push(code));
  scene.relay.world.tokens.clear();
  client.library.send({ type: "response.create" });
  await until(() => codes.length > 0);
  expect(client.errors).toMatchObject([{ error: { code: "key_invalid" }, event_id: "evt_req-test-1" }]);
  expect(codes).toEqual([1008]);
});

test("a refused handshake has its status", async () => {
  await expect(talker({ model: MODEL }, "sk-wrong").heard("session.created")).rejects.toMatchObject({ status: 401 });
  await expect(talker({ model: "unknown" }).heard("session.created")).rejects.toMatchObject({ status: 404 });
});

test("closing it ends the session at the upstream, and nothing stays held", async () => {
  const client = talker();
  await client.heard("session.created");
  client.library.close();
  await until(() => scene.upstream.sockets[0]?.closeCode === 1000 && scene.relay.billing.holds.size === 0);
  expect(scene.charges).toEqual([]);
});

test("the browsers' client, whose key stands among the subprotocols", async () => {
  setDefaultCACertificates([...getCACertificates("default"), proxy.certificate]);
  const client = new OpenAI({ apiKey: `sk-${TEST_KEY}`, baseURL: `${proxy.url}/v1` });
  const library = new OpenAIRealtimeWebSocket({ model: MODEL }, client);
  const heard: string[] = [];
  library.on("event", ({ type }) => heard.push(type));
  library.on("error", ({ message }) => heard.push(message));
  await until(() => heard.length > 0);
  library.send({ type: "response.create" });
  await until(() => heard.includes("response.done"));
  expect(heard[0]).toBe("session.created");
  expect(scene.charges).toEqual([848]);
  expect(scene.upstream.sockets[0]?.headers["sec-websocket-protocol"]).toBeUndefined();
  library.close();
});
