/** The JSON schema of configuration files, for editors: of what operators write, secrets as references. */
import { z } from "zod";
import { configurationDocument } from "../../../../contract/src/configuration/document.ts";

/** Where a server publishes it, beside its OpenAPI document. */
export const CONFIGURATION_SCHEMA_PATH = "/api/config-schema.json";

let made: Record<string, unknown> | undefined;

/** JSON Schema, draft 2020-12. A rule that only code can check (such as a reserved name) is not in it. */
export function configurationSchema(): Record<string, unknown> {
  made ??= {
    ...z.toJSONSchema(configurationDocument, { io: "input", unrepresentable: "any" }),
    title: "Turnpike configuration",
    description: "Options, groups, prices, channels and identity providers of a Turnpike server",
  };
  return made;
}
