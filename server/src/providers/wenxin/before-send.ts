/** A token in exchange for the key, in the query of each request (cloud.baidu.com/doc/WENXINWORKSHOP/s/Ilkkrb0i5). */
import { numberOf, textOf } from "../../dialects/json/fields.ts";
import { keyParts } from "../key-parts.ts";
import type { AccessToken, SendTools } from "../outgoing.ts";
import type { BeforeSend, ProviderChannel } from "../provider.ts";
import { malformedKey } from "../provider-fault.ts";
import { refusedExchange } from "./errors.ts";

const THIRTY_DAYS_SECONDS = 30 * 86_400;

async function exchange({ baseUrl, key }: ProviderChannel, { ask }: SendTools): Promise<AccessToken> {
  const [id = "", secret = ""] = keyParts(key);
  const query = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const url = `${baseUrl.replace(/\/+$/, "")}/oauth/2.0/token?${query}`;
  const answer = await ask({ method: "POST", url, headers: ["accept", "application/json"] });
  const token = textOf(answer.fields["access_token"]);
  if (token === "") throw refusedExchange(answer);
  return { token, lifetimeSeconds: numberOf(answer.fields["expires_in"]) ?? THIRTY_DAYS_SECONDS };
}

export const beforeSend: BeforeSend = async (request, channel, _call, tools) => {
  const parts = keyParts(channel.key);
  if (parts.length !== 2 || parts.includes("")) throw malformedKey("the key must be API_KEY|SECRET_KEY");
  const token = await tools.accessToken("wenxinworkshop", () => exchange(channel, tools));
  return { ...request, url: `${request.url}?access_token=${encodeURIComponent(token)}` };
};
