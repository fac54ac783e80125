/** Tests of the relay to AI SDK, OpenAI: a small agent of its provider for OpenAI, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("AI SDK, OpenAI");
