/** Tests of a provider's rules: keys and fields without their form are refused by name, on create and on update, and nothing changes. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHANNEL_FORM, type ChannelScene, openChannelScene } from "../../../../tests/support/systems/channel-scene.ts";
import { BUILT_IN_PROVIDERS } from "../../providers/registry.ts";
import type { ProviderInfo } from "../relay-tools.ts";

const TYPE = { forms: 9001, document: 9002, retired: 9003, plain: 1 } as const;

const provider = (id: number, manifest: Partial<ProviderInfo["manifest"]>): ProviderInfo => ({
  manifest: {
    id,
    slug: `made-up-${id}`,
    name: `Made up ${id}`,
    dialects: ["openai-chat"],
    defaultBaseUrl: "https://api.made-up.example",
    keyHint: "sk-...",
    fields: [],
    operations: ["chat"],
    supportsStreamUsage: true,
    canTest: true,
    mark: { glyph: "M", colour: "#000000" },
    ...manifest,
  },
  models: ["m"],
});

const MADE_UP = [
  provider(TYPE.forms, {
    keyForms: [["app", "secret", "key"], ["password"]],
    fields: [
      {
        name: "other",
        label: "appKind",
        isRequired: true,
        choices: [
          { value: "chat", label: "appChat" },
          { value: "workflow", label: "appWorkflow" },
        ],
      },
      { name: "openai_organization", label: "accountId", isRequired: true, pattern: "^\\d+$", placeholder: "1234" },
    ],
  }),
  provider(TYPE.document, { isKeyDocument: true }),
  provider(TYPE.retired, { isRetired: true, canTest: false, notice: "gone" }),
];

const WHOLE = {
  ...CHANNEL_FORM,
  type: TYPE.forms,
  key: "app-1|secret-1|key-1",
  other: "chat",
  openai_organization: "42",
};

describe("channels of providers that ask for something", () => {
  let scene: ChannelScene;

  beforeAll(async () => {
    const providers = [...BUILT_IN_PROVIDERS, ...MADE_UP];
    scene = await openChannelScene("sqlite", { providers, checkAddress: async () => {} });
  });
  afterAll(() => scene.site.close());
  beforeEach(() => scene.clear());

  const refusalOf = async (method: string, body: object) => {
    const { body: answer } = await scene.admin.call(method, "/api/channel/", body);
    return [answer.success, answer.code, answer.field, answer["values"]];
  };

  it("are made with each form of the key that the provider knows", async () => {
    for (const key of ["a|b|c", "password-alone"])
      expect(await scene.make({ ...WHOLE, key, name: key })).toBeGreaterThan(0);
    expect(await scene.make({ ...CHANNEL_FORM, type: TYPE.document, key: '{"client_email":"a@b"}' })).toBeGreaterThan(
      0,
    );
  });

  it.each([
    [{ key: "a|b" }, ["channel_key_form", "key", { forms: "app|secret|key / password" }]],
    [{ key: "a|b| " }, ["channel_key_form", "key", { forms: "app|secret|key / password" }]],
    [
      { key: "a|b|c\nd|e" },
      ["channel_keys_form", "key", { forms: "app|secret|key / password", position: 2, count: 2 }],
    ],
    [{ type: TYPE.document, key: "sk-1" }, ["channel_key_form", "key", { forms: "JSON" }]],
    [{ other: "" }, ["channel_field_missing", "other", { provider: "Made up 9001" }]],
    [{ other: "agent" }, ["channel_field_form", "other", { allowed: "chat, workflow" }]],
    [{ openai_organization: "forty" }, ["channel_field_form", "openai_organization", { allowed: "1234" }]],
  ] as const)("are not made with %j", async (bad, refusal) => {
    expect(await refusalOf("POST", { ...WHOLE, ...bad })).toEqual([false, ...refusal]);
    expect(await scene.list()).toEqual([]);
  });

  it.each([
    [{ key: "a|b" }, "channel_key_form", "key"],
    [{ other: "agent" }, "channel_field_form", "other"],
    [{ other: "" }, "channel_field_missing", "other"],
    [{ openai_organization: "" }, "channel_field_missing", "openai_organization"],
    // The key that stays is none of the other type.
    [{ type: TYPE.document }, "channel_key_form", "key"],
  ] as const)("are not changed by %j", async (bad, code, field) => {
    const id = await scene.make(WHOLE);
    const before = await scene.read(id);
    expect((await refusalOf("PUT", { id, ...bad })).slice(0, 3)).toEqual([false, code, field]);
    expect(await scene.read(id)).toEqual(before);
  });

  it("of Dify are made without a kind of app, as other consoles of the family send them", async () => {
    const dify = { ...CHANNEL_FORM, type: 37, key: "app-1234567890abcdef" };
    expect(await scene.read(await scene.make(dify))).toMatchObject({ type: 37, other: "" });
    expect((await refusalOf("POST", { ...dify, other: "agent" })).slice(0, 3)).toEqual([
      false,
      "channel_field_form",
      "other",
    ]);
  });

  it("take no further key without its form, and with several keys no type that wants another", async () => {
    const id = await scene.make({ ...WHOLE, key: "a|b|c\nd|e|f", keys_make: "one_channel" });
    const added = await scene.admin.call("POST", `/api/channel/${id}/keys`, { key: "g|h" });
    expect([added.body.code, added.body.field]).toEqual(["channel_key_form", "key"]);
    expect((await refusalOf("PUT", { id, type: TYPE.document })).slice(0, 3)).toEqual([
      false,
      "channel_keys_form",
      "key",
    ]);
    expect(await scene.read(id)).toMatchObject({ type: TYPE.forms, key_count: 2 });
  });

  it("move to another type with a key of its form", async () => {
    const id = await scene.make(WHOLE);
    await scene.admin.data("PUT", "/api/channel/", { id, type: TYPE.document, key: '{"client_email":"a@b"}' });
    expect(await scene.read(id)).toMatchObject({ type: TYPE.document });
  });

  it("are not tested where the vendor has ended its service", async () => {
    const id = await scene.make({ ...CHANNEL_FORM, type: TYPE.retired });
    const { body } = await scene.admin.call("POST", `/api/channel/test/${id}`);
    expect([body.success, body.code]).toEqual([false, "channel_test_unsupported"]);
  });

  it("have all that the drawer needs in the list of providers", async () => {
    const rows = await scene.admin.data<{ id: number }[]>("GET", "/api/channel/providers");
    const row = (type: number) => rows.find(({ id }) => id === type);
    expect(row(TYPE.forms)).toMatchObject({
      key_forms: [["app", "secret", "key"], ["password"]],
      is_key_document: false,
      notice: "",
      is_retired: false,
      fields: [
        { name: "other", pattern: "", choices: [{ value: "chat", label: "appChat" }, { value: "workflow" }] },
        { name: "openai_organization", pattern: "^\\d+$", choices: [] },
      ],
    });
    expect(row(TYPE.document)).toMatchObject({ key_forms: [], is_key_document: true });
    expect(row(TYPE.retired)).toMatchObject({ is_retired: true, notice: "gone", can_test: false });
  });
});
