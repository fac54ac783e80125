/** Tests of the relay to AI SDK, Google: a small agent of its provider for Google, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("AI SDK, Google");
