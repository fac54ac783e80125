/** Tests of the relay to OpenCode: the program itself, which asks for chat completions, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("OpenCode");
