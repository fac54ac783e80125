/** Tests of the relay to Claude Code: the program itself, which asks for messages, with upstreams of every format. */
import { holdsThroughRelay } from "./promises.ts";

holdsThroughRelay("Claude Code");
