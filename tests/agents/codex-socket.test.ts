/** Tests of the relay to Codex over its socket: the program itself, which sends each call as a frame, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("Codex over its socket");
