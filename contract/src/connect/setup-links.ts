/** One-time addresses that give a script which writes a program's configuration, key included: made by the token's owner, fetched once, within minutes. */
import { z } from "zod";
import { endpoint, streamEndpoint } from "../endpoint.ts";
import { pathId } from "../query.ts";
import { INSTALL_SHELLS, INSTALLED_PROGRAMS } from "./install-script.ts";

/** How long an address can be fetched, in seconds. */
export const SETUP_LINK_SECONDS = 300;
/** As long as models' names are anywhere. */
const MODEL_CHARACTERS = 256;

/** Without control characters: it becomes one line of a file. */
const modelName = z
  .string()
  .min(1)
  .max(MODEL_CHARACTERS)
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u);

export const createSetupLink = endpoint({
  method: "POST",
  path: "/api/token/{id}/setup",
  access: "user",
  object: "own",
  sessionOnly: true,
  rateLimit: "link",
  summary:
    "Makes an address that gives, once and within 5 minutes, a script which writes a coding agent's configuration with the key of this own token",
  params: pathId,
  body: z.object({ program: z.enum(INSTALLED_PROGRAMS), shell: z.enum(INSTALL_SHELLS), model: modelName }),
  data: z.object({
    address: z.string(),
    /** What is run in the shell: it fetches the script and runs it. */
    command: z.string(),
    /** Unix seconds. */
    expires_time: z.number(),
  }),
});

export const fetchSetup = streamEndpoint({
  method: "GET",
  path: "/api/connect/{code}",
  access: "public",
  object: "none",
  mediaType: "text/plain; charset=utf-8",
  summary:
    "The script of a one-time address; 410 once it was fetched, has expired, or where the token or its account is gone",
  // Anything that cannot be a code becomes "", which no row has.
  params: z.object({ code: z.string().transform((value) => (/^[\w-]{32}$/.test(value) ? value : "")) }),
});
