/** Its last step: a token in exchange for the key, and the request's length under the key's secret. */
import { createHmac } from "node:crypto";
import { textOf } from "../../../../server/src/dialects/json/fields.ts";
import { keyParts } from "../../../../server/src/providers/key-parts.ts";
import type { BeforeSend } from "../../../../server/src/providers/provider.ts";
import { malformedKey } from "../../../../server/src/providers/provider-fault.ts";

export const beforeSend: BeforeSend = async (request, channel, { model }, tools) => {
  const [id = "", secret = ""] = keyParts(channel.key);
  if (secret === "") throw malformedKey("the key must be id|secret");
  const token = await tools.accessToken("chat", async () => {
    const { fields } = await tools.ask({ method: "POST", url: `${channel.baseUrl}/token?id=${id}`, headers: [] });
    return { token: textOf(fields["token"]), lifetimeSeconds: 3600 };
  });
  const signature = createHmac("sha256", secret).update(request.body).digest("hex");
  const headers = [...request.headers, "authorization", token, "x-signature", signature];
  return { ...request, headers, url: model === "socket" ? request.url.replace(/^http/, "ws") : request.url };
};
