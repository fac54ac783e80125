/** Tests of the relay to Codex over HTTP: the program itself, which asks for Responses, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("Codex over HTTP");
