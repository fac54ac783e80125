/** Tests of audit entries of channel changes: values as the row shows them, and no secret in any form. */
import { expect, it } from "vitest";
import { channelChanges } from "./changes.ts";
import type { StoredChannel } from "./store.ts";

const stored = {
  id: 3,
  name: "a",
  models: "m1,m2",
  group_names: "default",
  priority: 0,
  setting: '{"proxy":"http://user:sealed-login@proxy.example:8080"}',
  header_override: "sealed-header",
  key_hash: "hash-of-key",
  key_first: "sk-abc",
  key_last: "wxyz",
  key_choice: 0,
  test_failure: "",
  balance_failure: null,
  balance_micros: 0,
  max_input_tokens: null,
} as unknown as StoredChannel;

it("says from what to what of the fields that the row shows", () => {
  expect(channelChanges(stored, { models: "m1", priority: 5, group_names: "default,vip" })).toEqual([
    { field: "models", from: "m1,m2", to: "m1" },
    { field: "group", from: "default", to: "default,vip" },
    { field: "priority", from: "0", to: "5" },
  ]);
});

it("of a key, of headers and of a proxy's login says only that they are others", () => {
  const changes = channelChanges(stored, {
    key_hash: "hash-of-another",
    header_override: "other-sealed-header",
    setting: '{"proxy":"http://user:other-sealed@proxy.example:8080"}',
  });
  expect(changes).toEqual([{ field: "key" }, { field: "header_override" }, { field: "proxy_login" }]);
  expect(JSON.stringify(changes)).not.toMatch(/sealed|hash-of/);
});
