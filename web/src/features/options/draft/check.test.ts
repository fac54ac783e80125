/** Tests of refusals by the browser before anything is sent, by the contract's own rules. */
import { expect, test } from "vitest";
import { checkChanges } from "./save.ts";

const reasonsFor = async (values: Readonly<Record<string, string>>) => {
  const changes = Object.entries(values).map(([option, value]) => ({ option, value, revision: 0, isSwitch: false }));
  const refusals = await checkChanges(changes);
  return Object.fromEntries([...refusals].map(([option, { values: said }]) => [option, said["reason"]]));
};

test("numbers, addresses, domains and texts that the server would refuse are refused with the same reason", async () => {
  expect(
    await reasonsFor({
      RetryTimes: "-1",
      SMTPPort: "70000",
      QuotaForNewUser: "1.5",
      Price: "7.333",
      ChannelDisableThreshold: "fast",
      ServerAddress: "gateway.example",
      WorkerUrl: "https://worker.example/?a=b",
      Logo: "javascript:alert(1)",
      EmailDomainWhitelist: "example.com,not a domain",
      Footer: "<script>alert(1)</script>",
    }),
  ).toEqual({
    RetryTimes: "smallest",
    SMTPPort: "largest",
    QuotaForNewUser: "whole",
    Price: "decimals",
    ChannelDisableThreshold: "number",
    ServerAddress: "web_address",
    WorkerUrl: "base_address",
    Logo: "picture",
    EmailDomainWhitelist: "email_domain",
    Footer: "active_content",
  });
});

test("what is right passes, and so does what only the server can judge", async () => {
  expect(
    await reasonsFor({ RetryTimes: "3", ServerAddress: "", Notice: "# Hello", ModelRatio: "{", FromTheFuture: "1" }),
  ).toEqual({});
});
