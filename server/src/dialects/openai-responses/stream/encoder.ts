/** Neutral events -> the frames of a Responses stream (platform.openai.com/docs/api-reference/responses-streaming). */
import type { Usage } from "../../../../../contract/src/pricing/usage.ts";
import type { AnswerInfo, ErrorInfo } from "../../neutral/info.ts";
import type { StreamEncoder } from "../../stream/stream.ts";
import { listOf } from "../../json/fields.ts";
import {
  type Citation,
  type FinishReason,
  type JsonObject,
  type MediaSource,
  type NeutralEvent,
  pictureText,
  type SearchPart,
  type Signature,
} from "../../neutral/neutral.ts";
import { type ResponseEnd, createEnvelope } from "../answer-envelope.ts";
import { incompleteReason } from "../finish.ts";
import { responseError } from "../errors.ts";
import { FrameWriter } from "./frames.ts";
import { ClientCallItem, CustomCallItem, FunctionCallItem, ImageItem, ReasoningItem, SearchItem } from "./items.ts";
import { type ItemStatus, MessageItem, type Place, type WrittenItem } from "./message.ts";
import { type OwnName, ownNames } from "../tool-names.ts";
import { callContent, reasoningContent } from "../signature.ts";
import { chargedTier, encodeUsage } from "../usage.ts";

export class ResponsesEncoder implements StreamEncoder {
  readonly #info: AnswerInfo;
  readonly #frames = new FrameWriter();
  readonly #envelope: (end: ResponseEnd) => JsonObject;
  readonly #names: ReadonlyMap<string, OwnName>;
  readonly #output: JsonObject[] = [];
  readonly #callIds = new Set<string>();
  #open: WrittenItem | undefined;
  #hasStarted = false;
  #finish: FinishReason = "stop";
  #hasRefusal = false;
  /** Sources that came before the text they belong to. */
  #citations: Citation[] = [];

  constructor(info: AnswerInfo) {
    this.#info = info;
    this.#envelope = createEnvelope(info);
    this.#names = ownNames(info.request);
  }

  push(event: NeutralEvent): string {
    // The Responses API gives one answer.
    if ("choice" in event && event.choice !== 0) return "";
    const start = this.#start();
    return start + this.#write(event);
  }

