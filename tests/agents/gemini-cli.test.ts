/** Tests of the relay to Gemini CLI: the program itself, which asks in Gemini's format, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("Gemini CLI");
