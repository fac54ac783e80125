/** What the fake Gemini refuses, as strictly as the vendor documents it (ai.google.dev/api/generate-content, /gemini-api/docs/thought-signatures). */
import type { SeenRequest } from "../plan.ts";
import { type Fields, isObject } from "../refusals.ts";
import type { VendorError } from "../vendor.ts";

const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Thrown where the vendor would answer 400. */
class Refused extends Error {}

const refuse = (message: string): never => {
  throw new Refused(message);
};

/** Signatures as this upstream gives them out; every other one is corrupt. */
export const signatureOf = (what: string): string => Buffer.from(`signature of ${what}`).toString("base64");
const ISSUED_HEAD = "signature of ";
const SKIPPED = "skip_thought_signature_validator";

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  request:
    "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels serviceTier store model continuationToken".split(
      " ",
    ),
  config:
    "stopSequences responseMimeType responseSchema responseJsonSchema responseModalities candidateCount maxOutputTokens temperature topP topK seed presencePenalty frequencyPenalty responseLogprobs logprobs thinkingConfig mediaResolution speechConfig imageConfig".split(
      " ",
    ),
  part: "text inlineData fileData functionCall functionResponse thought thoughtSignature executableCode codeExecutionResult videoMetadata mediaResolution".split(
    " ",
  ),
  declaration: [
    "name",
    "description",
    "parameters",
    "parametersJsonSchema",
    "response",
    "responseJsonSchema",
    "behavior",
  ],
  schema:
    "type format title description nullable enum maxItems minItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default items minimum maximum".split(
      " ",
    ),
  tool: ["functionDeclarations", "googleSearch", "googleSearchRetrieval", "codeExecution", "urlContext"],
};

function checkNames(fields: Fields, kind: string, path: string): void {
  const unknown = Object.keys(fields).find((name) => KNOWN[kind]?.includes(name) !== true);
  if (unknown !== undefined)
    refuse(`Invalid JSON payload received. Unknown name "${unknown}" at '${path}': Cannot find field.`);
}

const DATA = [
  "text",
  "inlineData",
  "fileData",
  "functionCall",
  "functionResponse",
  "executableCode",
  "codeExecutionResult",
];

function checkBlob(blob: Fields, path: string): void {
  const data = blob["data"];
  if (typeof blob["mimeType"] !== "string" || !blob["mimeType"].includes("/"))
    refuse(`${path}.mimeType: missing or no media type`);
  if (typeof data !== "string" || data === "" || Buffer.from(data, "base64").toString("base64") !== data) {
    refuse(`Invalid value at '${path}.data' (TYPE_BYTES), Base64 decoding failed`);
  }
}

