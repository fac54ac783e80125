/** A search of the web that the gateway made as an item of a Responses answer, whole from the start (platform.openai.com/docs/guides/tools-web-search). */
import type { JsonObject, SearchPart } from "../../neutral/neutral.ts";
import type { FrameWriter } from "./frames.ts";
import type { Place, WrittenItem } from "./message.ts";

export class SearchItem implements WrittenItem {
  readonly #frames: FrameWriter;
  readonly #place: Place;
  readonly #search: SearchPart;
  /** The client asked for the pages too (`include`). */
  readonly #wantsSources: boolean;

  constructor(frames: FrameWriter, place: Place, search: SearchPart, wantsSources: boolean) {
    this.#frames = frames;
    this.#place = place;
    this.#search = search;
    this.#wantsSources = wantsSources;
  }

  #whole(status: string): JsonObject {
    const { query, pages } = this.#search;
    const sources = this.#wantsSources ? { sources: pages.map(({ url }) => ({ type: "url", url })) } : {};
    return {
      id: this.#place.id,
      type: "web_search_call",
      status,
      action: { type: "search", query, queries: [query], ...sources },
    };
  }

  open(): string {
    const { id, index } = this.#place;
    const where = { item_id: id, output_index: index };
    const added = { output_index: index, item: this.#whole("in_progress") };
    return (
      this.#frames.frame("response.output_item.added", added) +
      this.#frames.frame("response.web_search_call.in_progress", where) +
      this.#frames.frame("response.web_search_call.searching", where)
    );
  }

  close(): string {
    const { id, index } = this.#place;
    const completed = this.#search.error === undefined ? { item_id: id, output_index: index } : undefined;
    return (
      (completed === undefined ? "" : this.#frames.frame("response.web_search_call.completed", completed)) +
      this.#frames.frame("response.output_item.done", { output_index: index, item: this.item() })
    );
  }

  item(): JsonObject {
    return this.#whole(this.#search.error === undefined ? "completed" : "failed");
  }
}
