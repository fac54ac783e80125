/** One request of a program for this API family, as tests send it, and the words in which they say what the program reads. */
import { expect } from "vitest";

/** Who sends a request: a person by access token, a program by a token's key, a page with the session, or anyone. */
export type Sender = "access" | "key" | "session" | "anyone";
export type Body = Record<string, unknown>;

export interface Step {
  /** Method and path; `{name}` stands for what is known by it. */
  call: string;
  by: Sender;
  body?: Body;
  headers?: Record<string, string>;
  /** 200 where absent. */
  status?: number;
  /** What the program reads of the answer. */
  reads?: object;
  /** What later steps name, from the answer's body. */
  keeps?(body: Body): Record<string, unknown>;
}

export interface Sequence {
  tool: string;
  /** The repository and the file of it that sends these. */
  source: string;
  steps: readonly Step[];
}

export const SUCCESS = { success: true };
export const anyNumber = expect.any(Number) as number;
export const anyList = expect.any(Array) as unknown[];
export const itemsOf = ({ data }: Body) => (data as { items: Body[] }).items;
export const page = (more: object = {}) => ({
  success: true,
  data: { items: anyList, total: anyNumber, page: 1, page_size: anyNumber, ...more },
});

/** A chat call as NextChat sends it. */
export const ASKED = {
  messages: [
    {
      role: "user",
      content: "hi",
    },
  ],
  stream: false,
  model: "gpt-4o",
  temperature: 0.5,
  presence_penalty: 0,
  frequency_penalty: 0,
  top_p: 1,
};