function checkPart(part: Fields, path: string): void {
  checkNames(part, "part", path);
  const data = DATA.filter((name) => part[name] !== undefined);
  if (data.length !== 1) refuse(`${path}.data: required oneof field 'data' must have one initialized field`);
  if (part["text"] !== undefined && typeof part["text"] !== "string")
    refuse(`Invalid value at '${path}.text' (TYPE_STRING)`);
  if (part["inlineData"] !== undefined) checkBlob(fieldsOf(part["inlineData"]), `${path}.inline_data`);
  if (part["fileData"] !== undefined && !/^(?:https?|gs):\/\//.test(String(fieldsOf(part["fileData"])["fileUri"])))
    refuse(`Unsupported file URI at ${path}.file_data.file_uri`);
  const signature = part["thoughtSignature"];
  if (signature === undefined || signature === SKIPPED) return;
  if (typeof signature !== "string" || !Buffer.from(signature, "base64").toString("utf8").startsWith(ISSUED_HEAD))
    refuse("Corrupted thought signature.");
}

const partsOf = (content: unknown): readonly Fields[] => listOf(fieldsOf(content)["parts"]).filter(isObject);
const holding = (content: unknown, name: string): readonly Fields[] =>
  partsOf(content).flatMap((part) => (isObject(part[name]) ? [part[name]] : []));

/** Calls are answered at once, all of them, and each by its name. */
function checkPairs(contents: readonly unknown[], index: number): void {
  const calls = holding(contents[index], "functionCall");
  const results = holding(contents[index], "functionResponse");
  const asked = index === 0 ? [] : holding(contents[index - 1], "functionCall");
  if (calls.length > 0 && fieldsOf(contents[index - 1])["role"] !== "user")
    refuse(
      "Please ensure that function call turn comes immediately after a user turn or after a function response turn.",
    );
  if (asked.length !== results.length)
    refuse(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  for (const result of results) {
    if (!isObject(result["response"])) refuse(`Invalid value at 'contents[${index}].parts.function_response.response'`);
    const isAsked = asked.some(
      (call) => call["name"] === result["name"] && (result["id"] === undefined || call["id"] === result["id"]),
    );
    if (!isAsked) refuse(`function_response.name ${String(result["name"])} answers no call of the turn before`);
  }
}

function checkContent(content: unknown, index: number): void {
  const fields = fieldsOf(content);
  const path = `contents[${index}]`;
  if (fields["role"] !== "user" && fields["role"] !== "model") refuse("Please use a valid role: user, model.");
  if (partsOf(content).length === 0)
    refuse(`* GenerateContentRequest.${path}.parts: must include at least one parts field`);
  for (const [place, part] of partsOf(content).entries()) checkPart(part, `${path}.parts[${place}]`);
}

/** Contents of one role that follow each other are one turn: the vendor's own library sends each piece of a stream as a content. */
function turnsOf(contents: readonly unknown[]): Fields[] {
  const turns: { role: unknown; parts: Fields[] }[] = [];
  for (const content of contents) {
    const role = fieldsOf(content)["role"];
    const last = turns.at(-1);
    if (last?.role === role) last?.parts.push(...partsOf(content));
    else turns.push({ role, parts: [...partsOf(content)] });
  }
  return turns;
}

/** The third generation wants the signature of the first call of each step since the user's last words. */
function checkSignatures(model: string, contents: readonly unknown[]): void {
  if (!/gemini-[3-9]/.test(model)) return;
  const turn = contents.findLastIndex(
    (content) => fieldsOf(content)["role"] === "user" && holding(content, "functionResponse").length === 0,
  );
  for (const content of contents.slice(turn + 1)) {
    const first = partsOf(content).find((part) => part["functionCall"] !== undefined);
    if (first === undefined) continue;
    const name = String(fieldsOf(first["functionCall"])["name"]);
    const signature = first["thoughtSignature"];
    if (signature === undefined)
      refuse(
        `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`${name}\`.`,
      );
    if (signature !== SKIPPED && signature !== signatureOf(name)) refuse("Thought signature is not valid.");
  }
}

function checkSchema(schema: unknown, path: string): void {
  if (!isObject(schema)) return;
  checkNames(schema, "schema", path);
  for (const [name, value] of Object.entries(fieldsOf(schema["properties"])))
    checkSchema(value, `${path}.properties[${name}]`);
  checkSchema(schema["items"], `${path}.items`);
}

function checkTools(body: Fields): void {
  for (const [index, tool] of listOf(body["tools"]).entries()) {
    checkNames(fieldsOf(tool), "tool", `tools[${index}]`);
    for (const [place, declaration] of listOf(fieldsOf(tool)["functionDeclarations"]).filter(isObject).entries()) {
      const path = `tools[${index}].function_declarations[${place}]`;
      checkNames(declaration, "declaration", path);
      if (!/^[A-Za-z_][\w.:-]{0,127}$/.test(String(declaration["name"])))
        refuse(`Invalid function name at ${path}.name.`);
      if (declaration["parameters"] !== undefined && declaration["parametersJsonSchema"] !== undefined)
        refuse(`parameters_json_schema must not be set when parameters is set: ${path}`);
      checkSchema(declaration["parameters"], `${path}.parameters`);
    }
  }
}

const isOwnTool = (name: string): boolean => name !== "functionDeclarations";

/** Its own tools beside functions: never in older models, in newer ones where their calls are kept (gemini-api/docs/tool-combination). */
function checkCombination(model: string, body: Fields): void {
  const names = listOf(body["tools"]).flatMap((tool) => Object.keys(fieldsOf(tool)));
  const own = names.find(isOwnTool);
  if (own !== undefined && names.some((name) => !isOwnTool(name))) {
    if (!/gemini-[3-9]/.test(model))
      refuse(`Built-in tools ({${own}}) and Function Calling cannot be combined in the same request.`);
    if (fieldsOf(body["toolConfig"])["includeServerSideToolInvocations"] !== true)
      refuse(
        "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.",
      );
  }
  const choice = fieldsOf(body["toolConfig"])["functionCallingConfig"];
  if (choice !== undefined && !names.includes("functionDeclarations"))
    refuse("Function calling config is set without function_declarations.");
}

function checkThinking(model: string, thinking: Fields): void {
  const { thinkingLevel, thinkingBudget } = thinking;
  if (thinkingLevel !== undefined && thinkingBudget !== undefined)
    refuse("You can only set only one of thinking budget and thinking level.");
  if (thinkingLevel !== undefined && !/gemini-[3-9]/.test(model))
    refuse("Thinking level is not supported for this model.");
  if (thinkingLevel !== undefined && !/^(?:minimal|low|medium|high)$/i.test(String(thinkingLevel)))
    refuse("Invalid value at 'generation_config.thinking_config.thinking_level'");
  if (
    thinkingBudget !== undefined &&
    !(Number.isInteger(thinkingBudget) && Number(thinkingBudget) >= -1 && Number(thinkingBudget) <= 32_768)
  )
    refuse("The thinking budget is invalid. Please choose a value between 0 and 24576.");
}

function checkConfig(model: string, config: Fields): void {
  checkNames(config, "config", "generation_config");
  const temperature = config["temperature"];
  if (temperature !== undefined && !(typeof temperature === "number" && temperature >= 0 && temperature <= 2))
    refuse("* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].");
  for (const name of ["maxOutputTokens", "candidateCount"]) {
    if (config[name] !== undefined && !(Number.isInteger(config[name]) && Number(config[name]) > 0))
      refuse(`${name} must be positive`);
  }
  if (listOf(config["stopSequences"]).length > 5) refuse("The number of stop sequences must be at most 5.");
  const wantsSchema = config["responseSchema"] !== undefined || config["responseJsonSchema"] !== undefined;
  if (wantsSchema && config["responseMimeType"] !== "application/json")
    refuse("Schema is only allowed with the mime type application/json.");
  checkThinking(model, fieldsOf(config["thinkingConfig"]));
}

function checkGenerate(model: string, body: Fields): void {
  checkNames(body, "request", "request");
  const contents = listOf(body["contents"]);
  if (contents.length === 0) refuse("* GenerateContentRequest.contents: contents is not specified");
  for (const [index, content] of contents.entries()) checkContent(content, index);
  const turns = turnsOf(contents);
  for (const index of turns.keys()) checkPairs(turns, index);
  if (holding(turns.at(-1), "functionCall").length > 0)
    refuse("Please ensure that multiturn requests ends with a user role or a function response.");
  checkSignatures(model, turns);
  checkTools(body);
  checkCombination(model, body);
  checkConfig(model, fieldsOf(body["generationConfig"]));
}

function checkEmbedding(body: Fields, model: string): void {
  if (typeof body["model"] === "string" && body["model"] !== `models/${model}`)
    refuse("model in the body must be the one of the path");
  if (!partsOf(body["content"]).some((part) => typeof part["text"] === "string"))
    refuse("* EmbedContentRequest.content: contents is not specified");
}

const PREDICT: Readonly<Record<string, (value: unknown) => boolean>> = {
  sampleCount: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 4,
  aspectRatio: (value) => ["1:1", "3:4", "4:3", "9:16", "16:9"].includes(String(value)),
  sampleImageSize: (value) => /^[12]k$/i.test(String(value)),
  personGeneration: (value) => /^(?:dont_allow|allow_adult|allow_all)$/i.test(String(value)),
  safetySetting: (value) => /^block_low_and_above$/i.test(String(value)),
  language: (value) => typeof value === "string",
  guidanceScale: (value) => typeof value === "number",
  includeSafetyAttributes: (value) => typeof value === "boolean",
  includeRaiReason: (value) => typeof value === "boolean",
  outputOptions: (value) =>
    Object.keys(fieldsOf(value)).every((name) => /^(?:mimeType|compressionQuality)$/.test(name)),
};

/** Settings of the enterprise platform, such as seed, are not known here (ai.google.dev/gemini-api/docs/imagen, configuration). */
function checkPredict(_model: string, body: Fields): void {
  const foreign = Object.keys(body).find((name) => name !== "instances" && name !== "parameters");
  if (foreign !== undefined) refuse(`Invalid JSON payload received. Unknown name "${foreign}": Cannot find field.`);
  const instances = listOf(body["instances"]).filter(isObject);
  if (instances.length !== 1) refuse("Only one instance is supported.");
  if (typeof instances[0]?.["prompt"] !== "string" || instances[0]["prompt"] === "") refuse("prompt is required.");
  for (const [name, value] of Object.entries(fieldsOf(body["parameters"])))
    if (PREDICT[name]?.(value) !== true) refuse(`${name} isn't supported by this model, or its value is not.`);
}

const CHECKS: Readonly<Record<string, (model: string, body: Fields) => void>> = {
  generateContent: checkGenerate,
  streamGenerateContent: checkGenerate,
  countTokens: (model, body) => {
    const nested = fieldsOf(body["generateContentRequest"]);
    checkGenerate(model, body["contents"] === undefined ? nested : { contents: body["contents"] });
  },
  embedContent: (model, body) => checkEmbedding(body, model),
  batchEmbedContents: (model, body) => {
    const requests = listOf(body["requests"]);
    if (requests.length === 0) refuse("* BatchEmbedContentsRequest.requests: at least one request is required");
    for (const request of requests) checkEmbedding({ model: "", ...fieldsOf(request) }, model);
  },
  predict: checkPredict,
};

/** Model and method of a path. */
export function targetOf(seen: SeenRequest): { model: string; method: string } {
  const [, model = "", method = ""] = /\/models\/([^/:?]+):(\w+)/.exec(seen.path) ?? [];
  return { model: decodeURIComponent(model), method };
}

/** Undefined where the vendor would take the request. */
export function errorOfGemini(seen: SeenRequest): VendorError | undefined {
  const unregistered = {
    status: 403,
    message: "Method doesn't allow unregistered callers.",
    type: "PERMISSION_DENIED",
    code: null,
    param: null,
  };
  if (typeof seen.headers["x-goog-api-key"] !== "string" || /[?&]key=/.test(seen.path)) return unregistered;
  if (seen.method === "GET") return undefined;
  const { model, method } = targetOf(seen);
  try {
    if (seen.json === undefined) return refuse("Invalid JSON payload received.");
    CHECKS[method]?.(model, seen.json);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { status: 400, message: error.message, type: "INVALID_ARGUMENT", code: null, param: null };
  }
}