  #start(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    const response = this.#envelope({ status: "in_progress", output: [], usage: null });
    return (
      this.#frames.frame("response.created", { response }) + this.#frames.frame("response.in_progress", { response })
    );
  }

  #write(event: NeutralEvent): string {
    switch (event.kind) {
      case "text":
      case "refusal":
        return event.text === "" ? "" : this.#say(event.kind, event.text);
      case "reasoning":
        return event.text === "" ? "" : this.#think(event.text);
      case "signature":
        return this.#sign(event.signature, event.isRedacted === true);
      case "tool_call":
        return this.#call(event.id, event.name, event.signature);
      case "tool_arguments":
        return this.#argue(event.text);
      case "image":
        return this.#show(event.source);
      case "citation":
        return this.#cite(event.citation);
      case "search_begun":
        return this.#beginSearch(event.search);
      case "search":
        return this.#search(event.search);
      case "logprobs":
        if (this.#open instanceof MessageItem) this.#open.note(listOf(event.logprobs["content"]));
        return "";
      case "finish":
        this.#finish = event.reason;
        return "";
      default:
        return "";
    }
  }

  #place(prefix: string): Place {
    const index = this.#output.length;
    return { id: `${prefix}_${this.#info.requestId}_${index}`, index };
  }

  #closeItem(status: ItemStatus = "completed"): string {
    const open = this.#open;
    if (open === undefined) return "";
    this.#open = undefined;
    const frames = open.close(status);
    this.#output.push(open.item(status));
    return frames;
  }

  #say(kind: "text" | "refusal", text: string): string {
    this.#hasRefusal ||= kind === "refusal";
    if (this.#open instanceof MessageItem) return this.#open.say(kind, text);
    const before = this.#closeItem();
    const item = new MessageItem(this.#frames, this.#place("msg"));
    this.#open = item;
    const frames = before + item.open() + item.say(kind, text);
    return (
      frames +
      this.#citations
        .splice(0)
        .map((citation) => item.cite(citation))
        .join("")
    );
  }

  #think(text: string): string {
    if (this.#open instanceof ReasoningItem) return this.#open.think(text);
    const { frames, item } = this.#beginReasoning();
    return frames + item.think(text);
  }

  #beginReasoning(): { frames: string; item: ReasoningItem } {
    const before = this.#closeItem();
    const item = new ReasoningItem(this.#frames, this.#place("rs"));
    this.#open = item;
    return { frames: before + item.open(), item };
  }

  /** A proof ends the reasoning it belongs to; one that stands for withheld reasoning is an item of its own. */
  #sign(signature: Signature, isRedacted: boolean): string {
    const isOfOpen = !isRedacted && this.#open instanceof ReasoningItem;
    const { frames, item } = isOfOpen ? { frames: "", item: this.#open as ReasoningItem } : this.#beginReasoning();
    item.sign(reasoningContent(signature, isRedacted));
    return frames + this.#closeItem();
  }

  /** The proof of a tool call goes in front of it: the call's item has no field for one. */
  #signCall(signature: Signature | undefined): string {
    if (signature === undefined) return "";
    const { frames, item } = this.#beginReasoning();
    item.sign(callContent(signature));
    return frames + this.#closeItem();
  }

  #call(id: string, name: string, signature: Signature | undefined): string {
    const before = this.#closeItem() + this.#signCall(signature);
    const own = this.#names.get(name) ?? { name, isCustom: false };
    const item = this.#callItem(own, this.#callId(id));
    this.#open = item;
    return before + item.open();
  }

  #callItem(own: OwnName, callId: string): FunctionCallItem | CustomCallItem | ClientCallItem {
    const { clientTool, isCustom } = own;
    if (clientTool !== undefined)
      return new ClientCallItem(this.#frames, this.#place(clientTool.prefix), callId, clientTool);
    const call = { ...own, callId };
    return isCustom
      ? new CustomCallItem(this.#frames, this.#place("ctc"), call)
      : new FunctionCallItem(this.#frames, this.#place("fc"), call);
  }

  /** Calls are answered by their ids, so none may be empty or come twice. */
  #callId(id: string): string {
    const isFree = id !== "" && !this.#callIds.has(id);
    const callId = isFree ? id : `call_${this.#info.requestId}_${this.#output.length}`;
    this.#callIds.add(callId);
    return callId;
  }

  #argue(text: string): string {
    const item = this.#open;
    const isCall = item instanceof FunctionCallItem || item instanceof CustomCallItem || item instanceof ClientCallItem;
    return text === "" || !isCall ? "" : item.write(text);
  }

  #show(source: MediaSource): string {
    if (source.kind === "url") return this.#say("text", pictureText(source));
    const before = this.#closeItem();
    const item = new ImageItem(this.#frames, this.#place("ig"), source.data);
    this.#open = item;
    return before + item.open() + this.#closeItem();
  }

  #beginSearch(search: SearchPart): string {
    const before = this.#closeItem();
    const wantsSources = listOf(this.#info.request?.["include"]).includes("web_search_call.action.sources");
    const item = new SearchItem(this.#frames, this.#place("ws"), search, wantsSources);
    this.#open = item;
    return before + item.open();
  }

  #search(search: SearchPart): string {
    const before = this.#open instanceof SearchItem ? "" : this.#beginSearch(search);
    if (this.#open instanceof SearchItem) this.#open.found(search);
    return before + this.#closeItem();
  }

  #cite(citation: Citation): string {
    if (this.#open instanceof MessageItem) return this.#open.cite(citation);
    this.#citations.push(citation);
    return "";
  }

  /** The whole response; frames that close open items come before it. */
  finish(usage: Usage): { frames: string; type: string; response: JsonObject } {
    const reason = incompleteReason(this.#finish, this.#hasRefusal);
    const status = reason === undefined ? "completed" : "incomplete";
    const frames = this.#start() + this.#closeItem(status);
    const end = { status, output: this.#output, usage: encodeUsage(usage) } as const;
    const response = this.#envelope(reason === undefined ? end : { ...end, incompleteReason: reason });
    return { frames, type: `response.${status}`, response: { ...response, service_tier: chargedTier(usage) } };
  }

  close(usage: Usage): string {
    const { frames, type, response } = this.finish(usage);
    return frames + this.#frames.frame(type, { response });
  }

  /** As the vendor ends a stream that fails: the error, then the response that failed. */
  fail(error: ErrorInfo): string {
    const { code, message, param } = error;
    const response = this.#envelope({
      status: "failed",
      output: this.#output,
      usage: null,
      error: responseError(error),
    });
    return (
      this.#start() +
      this.#frames.frame("error", { code, message, param }) +
      this.#frames.frame("response.failed", { response })
    );
  }
}
